/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a paper prints for a figure, beside those of our table. */
#ifndef SPMVCAST_PAPERS_PRINTED_VALUES_H
#define SPMVCAST_PAPERS_PRINTED_VALUES_H
#include "papers/study.h"

/* Fills `printed`: the values that the paper prints for a figure, beside those of the table with the same item, precision and
 * quantity. item: the text of column matrix, format, model, config or kernel, or several of these texts ("DEN, brc"). No value if several
 * rows of the table are meant that differ in the quantity. Of a quantity that is a statistic (statistic.h): over the paper's matrices. */
void printed_values(const struct study *, long figure, const struct table *table, struct table *printed);
/* Is the quantity a statistic, "max(ratio)", and no column? */
bool printed_is_statistic(const char *quantity);
/* Does the paper print this value? */
bool printed_here(const struct table *printed, long row);
/* Does the paper print anything there? ("not in the text" is nothing.) */
bool printed_any(const struct table *printed);
/* Fills `pairs` (item, series, printed, ours) with the rows of a column, and of statistics of it, that have both numbers, for a chart: PRINTED_CHART. */
void printed_pairs(const struct table *printed, const char *column, struct table *pairs);
#define PRINTED_CHART "points x=printed y=ours by=series diagonal"
#endif
