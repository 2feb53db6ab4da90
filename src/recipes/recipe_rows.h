/* SPDX-License-Identifier: BSD-3-Clause */
/* Any row of a recipe by itself: length, columns (ascending, distinct) and values, by integer arithmetic and a
 * counter-based generator, so that host and device produce the same bits. Included by C and CUDA. */
#ifndef SPMVCAST_RECIPES_RECIPE_ROWS_H
#define SPMVCAST_RECIPES_RECIPE_ROWS_H
#include "recipes/kinds/all_rows.h"
#include "recipes/recipe.h"

/* Returns the number of entries in row i. */
SPMV_HD static inline int64_t recipe_row_length(const struct recipe *r, int64_t i)
{
    switch (r->kind) {
#define RECIPE_KIND(NAME, name) \
    case RECIPE_##NAME:         \
        return recipe_##name##_length(r, i);
#include "recipes/kinds.def"
#undef RECIPE_KIND
    }
    return 0;
}

/* Returns the column of entry k, 0 <= k < length = recipe_row_length(r, i). */
SPMV_HD static inline int64_t recipe_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    switch (r->kind) {
#define RECIPE_KIND(NAME, name) \
    case RECIPE_##NAME:         \
        return recipe_##name##_column(r, i, k, length);
#include "recipes/kinds.def"
#undef RECIPE_KIND
    }
    return 0;
}

/* Returns a_ij: an odd multiple of 2^-24 in (-1, 1), exact in f32, never 0 except on the diagonal of the empty block of kkt.
 * Symmetric kinds have a_ij = a_ji. */
SPMV_HD static inline double recipe_value(const struct recipe *r, int64_t i, int64_t j)
{
    int swap = r->symmetric && i > j;
    philox2x32_ctr_t counter = { { (uint32_t)(swap ? j : i), (uint32_t)(swap ? i : j) } };
    philox2x32_key_t key = { { (uint32_t)r->seed ^ (uint32_t)(r->seed >> 32) * 0x9E3779B9u ^ DRAW_VALUE } };
    philox2x32_ctr_t u = philox2x32_R(10, counter, key);
    double size = (double)(int32_t)((u.v[0] >> 8) | 1) * (1.0 / 16777216.0);
    return i == j && i >= r->zero_from ? 0 : (u.v[1] & 1) != 0 ? -size : size;
}
#endif
