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

/* Returns 1 if there is a table of that name, 0 if not, -1 if it cannot be determined. */
int table_there(const struct archive *, const char *name);
/* Opens a table's group and reads its number of rows and its comma-separated column names. Returns the group; if any of them
 * cannot be read, fills `why` and returns -1. */
hid_t table_open(struct archive *, const char *name, int64_t *rows, char columns[COLUMN_NAMES], char why[ERRLEN]);
/* archive_get without the packed form. */
int table_get(struct archive *, const struct schema *, void **rows, int64_t *n, char why[ERRLEN]);
/* Gets the number of elements per row of a dataset that must have n rows. FAIL: its shape differs. */
int column_shape(const struct archive *, const char *table, const char *column, hid_t dataset, int64_t n,
                 int64_t *width, char why[ERRLEN]);
/* Returns true if `names`, separated by commas, contains the column. */
bool columns_have(const char *names, const char *column);
/* Returns an archive without a file; free with archive_close. */
struct archive *archive_new(const char *path);
/* Checks the file without HDF5: its type, its size and the HDF5 signature. Returns as archive_open. */
int archive_look_at(const char *path, char why[ERRLEN]);
/* Reads the kind and the schema of one of our files. Returns as archive_open. */
int archive_read_kind(struct archive *, char why[ERRLEN]);
/* Writes tables provenance (earlier steps, then this process) and inputs. */
int provenance_put(struct archive *, char why[ERRLEN]);
#endif
