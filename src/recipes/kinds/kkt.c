/* SPDX-License-Identifier: BSD-3-Clause */
/* kkt: saddle points; n=80 is the pattern of Schenk/nlpkkt80 (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/kkt.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->points != 1 && r->points != 7 && r->points != 27)
        return fail(why, "h is %" PRId64 ", expected 1|7|27", r->points);
    if (r->n > 1023)
        return fail(why, "n=%" PRId64 " exceeds %d rows; use n <= 1023", r->n, RECIPE_LIMIT);
    r->zero_from = recipe_kkt_variables(r);
    r->rows = r->cols = r->zero_from + r->n * r->n * r->n;
    r->symmetric = 1;
    return 0;
}

static int64_t longest(const struct recipe *r) { return 27 + (r->points == 1 ? 1 : r->points); }

const struct recipe_kind_facts recipe_kind_kkt = {
    .about = { "kkt",
               "square and symmetric: saddle point [H A^T; A 0] of a boundary control problem in three dimensions; A has 27 points, and zeros are stored on the diagonal of the empty block",
               "kkt:n=80",
               { { "n", "constraints per side (rows: 2 n^3 + 6 n^2)", "1..1023", NULL },
                 { "h", "points per row of H: 1 (a diagonal), or a stencil of 7 or 27", "1|7|27", "1" },
                 PARAM_SEED } },
    .finish = finish,
    .longest = longest,
};
