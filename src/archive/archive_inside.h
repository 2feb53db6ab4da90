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

/* The group of a table, its number of rows, and its columns' names with commas between; -1, why filled, where one of them
 * is not to be had. */
hid_t table_open(struct archive *, const char *name, int64_t *rows, char columns[COLUMN_NAMES], char why[ERRLEN]);
/* Of a dataset of n rows the number of elements a row; FAIL where it has another shape. */
int column_shape(const struct archive *, const char *table, const char *column, hid_t dataset, int64_t n,
                 int64_t *width, char why[ERRLEN]);
/* Is the column among those, with commas between? */
bool columns_have(const char *names, const char *column);
/* Writes tables provenance (earlier steps, then this process) and inputs. */
int provenance_put(struct archive *, char why[ERRLEN]);
#endif
