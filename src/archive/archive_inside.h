/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to archive/ and to the writer of matrices (input/binsparse_write.c). */
#ifndef SPMVCAST_ARCHIVE_ARCHIVE_INSIDE_H
#define SPMVCAST_ARCHIVE_ARCHIVE_INSIDE_H
#include <stdint.h>
#include "archive/h5.h"
#include "archive/pack.h"

enum { KIND_BYTES = 32, COLUMN_NAMES = 4096 };

struct archive {
    char *path;
    const char *tmp; /* while writing: the file that becomes path; NULL while reading */
    char kind[KIND_BYTES];
    int schema;
    hid_t file;                   /* -1: not open */
    struct pack *pack;            /* NULL: none */
    int64_t nprovenance, ninputs; /* from earlier steps, while writing */
    struct provenance_row *provenance;
    struct input_row *inputs;
};

/* Opens the file of a packed archive, from which something is missing in the packed form; does nothing if it is open. */
int archive_unpack(struct archive *, char why[ERRLEN]);
/* Opens a table's group and reads its number of rows and its comma-separated column names. Returns the group; if any of them
 * cannot be read, fills `why` and returns -1. */
hid_t table_open(struct archive *, const char *name, int64_t *rows, char columns[COLUMN_NAMES], char why[ERRLEN]);
/* Gets the number of elements per row of a dataset that must have n rows. FAIL: its shape differs. */
int column_shape(const struct archive *, const char *table, const char *column, hid_t dataset, int64_t n,
                 int64_t *width, char why[ERRLEN]);
/* Returns true if `names`, separated by commas, contains the column. */
bool columns_have(const char *names, const char *column);
/* Writes tables provenance (earlier steps, then this process) and inputs. */
int provenance_put(struct archive *, char why[ERRLEN]);
/* FAIL if an archive whose contents are checked also holds links or attributes that no program of ours writes, which would be lost
 * if it were replaced; `why` names one. */
int archive_contents_only(hid_t file, const char *kind, char why[ERRLEN]);
#endif
