/* SPDX-License-Identifier: BSD-3-Clause */
/* lp: wide, with a few long rows among many short ones (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/lp.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->count == 0)
        r->count = recipe_max(r->rows / 64, 1);
    if (r->q == 0)
        r->q = recipe_min(64 * r->p, RECIPE_LIMIT);
    int64_t longest = recipe_max(2 * r->p - 1, r->q + r->q / 2);
    if (r->cols == 0)
        r->cols = recipe_min(recipe_max(64 * r->rows, 2 * longest), RECIPE_LIMIT);
    if (r->count > r->rows)
        return fail(why, "long=%" PRId64 " exceeds rows=%" PRId64, r->count, r->rows);
    if (r->q < r->p)
        return fail(why, "q=%" PRId64 " is less than p=%" PRId64 "; long rows would be shorter than the others", r->q,
                    r->p);
    if (longest > r->cols)
        return fail(why, "rows of up to %" PRId64 " entries (2p - 1 or 3q/2) exceed cols=%" PRId64 "; increase cols",
                    longest, r->cols);
    recipe_shuffle_open(r, r->rows);
    return 0;
}

static int64_t longest(const struct recipe *r) { return recipe_max(2 * r->p - 1, r->q + r->q / 2); }

const struct recipe_kind_facts recipe_kind_lp = {
    .about = { "lp",
               "wide: constraints of a linear program, with a few long rows at random positions among short ones",
               "lp:rows=4284,cols=1000000,p=500,long=400,q=20000",
               { PARAM_ROWS,
                 { "cols", "columns", COUNT_LEGAL, "max(64 rows, 3q)" },
                 { "p", "mean number of entries per short row (each has 1 .. 2p - 1)", COUNT_LEGAL, NULL },
                 { "long", "number of long rows", "1..rows", "max(rows/64, 1)" },
                 { "q", "mean number of entries per long row (each has q/2 .. 3q/2)", "p..2147483647", "64p" },
                 { "place", PARAM_PLACE_OWN_ABOUT, "band|random", "random" },
                 PARAM_SEED } },
    .finish = finish,
    .longest = longest,
    .row = recipe_strata_row,
    .touched = recipe_touched_lengths,
};
