/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a paper's tables. */
#ifndef SPMVCAST_PAPERS_PAPER_CHECK_H
#define SPMVCAST_PAPERS_PAPER_CHECK_H
#include "papers/paper.h"

/* Factors of causes.tsv: one thing is changed; several are, so it is evidence, but no cause; another reading of the paper, which must come
 * out alike; what there must be, so that the claim says anything. */
#define CAUSES "regime|device|matrices|kernel|model"
#define SEVERAL "several"
#define READING "reading"
#define PREMISE "premise"
#define FACTORS CAUSES "|" SEVERAL "|" READING "|" PREMISE

/* Checks numbers, recipes, figures (measure, parameters, chart) and claims (figure, statistic, direction, size, margin) and causes. FAIL: why names the file and
 * the line. */
int paper_check(const struct paper *, char why[ERRLEN]);
#endif
