/* SPDX-License-Identifier: BSD-3-Clause */
/* What one command writes about a paper: tables, charts and a page. */
#ifndef SPMVCAST_PAPERS_PAPER_PAGE_H
#define SPMVCAST_PAPERS_PAPER_PAGE_H
#include "page/page.h"
#include "papers/reproduction.h"

void reproduction_make(struct reproduction *, const struct study *, const char *collection);
void reproduction_free(struct reproduction *);
/* Returns the number of claims with a verdict (verdict_name). */
long reproduction_count(const struct reproduction *, const char *verdict);

/* Writes claims.tsv, evidence.tsv, matrices.tsv, FIGURE.tsv, FIGURE.printed.tsv, FIGURE.svg and index.html into a directory, which
 * exists. FAIL: why. */
int reproduction_write(const struct reproduction *, const char *directory, char why[ERRLEN]);
/* Adds what carries over to today (paper.tsv) and how many claims have each verdict. */
void reproduction_answer(const struct reproduction *, struct page *);
/* Adds the sections of a paper to a page. */
void reproduction_page(const struct reproduction *, struct page *);
#endif
