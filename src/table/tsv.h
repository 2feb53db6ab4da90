/* SPDX-License-Identifier: BSD-3-Clause */
/* Tab-separated files that users write, as tables of text. */
#ifndef SPMVCAST_TABLE_TSV_H
#define SPMVCAST_TABLE_TSV_H
#include "table/table.h"

/* Sets the columns of an empty table: names separated by '\t', of text. */
void tsv_begin(struct table *, const char *header);
/* Reads a tab-separated file: a header row, then rows; lines that begin with '#' are comments, empty lines are skipped. The
 * columns must be those of `header` (separated by '\t'), in any order. Cells are text; "-" and "" are none. Sets the lines of the rows.
 * FAIL: why names the file and the line. */
int tsv_read(struct table *, const char *path, const char *header, char why[ERRLEN]);
/* The same for a file that a program printed: the table has these columns, ending with COLUMNS_END, and cells of their types; numbers
 * keep the digits of the file. */
int tsv_read_typed(struct table *, const char *path, const struct column *, char why[ERRLEN]);
/* Returns the number in a cell; NaN: it is none. */
double tsv_real(const struct table *, long row, const char *column);
#endif
