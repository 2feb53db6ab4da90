/* SPDX-License-Identifier: BSD-3-Clause */
/* dense (kind.h). */
#include "recipes/kind.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    (void)why;
    if (r->cols == 0)
        r->cols = r->rows;
    return 0;
}

static int64_t nnz(const struct recipe *r) { return r->rows * r->cols; }
static int64_t longest(const struct recipe *r) { return r->cols; }

const struct recipe_kind_facts recipe_kind_dense = {
    .about = { "dense",
               "all entries are stored",
               "dense:rows=2000",
               { PARAM_ROWS, { "cols", "columns", COUNT_LEGAL, "rows" }, PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .constant = true,
    .windowed = true,
};
