/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of unlike parts: the rows of several recipes, one below the other. */
#ifndef SPMVCAST_TESTS_STACK_H
#define SPMVCAST_TESTS_STACK_H
#include <string.h>
#include "recipes/recipe.h"

static inline void add_rows(struct csr *to, const struct csr *from)
{
    struct csr sum;
    char why[ERRLEN];
    const int64_t cols = to->cols > from->cols ? to->cols : from->cols;
    if (csr_alloc(&sum, to->rows + from->rows, cols, to->nnz + from->nnz, why) != 0)
        die("%s", why);
    sum.row_ptr[0] = 0;
    for (int64_t i = 0; i < sum.rows; i++)
        sum.row_ptr[i + 1] = i < to->rows ? to->row_ptr[i + 1] : to->nnz + from->row_ptr[i - to->rows + 1];
    memcpy(sum.col, to->col, (size_t)to->nnz * sizeof *sum.col);
    memcpy(sum.col + to->nnz, from->col, (size_t)from->nnz * sizeof *sum.col);
    for (int64_t k = 0; k < sum.nnz; k++)
        sum.val[k] = 1.0;
    csr_free(to);
    *to = sum;
}

/* Stacks the matrices of a NULL-terminated list of recipes on one another. All values are 1. */
static inline void stack_recipes(const char *const *recipe, struct csr *out)
{
    char why[ERRLEN];
    for (int k = 0; recipe[k]; k++) {
        struct recipe r;
        struct csr m;
        if (recipe_parse(recipe[k], &r, why) != 0 || recipe_csr(&r, &m, why) != 0)
            die("%s", why);
        if (k == 0) {
            *out = m;
        } else {
            add_rows(out, &m);
            csr_free(&m);
        }
    }
}
#endif
