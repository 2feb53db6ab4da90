/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns that every table of an outlook has, and its rows in JSON; both from forecast/ranking_row.def. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#define SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#include "forecast/outlook.h"
#include "table/textout.h"

extern const struct column outlook_table_columns[]; /* place, config, ... reason */
/* Adds the cells of these columns. */
void outlook_table_cells(struct table *, const struct outlook *, const struct outlook_row *);
/* Adds the cells of some of these columns, named in the order of the table and separated by blanks. */
void outlook_table_some(struct table *, const struct outlook *, const struct outlook_row *, const char *columns);
/* Adds columns, named in this order and separated by blanks, to the object that textout_object began; row NULL: without values. */
void outlook_table_fields(struct table *, const struct outlook *, const struct outlook_row *, const char *columns);
/* Returns the columns of numbers with their meanings, for --help (malloc'd). */
char *outlook_table_help(void);
#endif
