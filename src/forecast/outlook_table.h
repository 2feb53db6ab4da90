/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns that every table of an outlook has. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#define SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#include "forecast/outlook.h"
#include "table/textout.h"

extern const struct column outlook_table_columns[]; /* place, config, ... reason */
/* Adds the cells of these columns. */
void outlook_table_cells(struct table *, const struct outlook *, const struct outlook_row *);
#endif
