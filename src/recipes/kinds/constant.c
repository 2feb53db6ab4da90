/* SPDX-License-Identifier: BSD-3-Clause */
/* constant: the papers' benchmark matrices (kind.h). */
#include "recipes/kind.h"

static int64_t nnz(const struct recipe *r) { return r->rows * r->p; }
static int64_t longest(const struct recipe *r) { return r->p; }

const struct recipe_kind_facts recipe_kind_constant = {
    .about = { "constant",
               "every row has p entries",
               "constant:rows=8448,p=16,place=random",
               { PARAM_ROWS, PARAM_COLS, { "p", "entries per row", COUNT_LEGAL, NULL }, PARAM_PLACE, PARAM_SEED } },
    .finish = recipe_finish_drawn,
    .nnz = nnz,
    .longest = longest,
    .constant = true,
    .row = recipe_strata_row,
    .windowed = true,
};
