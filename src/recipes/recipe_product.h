/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of y = A x directly from a recipe, on the host. Independent of any arrays, so it detects errors in them. */
#ifndef SPMVCAST_RECIPES_RECIPE_PRODUCT_H
#define SPMVCAST_RECIPES_RECIPE_PRODUCT_H
#include <math.h>
#include "base/real.h"
#include "recipes/recipe_rows.h"

/* Computes y = sum_j a_ij x_j and bound = sum_j |a_ij x_j| in double, x_j = csr_x(j), with a_ij rounded to the
 * precision, and the row's length. */
static inline void recipe_row_product(const struct recipe *r, int64_t i, enum precision p, double *y, double *bound,
                                      int32_t *length)
{
    const int64_t n = recipe_row_length(r, i);
    double sum = 0, size = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t j = recipe_column(r, i, k, n);
        const double a = real_rounded(p, recipe_value(r, i, j, n));
        sum += a * csr_x(j);
        size += fabs(a * csr_x(j));
    }
    *y = sum;
    *bound = size;
    *length = (int32_t)n;
}
#endif
