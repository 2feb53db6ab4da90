/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns that every table of an outlook has. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#define SPMVCAST_FORECAST_OUTLOOK_TABLE_H
#include "base/textout.h"
#include "forecast/outlook.h"

extern const char outlook_table_columns[]; /* place, config, ... reason, separated by '\t' */
/* Adds the cells of these columns. */
void outlook_table_cells(struct textout *, const struct outlook *, const struct outlook_row *);
#endif
