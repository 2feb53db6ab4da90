/* SPDX-License-Identifier: BSD-3-Clause */
/* halves: rows of the first half have p entries each, the others q. */
#ifndef SPMVCAST_RECIPES_KINDS_HALVES_H
#define SPMVCAST_RECIPES_KINDS_HALVES_H
#include "recipes/kinds/strata.h"

SPMV_HD static inline int64_t recipe_halves_length(const struct recipe *r, int64_t i)
{
    return i < r->rows / 2 ? r->p : r->q;
}
SPMV_HD static inline int64_t recipe_halves_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    return recipe_strata_column(r, i, k, length);
}
#endif
