/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the archive module and the writer of matrices share; nobody else includes it. */
#ifndef SPMVCAST_ARCHIVE_ARCHIVE_INSIDE_H
#define SPMVCAST_ARCHIVE_ARCHIVE_INSIDE_H
#include <stdint.h>
#include "archive/h5.h"

enum { KIND_BYTES = 32, COLUMN_NAMES = 4096 };

struct archive {
    char *path;
    const char *tmp; /* writing: the file that becomes path; NULL when reading */
    char kind[KIND_BYTES];
    int schema;
    hid_t file;
    int64_t nprovenance, ninputs; /* of earlier steps, while writing */
    struct provenance_row *provenance;
    struct input_row *inputs;
};

/* Is the column among those, with commas between? */
bool columns_have(const char *names, const char *column);
/* Writes tables provenance (earlier steps, then this process) and inputs. */
int provenance_put(struct archive *, char why[ERRLEN]);
#endif
