/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for training matrices: recipes of all kinds with parameters drawn from the ranges that matrices of practice span. */
#ifndef SPMVCAST_GEN_CANDIDATES_H
#define SPMVCAST_GEN_CANDIDATES_H
#include <stdbool.h>
#include "recipes/recipe.h"

enum { CANDIDATE_NNZ_LEAST = 1000, CANDIDATE_NNZ_MOST = 30000000, CANDIDATE_COLS = 30000000, CANDIDATE_ROW = 100000 };

/* Candidate `number` of a sequence that is the same everywhere, of about CANDIDATE_NNZ_LEAST to nnz_most nonzeros, uniform in
 * their logarithm, of shape 0 .. candidate_shapes() - 1. false: what was drawn is no recipe, has more columns than CANDIDATE_COLS,
 * or a number of nonzeros outside. */
bool candidate_draw(int64_t number, int64_t nnz_most, struct recipe *, int *shape);
int candidate_shapes(void);
#endif
