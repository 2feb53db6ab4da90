/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to this room: between a table and its printer. */
#ifndef SPMVCAST_TABLE_TABLE_INSIDE_H
#define SPMVCAST_TABLE_TABLE_INSIDE_H
struct table;

/* table.c: frees rows and notes; the columns stay. */
void table_drop_rows(struct table *);
/* textout.c: the columns were set; a row or a note was added. */
void textout_columns_set(struct table *);
void textout_row(struct table *);
#endif
