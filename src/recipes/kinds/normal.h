/* SPDX-License-Identifier: BSD-3-Clause */
/* normal: row lengths drawn from a normal distribution of mean p and standard deviation `spread` (in 1/256ths), at least 0. */
#ifndef SPMVCAST_RECIPES_KINDS_NORMAL_H
#define SPMVCAST_RECIPES_KINDS_NORMAL_H
#include "recipes/kinds/uniform.h"

/* The sum of twelve 16-bit draws is nearly normal, with mean 12 x 32767.5 and standard deviation 65536. */
SPMV_HD static inline int64_t recipe_normal_length(const struct recipe *r, int64_t i)
{
    int64_t off, sum = 0;
    philox4x32_ctr_t a = recipe_draw(r, i, 0, DRAW_LENGTH), b = recipe_draw(r, i, 1, DRAW_LENGTH);
    for (int w = 0; w < 4; w++)
        sum += (a.v[w] & 0xFFFF) + (a.v[w] >> 16);
    for (int w = 0; w < 2; w++)
        sum += (b.v[w] & 0xFFFF) + (b.v[w] >> 16);
    off = r->spread * (sum - 393210);
    return recipe_near_mean(r, (off >= 0 ? off : off - 65535) / 65536);
}

SPMV_HD static inline int64_t recipe_normal_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
