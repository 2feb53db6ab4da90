/* SPDX-License-Identifier: BSD-3-Clause */
/* like: row lengths with the sum, standard deviation and maximum of another matrix (kind.h). */
#include "recipes/kind.h"

#include "recipes/kinds/lengths.h"
#include "recipes/kinds/like.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->cols == 0)
        r->cols = recipe_min(recipe_max(r->rows, 2 * r->max), RECIPE_LIMIT);
    if (recipe_lengths_fit(r, why) != 0)
        return FAIL;
    recipe_shuffle_open(r, r->rows);
    return 0;
}

static int64_t nnz(const struct recipe *r) { return r->count; }
static int64_t longest(const struct recipe *r) { return r->max; }

const struct recipe_kind_facts recipe_kind_like = {
    .about = { "like",
               "row lengths with the sum, standard deviation and maximum of another matrix, in random order",
               "like:rows=1000005,nnz=3105536,sd=25.35,max=4700",
               { PARAM_ROWS,
                 { "cols", "columns", COUNT_LEGAL, "max(rows, 2max)" },
                 PARAM_LENGTHS,
                 PARAM_PLACE_OWN,
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .row = recipe_strata_row,
    .touched = recipe_touched_lengths,
};
