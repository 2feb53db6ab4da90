/* SPDX-License-Identifier: BSD-3-Clause */
/* A table in memory: named columns, rows of text, notes. Filled by any table that a program prints (textout_divert), or read from
 * a tab-separated file. Written as TSV; drawn and shown by room page. */
#ifndef SPMVCAST_BASE_SHEET_H
#define SPMVCAST_BASE_SHEET_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/strings.h"

struct sheet {
    int ncolumns;
    char **column; /* names */
    bool *number;  /* [ncolumns]: every cell is a number or "-" */
    long nrows;
    char ***cell;         /* [nrows][ncolumns]; "-": none */
    long *line;           /* [nrows]: line of the file, if read from one; else 0 */
    struct strlist notes; /* without "# " */
    char name[160];       /* of the file, for messages; "": not from a file */
};                        /* all zero: empty */

/* Sets the columns of an empty sheet: names separated by '\t'. */
void sheet_begin(struct sheet *, const char *header);
/* Sets the columns of an empty sheet to those of another. */
void sheet_begin_like(struct sheet *, const struct sheet *);
/* Adds a copy of a row of a sheet with the same columns. */
void sheet_copy_row(struct sheet *, const struct sheet *from, long row);
/* Adds a row of "-"; returns its number. */
long sheet_add(struct sheet *);
/* Sets a cell; bug() if the column does not exist. NaN prints as "-". */
void sheet_set(struct sheet *, long row, const char *column, const char *text);
void sheet_set_real(struct sheet *, long row, const char *column, double value, int significant);
void sheet_set_int(struct sheet *, long row, const char *column, int64_t value);
void sheet_free(struct sheet *);

/* Returns the index of a column, or -1. */
int sheet_column(const struct sheet *, const char *name);
/* Returns the cell; "" for "-". bug() if the column does not exist. */
const char *sheet_text(const struct sheet *, long row, const char *column);
/* Returns the cell as a number; NaN: it is none. bug() if the column does not exist. */
double sheet_real(const struct sheet *, long row, const char *column);

/* Reads a tab-separated file: a header row, then rows; lines that begin with '#' are comments, empty lines are skipped. The
 * columns must be those of `header` (separated by '\t'), in any order. FAIL: why names the file and the line. */
int sheet_read(struct sheet *, const char *path, const char *header, char why[ERRLEN]);
/* Writes rows and notes as tab-separated text, atomically. FAIL: why. */
int sheet_write(const struct sheet *, const char *path, char why[ERRLEN]);
#endif
