/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations that a run measures on a matrix though its sweep or the grid of its recipe would leave them out: those that another archive
 * has measured there. */
#ifndef SPMVCAST_MEASURE_KEPT_H
#define SPMVCAST_MEASURE_KEPT_H
#include "base/strings.h"
#include "runs/rows.h"

/* Adds a row, by the name of its matrix and its configuration, as requested and as resolved. */
void kept_add(struct strlist *kept, const struct run_row *);
/* Call after the last kept_add. */
void kept_sort(struct strlist *kept);
/* Returns whether a row was added with this name, and configuration as requested or as resolved. O(log n). */
bool kept_has(const struct strlist *kept, const char *matrix, const char *config);
#endif
