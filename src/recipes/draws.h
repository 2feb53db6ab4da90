/* SPDX-License-Identifier: BSD-3-Clause */
/* What generates the rows of all kinds: a counter-based generator and integer arithmetic. Included by C and CUDA. */
#ifndef SPMVCAST_RECIPES_DRAWS_H
#define SPMVCAST_RECIPES_DRAWS_H
#include <Random123/philox.h>
#include "recipes/recipe.h"

/* Streams of draws of a row, by purpose. */
enum { DRAW_LENGTH = 1, DRAW_COLUMNS = 2, DRAW_VALUE = 3, DRAW_SHUFFLE = 4, DRAW_MATERIAL = 5 };

/* Returns four 32-bit draws: block number `block` of a stream of row i. */
SPMV_HD static inline philox4x32_ctr_t recipe_draw(const struct recipe *r, int64_t i, int64_t block, uint32_t stream)
{
    philox4x32_ctr_t counter = { { (uint32_t)i, (uint32_t)block, stream, 0 } };
    philox4x32_key_t key = { { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) } };
    return philox4x32_R(10, counter, key);
}

/* Scales a draw: returns floor(u n / 2^32), in 0 .. n-1. */
SPMV_HD static inline int64_t recipe_scale(uint32_t u, int64_t n)
{
    return (int64_t)(((uint64_t)u * (uint64_t)n) >> 32);
}

SPMV_HD static inline int64_t recipe_clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}
#endif
