/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a paper's tables. */
#ifndef SPMVCAST_PAPERS_PAPER_CHECK_H
#define SPMVCAST_PAPERS_PAPER_CHECK_H
#include "papers/paper.h"

/* Checks numbers, recipes, figures (measure, parameters, chart) and claims (figure, statistic, direction, size, margin) and causes. FAIL: why names the file and
 * the line. */
int paper_check(const struct paper *, char why[ERRLEN]);
#endif
