/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->points != 5 && r->points != 7 && r->points != 27)
        return fail(why, "points is %" PRId64 ", expected 5|7|27", r->points);
    int64_t side = r->points == 5 ? 46340 : 1290;
    if (r->n > side)
        return fail(why, "n=%" PRId64 " with points=%" PRId64 " exceeds %d rows; use n <= %" PRId64, r->n, r->points,
                    RECIPE_LIMIT, side);
    r->rows = r->cols = r->n * r->n * (r->points == 5 ? 1 : r->n);
    r->symmetric = 1;
    return 0;
}

static int64_t nnz(const struct recipe *r)
{
    int64_t n = r->n;
    return r->points == 5   ? 5 * n * n - 4 * n
           : r->points == 7 ? 7 * n * n * n - 6 * n * n
                            : (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
}

static int64_t longest(const struct recipe *r) { return r->points; }

const struct recipe_kind_facts recipe_kind_stencil = {
    .about = { "stencil",
               "square and symmetric: grid points and their neighbours inside the grid",
               "stencil:points=5,n=300",
               { { "points", "neighbours, the point itself included: 5 in two dimensions; 7 or 27 in three", "5|7|27",
                   NULL },
                 { "n", "points of the grid per side", "1..46340 (points=5), else 1..1290", NULL },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .windowed = true,
};
