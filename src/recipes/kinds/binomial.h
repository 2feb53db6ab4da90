/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial: row lengths binomial, of `cols` trials with probability p / cols: as if every entry of the matrix were drawn
 * by itself (Matlab's sprand). The trials of a row are split into m groups of n or n + 1 trials, the first `count` of
 * which have one more. Each group takes 64 random bits, and its successes are the number of entries of a table of
 * cumulative probabilities, in 2^-64, that the bits reach: level[k].end for n trials, level[k].length for n + 1.
 * points = 1: the table counts failures, so the length is cols less their sum. */
#ifndef SPMVCAST_RECIPES_KINDS_BINOMIAL_H
#define SPMVCAST_RECIPES_KINDS_BINOMIAL_H
#include "recipes/kinds/strata.h"

/* Returns the number of levels that are at most u. They ascend, and the last is 2^64 - 1, which an even u never reaches. */
SPMV_HD static inline int64_t recipe_binomial_group(const struct recipe *r, int more, uint64_t u)
{
    int at = 0;
    for (int step = RECIPE_LEVELS / 2; step > 0; step /= 2)
        if ((uint64_t)(more ? r->level[at + step - 1].length : r->level[at + step - 1].end) <= u)
            at += step;
    return at;
}

SPMV_HD static inline int64_t recipe_binomial_length(const struct recipe *r, int64_t i)
{
    int64_t sum = 0;
    for (int64_t g = 0; g < r->m; g += 2) {
        const philox4x32_ctr_t u = recipe_draw(r, i, g / 2, DRAW_LENGTH);
        for (int w = 0; w < 2 && g + w < r->m; w++)
            sum += recipe_binomial_group(r, g + w < r->count, (uint64_t)u.v[2 * w] << 32 | (u.v[2 * w + 1] & ~1u));
    }
    return recipe_clamp(r->points ? r->cols - sum : sum, 0, r->max);
}

SPMV_HD static inline int64_t recipe_binomial_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
