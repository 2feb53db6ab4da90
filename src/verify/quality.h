/* SPDX-License-Identifier: BSD-3-Clause */
/* How trustworthy the rows of a run are, from the rows alone: what was disturbed while they were measured, and what
 * contradicts itself. */
#ifndef SPMVCAST_VERIFY_QUALITY_H
#define SPMVCAST_VERIFY_QUALITY_H
#include <stdbool.h>
#include "runs/rows.h"
#include "table/table.h"

extern const struct column quality_columns[];
/* Adds a row for each check of the runs of the file at `path`. Returns false if a check found more than it allows. */
bool quality_rows(struct table *, const char *path, struct runs *);
#endif
