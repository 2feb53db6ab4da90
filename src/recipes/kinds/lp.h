/* SPDX-License-Identifier: BSD-3-Clause */
/* lp: constraints of a linear program. `count` rows at random positions have about q entries (q/2 .. 3q/2), the others
 * about p (1 .. 2p - 1). */
#ifndef SPMVCAST_RECIPES_KINDS_LP_H
#define SPMVCAST_RECIPES_KINDS_LP_H
#include "recipes/kinds/strata.h"
#include "recipes/shuffle.h"

SPMV_HD static inline int64_t recipe_lp_length(const struct recipe *r, int64_t i)
{
    const uint32_t u = recipe_draw(r, i, 0, DRAW_LENGTH).v[0];
    if (recipe_shuffle(r, r->rows, i) < r->count)
        return r->q - r->q / 2 + recipe_scale(u, r->q / 2 * 2 + 1);
    return 1 + recipe_scale(u, 2 * r->p - 1);
}

SPMV_HD static inline int64_t recipe_lp_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
