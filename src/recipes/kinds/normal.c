/* SPDX-License-Identifier: BSD-3-Clause */
/* normal: row lengths drawn from a normal distribution (kind.h). */
#include "recipes/kind.h"

static int64_t longest(const struct recipe *r) { return r->p + 6 * ((r->spread + 255) / 256) + 1; }

const struct recipe_kind_facts recipe_kind_normal = {
    .about = { "normal",
               "row lengths drawn from a normal distribution, at least 0",
               "normal:rows=8448,p=16,sd=4",
               { PARAM_ROWS,
                 PARAM_COLS,
                 PARAM_MEAN,
                 { "sd", "standard deviation of the row lengths", "0..p, in steps of 1/256", "p/2" },
                 PARAM_PLACE,
                 PARAM_SEED } },
    .finish = recipe_finish_drawn,
    .longest = longest,
    .row = recipe_strata_row,
    .windowed = true,
};
