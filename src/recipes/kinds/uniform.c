/* SPDX-License-Identifier: BSD-3-Clause */
/* uniform: row lengths drawn from a uniform distribution (kind.h). */
#include "recipes/kind.h"

static int64_t longest(const struct recipe *r) { return r->p + (r->spread + 255) / 256 + 1; }

const struct recipe_kind_facts recipe_kind_uniform = {
    .about = { "uniform",
               "row lengths drawn uniformly from p - half .. p + half",
               "uniform:rows=8448,p=16,half=8",
               { PARAM_ROWS,
                 PARAM_COLS,
                 PARAM_MEAN,
                 { "half", "half-width of the range of row lengths", "0..p, in steps of 1/256", "p/2" },
                 PARAM_PLACE,
                 PARAM_SEED } },
    .finish = recipe_finish_drawn,
    .longest = longest,
    .row = recipe_strata_row,
    .windowed = true,
};
