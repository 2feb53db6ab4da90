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

/* Values with 53 significant bits, none exact in f32: an odd multiple of 2^-53 in (0, 1), from 64 random bits. */
SPMV_HD static inline double recipe_fraction(uint64_t bits)
{
    return (double)(bits >> 11 | 1 << 24 | 1) * (1.0 / 9007199254740992.0);
}

/* material: one of 200 coefficients c for each 64 rows (in symmetric kinds of the smaller of row and column); 8 c on the diagonal,
 * else -c. */
SPMV_HD static inline double recipe_material(const struct recipe *r, int64_t i, int64_t j)
{
    const philox4x32_ctr_t which = recipe_draw(r, i / 64, 0, DRAW_MATERIAL),
                           u = recipe_draw(r, recipe_scale(which.v[0], 200), 1, DRAW_MATERIAL);
    const double c = recipe_fraction((uint64_t)u.v[0] << 32 | u.v[1]);
    return i == j ? 8 * c : -c;
}

/* random: an odd multiple of 2^-24 in (-1, 1), exact in f32, never 0. */
SPMV_HD static inline double recipe_hashed(const struct recipe *r, int64_t i, int64_t j)
{
    philox2x32_ctr_t counter = { { (uint32_t)i, (uint32_t)j } };
    philox2x32_key_t key = { { (uint32_t)r->seed ^ (uint32_t)(r->seed >> 32) * 0x9E3779B9u ^ DRAW_VALUE } };
    philox2x32_ctr_t u = philox2x32_R(10, counter, key);
    const double sign = (u.v[1] & 1) != 0 ? -1 : 1;
    switch (r->values) {
    case VALUES_SIGN: return sign;
    case VALUES_WEIGHTS: return (double)(1 + recipe_scale(u.v[0], 100));
    case VALUES_FULL: return sign * recipe_fraction((uint64_t)u.v[0] << 32 | u.v[1]);
    }
    return sign * ((double)(int32_t)((u.v[0] >> 8) | 1) * (1.0 / 16777216.0));
}

/* Returns a_ij of a row with `length` entries. Symmetric kinds have a_ij = a_ji, except with values=transition; random and full
 * values are 0 on the diagonal of the empty block of kkt. */
SPMV_HD static inline double recipe_value(const struct recipe *r, int64_t i, int64_t j, int64_t length)
{
    const bool swap = r->symmetric && i > j;
    const int64_t row = swap ? j : i, col = swap ? i : j;
    switch (r->values) {
    case VALUES_ONES: return 1;
    case VALUES_LAPLACIAN: return i == j ? (double)length : -1;
    case VALUES_TRANSITION: return 1 / (double)length;
    case VALUES_MATERIAL: return recipe_material(r, row, col);
    case VALUES_RANDOM:
    case VALUES_FULL:
        if (i == j && i >= r->zero_from)
            return 0;
    }
    return recipe_hashed(r, row, col);
}
#endif
