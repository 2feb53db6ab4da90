/* SPDX-License-Identifier: BSD-3-Clause */
/* markov: Markov chain of an epidemic; n=513 (m=1025) is the pattern of Williams/mc2depi (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->m == 0)
        r->m = recipe_min(2 * r->n - 1, RECIPE_LIMIT);
    if (r->n > RECIPE_LIMIT / r->m)
        return fail(why, "n m = %" PRId64 " x %" PRId64 " exceeds 2147483647 states; use a smaller n or m", r->n, r->m);
    r->rows = r->cols = r->n * r->m;
    return 0;
}

static int64_t nnz(const struct recipe *r)
{
    return r->rows + (r->n - 1) * r->m + (r->n - 1) * (r->m - 1) + r->n * (r->m - 1);
}

static int64_t longest(const struct recipe *r)
{
    (void)r;
    return 4;
}

const struct recipe_kind_facts recipe_kind_markov = {
    .about = { "markov",
               "square: Markov chain of an epidemic, with states on a 2-D grid and at most three steps from each; nearly 4 entries per row",
               "markov:n=513",
               { { "n", "states along the first axis", COUNT_LEGAL, NULL },
                 { "m", "states along the second axis", COUNT_LEGAL, "2n - 1" },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
};
