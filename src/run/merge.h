/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-merge has read and is about to write: merge.c merges, merge_table.c prints. */
#ifndef SPMVCAST_RUN_MERGE_H
#define SPMVCAST_RUN_MERGE_H
#include "base/strings.h"
#include "runs/rows.h"
#include "table/table.h"

enum { MERGE_VARYING = 5 }; /* tables that archives of older programs may lack */

struct merge_input {
    const char *path;
    bool archive;                  /* false: only logs exist */
    char date[32], sha256[ID_LEN]; /* when it was last written; of the file */
    int64_t nrows, of_logs;
    struct run_row *rows; /* owned */
    bool *kept, *left;    /* [nrows]; left: out, by --leave-out */
    char lacks[MERGE_VARYING][200];
};

struct merge {
    int ninputs;
    struct merge_input *input;
    struct runs runs;
    int64_t alike, conflicts;
    struct strlist features; /* --features */
    struct strlist without;  /* --without */
    const char *left;        /* --leave-out */
    bool newest;             /* --newest */
    const char *device;      /* --device */
    char *device_key;        /* that it names; NULL: all devices */
};

/* Columns of the file of --leave-out. */
extern const struct column merge_left_columns[];
/* Prints a row per archive and device. */
void merge_print(const struct merge *, const char *output, bool json);
#endif
