/* SPDX-License-Identifier: BSD-3-Clause */
/* fem: three-dimensional finite elements, numbered along a grid or as an unstructured mesh (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/fem.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    int64_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) * r->d <= RECIPE_LIMIT)
        side++;
    if (r->n > side)
        return fail(why, "n=%" PRId64 " with d=%" PRId64 " exceeds %d rows; use n <= %" PRId64, r->n, r->d,
                    RECIPE_LIMIT, side);
    r->rows = r->cols = r->n * r->n * r->n * r->d;
    r->symmetric = 1;
    if (r->shuffled)
        recipe_shuffle_open(r, r->n * r->n * r->n);
    return 0;
}

static int64_t nnz(const struct recipe *r) { return (3 * r->n - 2) * (3 * r->n - 2) * (3 * r->n - 2) * r->d * r->d; }
static int64_t longest(const struct recipe *r) { return 27 * r->d; }

static void row(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    int32_t node[27];
    if (r->shuffled)
        recipe_fem_nodes(r, recipe_fem_point(r, i), node);
    for (int64_t block = 0; block * r->d < length; block++) {
        int64_t first = (r->shuffled ? node[block] : recipe_cube_point(r->n, i / r->d, block)) * r->d;
        for (int64_t c = 0; c < r->d; c++)
            col[block * r->d + c] = (int32_t)(first + c);
    }
}

const struct recipe_kind_facts recipe_kind_fem = {
    .about = { "fem",
               "square and symmetric: finite elements; each node of an n^3 grid has d unknowns and is coupled with up to 27 nodes by dense d x d blocks",
               "fem:n=40,d=3,order=shuffled",
               { { "n", "nodes of the grid per side", "1..1290 (d=1), 1..322 (d=64)", NULL },
                 { "d", "unknowns per node", "1..64", "3" },
                 { "order", "order of the nodes: as in the grid, or random (the unknowns of a node stay together)",
                   "natural|shuffled", "natural" },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .row = row,
};
