/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil: points of a grid of n per side with 5 neighbours (2-D) or 7 or 27 (3-D), the point itself included. */
#ifndef SPMVCAST_RECIPES_KINDS_STENCIL_H
#define SPMVCAST_RECIPES_KINDS_STENCIL_H
#include "recipes/draws.h"

/* Return the first of the coordinates on an axis of n points that differ from `at` by at most 1, and their number. */
SPMV_HD static inline int64_t recipe_axis_first(int64_t at) { return at > 0 ? at - 1 : 0; }
SPMV_HD static inline int64_t recipe_axis_count(int64_t at, int64_t n)
{
    return (at + 1 < n ? at + 1 : at) - recipe_axis_first(at) + 1;
}

/* Return the number of neighbours that point i has inside an n^3 grid (at most 27, itself included), and the k-th of them. */
SPMV_HD static inline int64_t recipe_cube_count(int64_t n, int64_t i)
{
    return recipe_axis_count(i % n, n) * recipe_axis_count(i / n % n, n) * recipe_axis_count(i / n / n, n);
}
SPMV_HD static inline int64_t recipe_cube_point(int64_t n, int64_t i, int64_t k)
{
    int64_t x = i % n, y = i / n % n, z = i / n / n, nx = recipe_axis_count(x, n), ny = recipe_axis_count(y, n);
    return ((recipe_axis_first(z) + k / (nx * ny)) * n + recipe_axis_first(y) + k / nx % ny) * n + recipe_axis_first(x)
           + k % nx;
}

/* Returns the k-th neighbour of point i along the axes (k = 0 .. 2 axes, ascending), or -1 if outside the grid. */
SPMV_HD static inline int64_t recipe_cross(const struct recipe *r, int64_t i, int64_t k)
{
    int64_t axes = r->points / 2, back = k < axes, step = 1; /* order: -n^2, -n, -1, 0, 1, n, n^2 */
    if (k == axes)
        return i;
    for (int64_t a = back ? axes - 1 - k : k - axes - 1; a > 0; a--)
        step *= r->n;
    int64_t at = i / step % r->n;
    if (back)
        return at > 0 ? i - step : -1;
    return at + 1 < r->n ? i + step : -1;
}

SPMV_HD static inline int64_t recipe_stencil_length(const struct recipe *r, int64_t i)
{
    int64_t count = 0;
    if (r->points == 27)
        return recipe_cube_count(r->n, i);
    for (int64_t k = 0; k < r->points; k++)
        count += recipe_cross(r, i, k) >= 0;
    return count;
}

SPMV_HD static inline int64_t recipe_stencil_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    (void)length;
    if (r->points == 27)
        return recipe_cube_point(r->n, i, k);
    for (int64_t c = 0;; c++) {
        int64_t j = recipe_cross(r, i, c);
        if (j >= 0 && k-- == 0)
            return j;
    }
}
#endif
