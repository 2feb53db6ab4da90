/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is computed for a paper, which files and page show. */
#ifndef SPMVCAST_PAPERS_REPRODUCTION_H
#define SPMVCAST_PAPERS_REPRODUCTION_H
#include "papers/study.h"

struct reproduction {
    const struct study *study;
    const char *collection;        /* directory of matrix files; "": none */
    struct table *table, *printed; /* [figures.nrows] */
    struct table claims, evidence, matrices;
};
#endif
