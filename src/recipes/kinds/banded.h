/* SPDX-License-Identifier: BSD-3-Clause */
/* banded: the main diagonal and n full diagonals on either side of it. */
#ifndef SPMVCAST_RECIPES_KINDS_BANDED_H
#define SPMVCAST_RECIPES_KINDS_BANDED_H
#include "recipes/draws.h"

SPMV_HD static inline int64_t recipe_banded_length(const struct recipe *r, int64_t i)
{
    return recipe_clamp(i + r->n, 0, r->cols - 1) - recipe_clamp(i - r->n, 0, r->cols - 1) + 1;
}

SPMV_HD static inline int64_t recipe_banded_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    (void)length;
    return recipe_clamp(i - r->n, 0, r->cols - 1) + k;
}
#endif
