/* SPDX-License-Identifier: BSD-3-Clause */
/* constant: every row has p entries. */
#ifndef SPMVCAST_RECIPES_KINDS_CONSTANT_H
#define SPMVCAST_RECIPES_KINDS_CONSTANT_H
#include "recipes/kinds/strata.h"

SPMV_HD static inline int64_t recipe_constant_length(const struct recipe *r, int64_t i)
{
    (void)i;
    return r->p;
}

SPMV_HD static inline int64_t recipe_constant_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
