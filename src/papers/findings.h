/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on each claim of a paper: holds, does not hold, or cannot be tested, with numbers, uncertainty and reason. */
#ifndef SPMVCAST_PAPERS_FINDINGS_H
#define SPMVCAST_PAPERS_FINDINGS_H
#include "papers/study.h"

/* Fills `claims`, a row per claim, and `evidence`, a row per claim and source of matrices (real, exact, stand-in, other; "-": a table
 * without matrices). table: [figures.nrows], the tables of the figures.
 * A source is undecided if it has fewer than five matrices (except for a claim about one matrix, "where matrix=..."), if its 95 %
 * interval contains the limit, or if a ratio of times is within REPEATABILITY of it. A claim is decided by the first decided source in the
 * order real, exact, stand-in; by other matrices only if none of these has five. An "up to" claim (max >= N) holds if any source
 * reaches the limit. Else it cannot be tested. */
void findings_of(const struct study *, const struct table *table, struct table *claims, struct table *evidence);

/* The mean difference of two runs of the same work on two H200s (results/h200/repeat.h5 against matrices.h5). */
#define REPEATABILITY 0.023

/* Fills `printed`: the values that the paper prints for a figure, beside those of the table with the same item, precision and
 * quantity. item: the text of column matrix, format, model, config or kernel, or several of these texts ("DEN, brc"). No value if
 * several rows of the table are meant that differ in the quantity. */
void findings_printed(const struct study *, long figure, const struct table *table, struct table *printed);
#endif
