/* SPDX-License-Identifier: BSD-3-Clause */
/* like: row lengths from a table of levels, looked up by the rank of the row in a random order of all rows. */
#ifndef SPMVCAST_RECIPES_KINDS_LIKE_H
#define SPMVCAST_RECIPES_KINDS_LIKE_H
#include "recipes/kinds/lengths.h"
#include "recipes/kinds/strata.h"
#include "recipes/shuffle.h"

SPMV_HD static inline int64_t recipe_like_length(const struct recipe *r, int64_t i)
{
    return recipe_rank_length(r, recipe_shuffle(r, r->rows, i));
}

SPMV_HD static inline int64_t recipe_like_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
