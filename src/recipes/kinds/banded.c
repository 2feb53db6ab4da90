/* SPDX-License-Identifier: BSD-3-Clause */
/* banded (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

static int finish(struct recipe *r, char why[ERRLEN])
{
    r->cols = r->rows;
    return r->n < r->rows ? 0 : fail(why, "bandwidth=%" PRId64 " exceeds rows-1 = %" PRId64, r->n, r->rows - 1);
}

static int64_t nnz(const struct recipe *r) { return r->rows * (2 * r->n + 1) - r->n * (r->n + 1); }
static int64_t longest(const struct recipe *r) { return 2 * r->n + 1; }

const struct recipe_kind_facts recipe_kind_banded = {
    .about = { "banded",
               "square: the main diagonal and `bandwidth` diagonals on either side of it are full",
               "banded:rows=10000,bandwidth=8",
               { PARAM_ROWS,
                 { "bandwidth", "diagonals on either side of the main one", "0..rows-1", NULL },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .windowed = true,
};
