/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on each claim of a paper, with numbers, uncertainty, reason and cause (the rule: papers/verdict.h). */
#ifndef SPMVCAST_PAPERS_FINDINGS_H
#define SPMVCAST_PAPERS_FINDINGS_H
#include "papers/statistic.h"
#include "papers/study.h"

/* Fills `claims`, a row per claim, and `evidence`, a row per claim and set of matrices: those of the paper, which decide; the others of
 * the archives; and for claims that come out otherwise than printed, each change of causes.tsv that was tried. table: [figures.nrows], the
 * tables of the figures. */
void findings_of(const struct study *, const struct table *table, struct table *claims, struct table *evidence);

/* Returns how many verdicts of the claims chance alone is expected to change: the sum, over decided claims, of the share of draws with
 * another verdict. */
double findings_flips(const struct table *claims);

/* Returns "3 real, 11 stand-in", or "14 rows" of a table without sources (malloc'd). */
char *sources_text(const struct units *);
#endif
