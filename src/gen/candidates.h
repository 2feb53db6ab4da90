/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for training matrices: recipes of all kinds with parameters drawn from the ranges of real matrices. */
#ifndef SPMVCAST_GEN_CANDIDATES_H
#define SPMVCAST_GEN_CANDIDATES_H
#include <stdbool.h>
#include "recipes/recipe.h"

enum { CANDIDATE_NNZ_MIN = 1000, CANDIDATE_NNZ_MAX = 30000000, CANDIDATE_COLS = 30000000, CANDIDATE_ROW = 100000 };

/* Draws candidate `number` of a fixed sequence: about CANDIDATE_NNZ_MIN to nnz_max nonzeros, uniform in the
 * logarithm, of shape 0 .. candidate_shapes() - 1. false: the draw is not a valid recipe, has more than
 * CANDIDATE_COLS columns, or a number of nonzeros outside the range. */
bool candidate_draw(int64_t number, int64_t nnz_max, struct recipe *, int *shape);
int candidate_shapes(void);
#endif
