/* SPDX-License-Identifier: BSD-3-Clause */
/* fem: nodes of an n^3 grid, each coupled with itself and its up to 26 neighbours by dense blocks of d x d unknowns. Shuffled: node a of
 * the matrix is grid point unshuffle(a), and the unknowns of a node stay together. */
#ifndef SPMVCAST_RECIPES_KINDS_FEM_H
#define SPMVCAST_RECIPES_KINDS_FEM_H
#include "recipes/kinds/stencil.h"
#include "recipes/shuffle.h"

/* Returns the grid point of row i. */
SPMV_HD static inline int64_t recipe_fem_point(const struct recipe *r, int64_t i)
{
    return r->shuffled ? recipe_unshuffle(r, r->n * r->n * r->n, i / r->d) : i / r->d;
}

SPMV_HD static inline int64_t recipe_fem_length(const struct recipe *r, int64_t i)
{
    return r->d * recipe_cube_count(r->n, recipe_fem_point(r, i));
}

/* Sets the nodes coupled with the one at `point`, ascending; returns their number. */
SPMV_HD static inline int recipe_fem_nodes(const struct recipe *r, int64_t point, int32_t node[27])
{
    const int64_t count = recipe_cube_count(r->n, point);
    for (int64_t c = 0; c < count; c++) {
        const int32_t at = (int32_t)recipe_shuffle(r, r->n * r->n * r->n, recipe_cube_point(r->n, point, c));
        int64_t k = c;
        for (; k > 0 && node[k - 1] > at; k--)
            node[k] = node[k - 1];
        node[k] = at;
    }
    return (int)count;
}

SPMV_HD static inline int64_t recipe_fem_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    int32_t node[27];
    (void)length;
    if (!r->shuffled)
        return recipe_cube_point(r->n, i / r->d, k / r->d) * r->d + k % r->d;
    recipe_fem_nodes(r, recipe_fem_point(r, i), node);
    return (int64_t)node[k / r->d] * r->d + k % r->d;
}
#endif
