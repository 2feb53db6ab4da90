/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands a recipe on the host, rows in parallel (recipe.h). */
#include "recipes/recipe_csr.h"

#include <inttypes.h>

#include "base/memory.h"
#include "recipes/kind.h"
#include "recipes/recipe_rows.h"

void recipe_row_columns(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    const struct recipe_kind_facts *kind = recipe_facts(r->kind);
    if (kind->row) {
        kind->row(r, i, length, col);
        return;
    }
    for (int64_t k = 0; k < length; k++)
        col[k] = (int32_t)recipe_column(r, i, k, length);
}

int64_t recipe_longest(const struct recipe *r) { return recipe_min(recipe_facts(r->kind)->longest(r), r->cols); }

int64_t recipe_nnz(const struct recipe *r)
{
    int64_t sum = 0;
    if (recipe_facts(r->kind)->nnz)
        return recipe_facts(r->kind)->nnz(r);
#pragma omp parallel for reduction(+ : sum)
    for (int64_t i = 0; i < r->rows; i++)
        sum += recipe_row_length(r, i);
    return sum;
}

bool recipe_nnz_within(const struct recipe *r, int64_t most)
{
    int64_t sum = 0;
    if (recipe_facts(r->kind)->nnz)
        return recipe_facts(r->kind)->nnz(r) <= most;
    for (int64_t i = 0; i < r->rows && sum <= most; i++)
        sum += recipe_row_length(r, i);
    return sum <= most;
}

static int check_memory(const struct recipe *r, int64_t nnz, char why[ERRLEN])
{
    char text[RECIPE_LEN];
    recipe_print(r, text);
    return memory_check(8 * (double)r->rows + 12 * (double)nnz, memory_limit(), why,
                        "%s: not enough memory for this matrix", text);
}

int recipe_csr(const struct recipe *r, struct csr *m, char why[ERRLEN])
{
    *m = (struct csr){ 0 };
    int status = check_memory(r, 0, why); /* before rows are counted, which takes long if they are many */
    const int64_t nnz = status ? 0 : recipe_nnz(r);
    if (status == 0)
        status = check_memory(r, nnz, why);
    if (status == 0)
        status = csr_alloc(m, r->rows, r->cols, nnz, why);
    if (status != 0)
        return status;
#pragma omp parallel for
    for (int64_t i = 0; i < r->rows; i++)
        m->row_ptr[i + 1] = recipe_row_length(r, i);
    m->row_ptr[0] = 0;
    for (int64_t i = 0; i < r->rows; i++)
        m->row_ptr[i + 1] += m->row_ptr[i];
    if (m->row_ptr[r->rows] != m->nnz)
        bug("recipe: %" PRId64 " nonzeros expected, %" PRId64 " generated", m->nnz, m->row_ptr[r->rows]);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < r->rows; i++) {
        const int64_t at = m->row_ptr[i], length = m->row_ptr[i + 1] - at;
        recipe_row_columns(r, i, length, m->col + at);
        for (int64_t k = at; k < at + length; k++)
            m->val[k] = recipe_value(r, i, m->col[k], length);
    }
    return 0;
}
