/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that a run measures even where the sweep's limit would leave them out: those that another archive has measured. */
#ifndef SPMVCAST_MEASURE_KEPT_H
#define SPMVCAST_MEASURE_KEPT_H
#include "base/strings.h"
#include "runs/rows.h"

/* Adds a row, by the name of its matrix, its precision and its configuration, as requested and as resolved. */
void kept_add(struct strlist *kept, const struct run_row *);
/* Call after the last kept_add. */
void kept_sort(struct strlist *kept);
/* Returns whether a row was added with this name, precision, and configuration as requested or as resolved. O(log n). */
bool kept_has(const struct strlist *kept, const char *matrix, enum precision, const char *config);
#endif
