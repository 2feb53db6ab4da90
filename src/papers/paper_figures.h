/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a paper's page. */
#ifndef SPMVCAST_PAPERS_PAPER_FIGURES_H
#define SPMVCAST_PAPERS_PAPER_FIGURES_H
#include "page/page.h"
#include "papers/reproduction.h"

/* Returns the chart of a figure (malloc'd); NULL: it has none, or nothing to draw (why). Bars show the matrices of the paper; with
 * `others`, the other ones, if a bar stands for one matrix. id: unique on the page. alone: a file of its own. */
char *paper_chart(const struct reproduction *, long figure, bool others, const char *id, bool alone, char why[ERRLEN]);
/* Adds a figure to the page: heading, charts, table, and the printed values. */
void paper_figure_put(const struct reproduction *, long figure, struct page *);
#endif
