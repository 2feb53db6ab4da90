/* SPDX-License-Identifier: BSD-3-Clause */
/* A recipe's matrix on the host, rows in parallel (recipe.h). */
#include "recipes/recipe_csr.h"

#include <inttypes.h>

#include "recipes/recipe_rows.h"

/* As recipe_column for each k, with one draw for four columns. */
void recipe_row_columns(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    if (r->kind >= RECIPE_DENSE) {
        for (int64_t k = 0; k < length; k++) col[k] = (int32_t)recipe_column(r, i, k, length);
        return;
    }
    if (length == 0) return;
    int64_t first = recipe_window_first(r, i);
    uint64_t step = recipe_step(r, length);
    for (int64_t k = 0; k < length; k += 4) {
        philox4x32_ctr_t u = recipe_draw(r, i, k / 4, DRAW_COLUMNS);
        for (int64_t w = 0; w < 4 && k + w < length; w++) col[k + w] = (int32_t)recipe_stratum(first, step, k + w, u.v[w]);
    }
}

int64_t recipe_nnz(const struct recipe *r)
{
    int64_t n = r->n, sum = 0;
    if (r->kind == RECIPE_CONSTANT) return r->rows * r->p;
    if (r->kind == RECIPE_DENSE) return r->rows * r->cols;
    if (r->kind == RECIPE_BANDED) return r->rows * (2 * n + 1) - n * (n + 1);
    if (r->kind == RECIPE_STENCIL)
        return r->points == 5 ? 5 * n * n - 4 * n : r->points == 7 ? 7 * n * n * n - 6 * n * n : (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
#pragma omp parallel for reduction(+ : sum)
    for (int64_t i = 0; i < r->rows; i++) sum += recipe_row_length(r, i);
    return sum;
}

int recipe_csr(const struct recipe *r, struct csr *m, char why[ERRLEN])
{
    int status = csr_alloc(m, r->rows, r->cols, recipe_nnz(r), why);
    if (status != 0) return status;
#pragma omp parallel for
    for (int64_t i = 0; i < r->rows; i++) m->row_ptr[i + 1] = recipe_row_length(r, i);
    m->row_ptr[0] = 0;
    for (int64_t i = 0; i < r->rows; i++) m->row_ptr[i + 1] += m->row_ptr[i];
    if (m->row_ptr[r->rows] != m->nnz) bug("recipe of %" PRId64 " nonzeros made %" PRId64, m->nnz, m->row_ptr[r->rows]);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < r->rows; i++) {
        int64_t at = m->row_ptr[i];
        recipe_row_columns(r, i, m->row_ptr[i + 1] - at, m->col + at);
        for (int64_t k = at; k < m->row_ptr[i + 1]; k++) m->val[k] = recipe_value(r, i, m->col[k]);
    }
    return 0;
}
