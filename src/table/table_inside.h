/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to this room: between a table and its printer. */
#ifndef SPMVCAST_TABLE_TABLE_INSIDE_H
#define SPMVCAST_TABLE_TABLE_INSIDE_H
struct table;

/* table.c: returns the index of a column; bug() if it does not exist. */
int table_column_of(const struct table *, const char *name);
/* Frees rows and notes; the columns stay. */
void table_drop_rows(struct table *);
/* textout.c: the columns were set; a row or a note was added. */
void textout_columns_set(struct table *);
void textout_row(struct table *);
#endif
