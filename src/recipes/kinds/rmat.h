/* SPDX-License-Identifier: BSD-3-Clause */
/* rmat: the row lengths and column choices of a Kronecker graph, row by row. A row's share of all entries is the
 * product over the bits of its number, a + b for each 0 and c + d for each 1, times a draw from 1/2 .. 3/2. Its entries
 * are distributed over a binary tree of the columns. At each fork a fraction a / (a + b), or c / (c + d) if the row's
 * bit is 1, goes left, rounded by a draw of that fork, and no side gets more entries than it has columns. Columns are
 * therefore distinct, and distributed as in R-MAT's edge list. O(scale) per entry. */
#ifndef SPMVCAST_RECIPES_KINDS_RMAT_H
#define SPMVCAST_RECIPES_KINDS_RMAT_H
#include "recipes/draws.h"

enum { RMAT_POINT = 20 }; /* fraction bits of a mean row length */

SPMV_HD static inline int recipe_ones(uint32_t v)
{
    int n = 0;
    for (; v != 0; v &= v - 1)
        n++;
    return n;
}

SPMV_HD static inline int64_t recipe_rmat_length(const struct recipe *r, int64_t i)
{
    const philox4x32_ctr_t u = recipe_draw(r, i, 0, DRAW_LENGTH);
    const int64_t one = (int64_t)1 << RMAT_POINT, mean = r->level[recipe_ones((uint32_t)i)].length;
    const int64_t factor = one / 2 + (u.v[0] >> (32 - RMAT_POINT));
    const int64_t length = (mean >> RMAT_POINT) * factor + (((mean & (one - 1)) * factor) >> RMAT_POINT);
    return recipe_clamp((length + (u.v[1] >> (32 - RMAT_POINT))) >> RMAT_POINT, 0, r->cols);
}

/* Returns the key of the draws at the forks of row i. */
SPMV_HD static inline uint64_t recipe_rmat_key(const struct recipe *r, int64_t i)
{
    const philox4x32_ctr_t u = recipe_draw(r, i, 0, DRAW_COLUMNS);
    return (uint64_t)u.v[0] << 32 | u.v[1];
}

/* Returns how many of the `length` entries below fork `node` go left. The root is 1, the children of `node` are 2 node
 * and 2 node + 1; each side has `half` columns. */
SPMV_HD static inline int64_t recipe_rmat_left(const struct recipe *r, int64_t i, uint64_t key, uint64_t node,
                                               int64_t half, int64_t length)
{
    uint64_t h = key + node * 0x9E3779B97F4A7C15u; /* splitmix64's finaliser */
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    const int64_t left = (int64_t)(((uint64_t)length * r->odds[(i & half) != 0] + (h >> 32)) >> 32);
    return recipe_clamp(left, length > half ? length - half : 0, length < half ? length : half);
}

SPMV_HD static inline int64_t recipe_rmat_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    const uint64_t key = recipe_rmat_key(r, i);
    int64_t first = 0, half = r->cols / 2;
    for (uint64_t node = 1; length < 2 * half; half /= 2) { /* once full, entry k is column first + k */
        const int64_t left = recipe_rmat_left(r, i, key, node, half, length);
        const int right = k >= left;
        if (right)
            k -= left;
        length = right ? length - left : left;
        first += right ? half : 0;
        node = 2 * node + (uint64_t)right;
    }
    return first + k;
}
#endif
