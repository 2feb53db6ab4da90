/* SPDX-License-Identifier: BSD-3-Clause */
/* Row lengths from a table of levels, looked up by the rank of a row: kinds like and blocks. */
#ifndef SPMVCAST_RECIPES_KINDS_LENGTHS_H
#define SPMVCAST_RECIPES_KINDS_LENGTHS_H
#include "recipes/draws.h"

/* Sets level and p of a recipe such that the lengths of all ranks have the sum `count`, the maximum `max` and, as nearly as whole
 * rows allow, the standard deviation spread / 256; where they are given, also the minimum `min`, and K of HYB's rule with `tail`
 * entries beyond place K of their rows. cols is set. FAIL: impossible; `why` names the keys. */
int recipe_lengths_fit(struct recipe *, char why[ERRLEN]);
/* Puts the levels in ascending order of their lengths. */
void recipe_lengths_sort(struct recipe *);

/* Returns the length of the row of this rank, 0 <= rank < rows. */
SPMV_HD static inline int64_t recipe_rank_length(const struct recipe *r, int64_t rank)
{
    int at = 0; /* the first level that ends beyond rank */
    for (int step = RECIPE_LEVELS / 2; step > 0; step /= 2)
        if (r->level[at + step - 1].end <= rank)
            at += step;
    return r->level[at].length;
}
#endif
