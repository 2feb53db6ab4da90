/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to page*.c: HTML of tables. */
#ifndef SPMVCAST_PAGE_PAGE_INSIDE_H
#define SPMVCAST_PAGE_PAGE_INSIDE_H
#include <stdbool.h>
#include <stdio.h>
#include "table/table.h"

/* Prints text with escapes; `words` become code. */
void put_prose(FILE *, const char *text);
/* Prints a table in a scroll container, with its notes. columns: as for page_table. hidden: the caption is for screen readers only. */
void put_table(FILE *, const struct table *, const char *columns, const char *caption, bool hidden);
#endif
