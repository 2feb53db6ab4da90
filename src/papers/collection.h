/* SPDX-License-Identifier: BSD-3-Clause */
/* A local mirror of a matrix collection, and what of a paper is still to be measured. */
#ifndef SPMVCAST_PAPERS_COLLECTION_H
#define SPMVCAST_PAPERS_COLLECTION_H
#include "papers/study.h"

/* Fills a table of the paper's matrices: which matrix stands for each, from where, or why none does. directory: the collection; "":
 * none. */
void collection_matrices(const struct study *, const char *directory, struct table *);
/* Adds "GROUP/NAME" for each matrix of the paper whose name in the collection is known, that has no usable file in `directory` ("": none)
 * and that was not measured from its file. */
void collection_absent(const struct study *, const char *directory, struct strlist *files);
/* Fills a table of what the archives lack: a row per sweep (sweeps.tsv) and matrix, with the operand for spmv-run or spmv-plan. */
extern const struct column collection_todo_columns[];
void collection_todo(const struct study *, const char *directory, struct table *);
#endif
