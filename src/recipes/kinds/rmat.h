/* SPDX-License-Identifier: BSD-3-Clause */
/* rmat: the row lengths and the column choices of a Kronecker graph, row by row. Of the bits of a row's number each 0
 * stands for a + b, each 1 for c + d: their product is the row's share of all entries, times a draw of 1/2 .. 3/2. Its
 * entries are dealt out over a tree of the columns: at each fork a part of a / (a + b), or c / (c + d) where the row's
 * bit is 1, goes left, whole entries by a draw that belongs to the fork, no side more than it has columns. So a row's
 * columns are distinct, and an entry of many goes where an edge of a list would go. O(scale) an entry. */
#ifndef SPMVCAST_RECIPES_KINDS_RMAT_H
#define SPMVCAST_RECIPES_KINDS_RMAT_H
#include "recipes/draws.h"

enum { RMAT_POINT = 20 }; /* binary places of a mean row length */

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

/* What the forks of row i draw from. */
SPMV_HD static inline uint64_t recipe_rmat_key(const struct recipe *r, int64_t i)
{
    const philox4x32_ctr_t u = recipe_draw(r, i, 0, DRAW_COLUMNS);
    return (uint64_t)u.v[0] << 32 | u.v[1];
}

/* Of `length` entries below the fork numbered `node` (1 the root, 2 node and 2 node + 1 below) with `half` columns a
 * side. */
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
    for (uint64_t node = 1; length < 2 * half; half /= 2) { /* a full side has all its columns */
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
