/* SPDX-License-Identifier: BSD-3-Clause */
/* dense: all entries are stored. */
#ifndef SPMVCAST_RECIPES_KINDS_DENSE_H
#define SPMVCAST_RECIPES_KINDS_DENSE_H
#include "recipes/draws.h"

SPMV_HD static inline int64_t recipe_dense_length(const struct recipe *r, int64_t i)
{
    (void)i;
    return r->cols;
}

SPMV_HD static inline int64_t recipe_dense_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    (void)r, (void)i, (void)length;
    return k;
}
#endif
