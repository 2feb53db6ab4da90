/* SPDX-License-Identifier: BSD-3-Clause */
/* halves: two unlike matrices in one, for which a split into blocks should pay off (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

static int finish(struct recipe *r, char why[ERRLEN])
{
    int64_t longer = recipe_max(r->p, r->q);
    if (r->rows < 2)
        return fail(why, "rows=%" PRId64 " is too small; halves requires 2 or more", r->rows);
    if (r->cols == 0)
        r->cols = recipe_min(recipe_max(r->rows, 2 * longer), RECIPE_LIMIT);
    if (longer > r->cols)
        return fail(why, "%s=%" PRId64 " exceeds cols=%" PRId64 "; increase cols", r->p == longer ? "p" : "q", longer,
                    r->cols);
    return 0;
}

static int64_t nnz(const struct recipe *r) { return r->rows / 2 * r->p + (r->rows - r->rows / 2) * r->q; }
static int64_t longest(const struct recipe *r) { return recipe_max(r->p, r->q); }

/* With place=band the halves touch separate columns. */
static double touched(const struct recipe *r, const struct features *f, int64_t width)
{
    struct recipe_strata half[2] = { { r->rows / 2, r->p }, { r->rows - r->rows / 2, r->q } };
    (void)f;
    if (r->window == RECIPE_WINDOW_ALL)
        return recipe_touched(r, half, 2, r->cols, width);
    return recipe_touched(r, half, 1, r->cols / 2, width)
           + recipe_touched(r, half + 1, 1, r->cols - r->cols / 2, width);
}

const struct recipe_kind_facts recipe_kind_halves = {
    .about = { "halves",
               "unlike halves: rows of the first half have p entries, the others q",
               "halves:rows=200000,p=4,q=200",
               { PARAM_ROWS,
                 { "cols", "columns", COUNT_LEGAL, "max(rows, 2p, 2q)" },
                 { "p", "entries per row of the first half", COUNT_LEGAL, NULL },
                 { "q", "entries per row of the second half", COUNT_LEGAL, NULL },
                 PARAM_PLACE_OWN,
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .row = recipe_strata_row,
    .touched = touched,
};
