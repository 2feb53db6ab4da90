/* SPDX-License-Identifier: BSD-3-Clause */
/* Any row of a recipe alone: its length, its columns (ascending, distinct) and its values, in integer arithmetic and from a
 * counter-based generator, so that host and device make the same bits. Included by C and by CUDA. */
#ifndef SPMVCAST_RECIPE_ROWS_H
#define SPMVCAST_RECIPE_ROWS_H
#include <Random123/philox.h>
#include "recipes/recipe.h"

enum { DRAW_LENGTH = 1, DRAW_COLUMNS = 2, DRAW_VALUE = 3 };     /* what a draw is for: no two streams share a counter */

/* Four draws of 32 bits: number `block` of row i's stream. */
SPMV_HD static inline philox4x32_ctr_t recipe_draw(const struct recipe *r, int64_t i, int64_t block, uint32_t stream)
{
    philox4x32_ctr_t counter = { { (uint32_t)i, (uint32_t)block, stream, 0 } };
    philox4x32_key_t key = { { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) } };
    return philox4x32_R(10, counter, key);
}

/* u / 2^32 of n. */
SPMV_HD static inline int64_t recipe_scale(uint32_t u, int64_t n) { return (int64_t)(((uint64_t)u * (uint64_t)n) >> 32); }

SPMV_HD static inline int64_t recipe_clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

/* Points of a grid of n a side along one axis that a neighbourhood of +-1 around `at` holds: first, and how many. */
SPMV_HD static inline int64_t recipe_axis_first(int64_t at) { return at > 0 ? at - 1 : 0; }
SPMV_HD static inline int64_t recipe_axis_count(int64_t at, int64_t n) { return (at + 1 < n ? at + 1 : at) - recipe_axis_first(at) + 1; }

/* Where row i's k-th candidate neighbour lies (k = 0 .. 2 axes, ascending), or -1 where it is outside of the grid. */
SPMV_HD static inline int64_t recipe_cross(const struct recipe *r, int64_t i, int64_t k)
{
    int64_t axes = r->points / 2, back = k < axes, step = 1;        /* order: -n^2, -n, -1, 0, 1, n, n^2 */
    if (k == axes) return i;
    for (int64_t a = back ? axes - 1 - k : k - axes - 1; a > 0; a--) step *= r->n;
    int64_t at = i / step % r->n;
    if (back) return at > 0 ? i - step : -1;
    return at + 1 < r->n ? i + step : -1;
}

SPMV_HD static inline int64_t recipe_stencil_length(const struct recipe *r, int64_t i)
{
    int64_t n = r->n, count = 0;
    if (r->points == 27) return recipe_axis_count(i % n, n) * recipe_axis_count(i / n % n, n) * recipe_axis_count(i / n / n, n);
    for (int64_t k = 0; k < r->points; k++) count += recipe_cross(r, i, k) >= 0;
    return count;
}

SPMV_HD static inline int64_t recipe_stencil_column(const struct recipe *r, int64_t i, int64_t k)
{
    int64_t n = r->n;
    if (r->points == 27) {
        int64_t x = i % n, y = i / n % n, z = i / n / n, nx = recipe_axis_count(x, n), ny = recipe_axis_count(y, n);
        return ((recipe_axis_first(z) + k / (nx * ny)) * n + recipe_axis_first(y) + k / nx % ny) * n + recipe_axis_first(x) + k % nx;
    }
    for (int64_t c = 0;; c++) {
        int64_t j = recipe_cross(r, i, c);
        if (j >= 0 && k-- == 0) return j;
    }
}

/* The most entries a row may have: columns it may spread over. */
SPMV_HD static inline int64_t recipe_window(const struct recipe *r) { return r->window > 0 ? r->window : r->cols; }

/* Mean p; `spread` is the half-width or the standard deviation in 1/256ths. Normal: twelve draws of 16 bits have a sum of mean
 * 12 x 32767.5 and standard deviation 65536. */
SPMV_HD static inline int64_t recipe_drawn_length(const struct recipe *r, int64_t i)
{
    int64_t off, sum = 0;
    philox4x32_ctr_t a = recipe_draw(r, i, 0, DRAW_LENGTH);
    if (r->kind == RECIPE_UNIFORM) {
        off = recipe_scale(a.v[0], 2 * r->spread + 1) - r->spread;
    } else {
        philox4x32_ctr_t b = recipe_draw(r, i, 1, DRAW_LENGTH);
        for (int w = 0; w < 4; w++) sum += (a.v[w] & 0xFFFF) + (a.v[w] >> 16);
        for (int w = 0; w < 2; w++) sum += (b.v[w] & 0xFFFF) + (b.v[w] >> 16);
        off = r->spread * (sum - 393210);
        off = (off >= 0 ? off : off - 65535) / 65536;
    }
    int64_t wanted = 256 * r->p + off + 128;
    return recipe_clamp(wanted < 0 ? 0 : wanted / 256, 0, recipe_window(r));
}

/* Entries in row i. */
SPMV_HD static inline int64_t recipe_row_length(const struct recipe *r, int64_t i)
{
    if (r->kind == RECIPE_CONSTANT) return r->p;
    if (r->kind == RECIPE_DENSE) return r->cols;
    if (r->kind == RECIPE_BANDED) return recipe_clamp(i + r->n, 0, r->cols - 1) - recipe_clamp(i - r->n, 0, r->cols - 1) + 1;
    if (r->kind == RECIPE_STENCIL) return recipe_stencil_length(r, i);
    return recipe_drawn_length(r, i);
}

/* First column of row i's window: `window` columns centred at i cols / rows, pushed inside. */
SPMV_HD static inline int64_t recipe_window_first(const struct recipe *r, int64_t i)
{
    if (r->window == 0) return 0;
    int64_t centre = r->cols == r->rows ? i : i * r->cols / r->rows;        /* a division is most of a short row's cost */
    return recipe_clamp(centre - r->window / 2, 0, r->cols - r->window);
}

/* Width of a stratum in 2^-32 columns. length <= window, so every stratum holds at least one column. */
SPMV_HD static inline uint64_t recipe_step(const struct recipe *r, int64_t length) { return ((uint64_t)recipe_window(r) << 32) / (uint64_t)length; }

/* Draw u's column in stratum k of a window that begins at `first`. */
SPMV_HD static inline int64_t recipe_stratum(int64_t first, uint64_t step, int64_t k, uint32_t u)
{
    int64_t low = (int64_t)(((uint64_t)k * step) >> 32), high = (int64_t)(((uint64_t)(k + 1) * step) >> 32);
    return first + low + recipe_scale(u, high - low);
}

/* Column of entry k, 0 <= k < length = recipe_row_length(r, i). */
SPMV_HD static inline int64_t recipe_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    if (r->kind == RECIPE_DENSE) return k;
    if (r->kind == RECIPE_BANDED) return recipe_clamp(i - r->n, 0, r->cols - 1) + k;
    if (r->kind == RECIPE_STENCIL) return recipe_stencil_column(r, i, k);
    philox4x32_ctr_t u = recipe_draw(r, i, k / 4, DRAW_COLUMNS);
    return recipe_stratum(recipe_window_first(r, i), recipe_step(r, length), k, u.v[k % 4]);
}

/* a_ij: an odd multiple of 2^-24 in (-1, 1), never 0, exact in f32. Stencils are symmetric. */
SPMV_HD static inline double recipe_value(const struct recipe *r, int64_t i, int64_t j)
{
    int swap = r->kind == RECIPE_STENCIL && i > j;
    philox2x32_ctr_t counter = { { (uint32_t)(swap ? j : i), (uint32_t)(swap ? i : j) } };
    philox2x32_key_t key = { { (uint32_t)r->seed ^ (uint32_t)(r->seed >> 32) * 0x9E3779B9u ^ DRAW_VALUE } };
    philox2x32_ctr_t u = philox2x32_R(10, counter, key);
    double size = (double)(int32_t)((u.v[0] >> 8) | 1) * (1.0 / 16777216.0);
    return (u.v[1] & 1) != 0 ? -size : size;
}
#endif
