/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn columns: one from each stratum of the row's window, hence sorted and distinct. Costs O(1) per column. */
#ifndef SPMVCAST_RECIPES_KINDS_STRATA_H
#define SPMVCAST_RECIPES_KINDS_STRATA_H
#include "recipes/draws.h"

/* Returns the width of a row's window in columns, which limits its entries. RECIPE_WINDOW_OWN: twice the row's length,
 * at least 2p. */
SPMV_HD static inline int64_t recipe_window(const struct recipe *r, int64_t length)
{
    int64_t own = 2 * (length > r->p ? length : r->p);
    if (r->window == 0)
        return r->cols;
    if (r->window > 0)
        return r->window;
    return own < r->cols ? own : r->cols;
}

/* Returns the first column of row i's window, which is centred at i cols / rows and shifted into the matrix. */
SPMV_HD static inline int64_t recipe_window_first(const struct recipe *r, int64_t i, int64_t window)
{
    if (r->window == 0)
        return 0;
    /* the division would dominate the cost of a short row */
    int64_t centre = r->cols == r->rows ? i : i * r->cols / r->rows;
    return recipe_clamp(centre - window / 2, 0, r->cols - window);
}

/* Returns the width of a stratum in 2^-32 columns. length <= window, so every stratum has at least one column. */
SPMV_HD static inline uint64_t recipe_step(int64_t window, int64_t length)
{
    return ((uint64_t)window << 32) / (uint64_t)length;
}

/* Returns the column that draw u selects in stratum k of the window at `first`. */
SPMV_HD static inline int64_t recipe_stratum(int64_t first, uint64_t step, int64_t k, uint32_t u)
{
    int64_t low = (int64_t)(((uint64_t)k * step) >> 32), high = (int64_t)(((uint64_t)(k + 1) * step) >> 32);
    return first + low + recipe_scale(u, high - low);
}

SPMV_HD static inline int64_t recipe_strata_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    philox4x32_ctr_t u = recipe_draw(r, i, k / 4, DRAW_COLUMNS);
    int64_t window = recipe_window(r, length);
    return recipe_stratum(recipe_window_first(r, i, window), recipe_step(window, length), k, u.v[k % 4]);
}
#endif
