/* SPDX-License-Identifier: BSD-3-Clause */
/* uniform: row lengths drawn uniformly from p - spread .. p + spread, with `spread` in 1/256ths. */
#ifndef SPMVCAST_RECIPES_KINDS_UNIFORM_H
#define SPMVCAST_RECIPES_KINDS_UNIFORM_H
#include "recipes/kinds/strata.h"

/* Returns p + off / 256, rounded and clamped to the lengths that a row can have. */
SPMV_HD static inline int64_t recipe_near_mean(const struct recipe *r, int64_t off)
{
    int64_t wanted = 256 * r->p + off + 128;
    return recipe_clamp(wanted < 0 ? 0 : wanted / 256, 0, recipe_window(r, r->p));
}

SPMV_HD static inline int64_t recipe_uniform_length(const struct recipe *r, int64_t i)
{
    philox4x32_ctr_t a = recipe_draw(r, i, 0, DRAW_LENGTH);
    return recipe_near_mean(r, recipe_scale(a.v[0], 2 * r->spread + 1) - r->spread);
}

SPMV_HD static inline int64_t recipe_uniform_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
