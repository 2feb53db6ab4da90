/* SPDX-License-Identifier: BSD-3-Clause */
/* markov: states (a, b), a = 0 .. n-1 fastest, b = 0 .. m-1; each has entries for itself and, if they exist, for
 * (a+1, b-1), (a-1, b) and (a, b+1). */
#ifndef SPMVCAST_RECIPES_KINDS_MARKOV_H
#define SPMVCAST_RECIPES_KINDS_MARKOV_H
#include "recipes/draws.h"

SPMV_HD static inline int64_t recipe_markov_length(const struct recipe *r, int64_t i)
{
    const int64_t a = i % r->n, b = i / r->n;
    return 1 + (a + 1 < r->n && b > 0) + (a > 0) + (b + 1 < r->m);
}

SPMV_HD static inline int64_t recipe_markov_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    const int64_t a = i % r->n, b = i / r->n;
    (void)length;
    if (a + 1 < r->n && b > 0 && k-- == 0)
        return i + 1 - r->n;
    if (a > 0 && k-- == 0)
        return i - 1;
    return k == 0 ? i : i + r->n;
}
#endif
