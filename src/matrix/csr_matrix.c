/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed sparse rows: allocation, views, checks, reference product, identities. */
#include "matrix/csr_matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "identities hash the arrays as stored in memory");

int csr_alloc(struct csr *a, int64_t rows, int64_t cols, int64_t nnz, char why[ERRLEN])
{
    memset(a, 0, sizeof *a);
    if (rows < 0 || cols < 0 || rows > INT32_MAX || cols > INT32_MAX || nnz < 0 || nnz > INT64_MAX / 16)
        return fail(why,
                    "invalid size: %" PRId64 " x %" PRId64 " with %" PRId64
                    " nonzeros; expected at most 2147483647 rows and columns",
                    rows, cols, nnz);
    const size_t ptr_bytes = (size_t)(rows + 1) * sizeof *a->row_ptr, col_bytes = (size_t)nnz * sizeof *a->col,
                 val_bytes = (size_t)nnz * sizeof *a->val, total = ptr_bytes + col_bytes + val_bytes;
    /* Allocators overcommit, so compare with the physical memory. */
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    bool fits = pages <= 0 || page_bytes <= 0 || total / (size_t)page_bytes <= (size_t)pages;
    if (fits) {
        a->row_ptr = memory_array(ptr_bytes);
        a->col = memory_array(col_bytes);
        a->val = memory_array(val_bytes);
    }
    if (!a->row_ptr || !a->col || !a->val) {
        csr_free(a);
        return memory_failed((double)total, why,
                             "not enough memory for a matrix of %" PRId64 " x %" PRId64 " with %" PRId64 " nonzeros",
                             rows, cols, nnz);
    }
    a->rows = rows;
    a->cols = cols;
    a->nnz = nnz;
    return 0;
}

void csr_fill_pattern(struct csr *a)
{
#pragma omp parallel for schedule(guided)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            a->val[k] = csr_pattern_value(i, a->col[k]);
}

void csr_free(struct csr *a)
{
    free(a->row_ptr);
    free(a->col);
    free(a->val);
    memset(a, 0, sizeof *a);
}

struct csr_view csr_view_all(const struct csr *a) { return csr_view_rows(a, 0, a->rows); }

struct csr_view csr_view_rows(const struct csr *a, int64_t first, int64_t end)
{
    return (struct csr_view){ end - first, a->cols, a->row_ptr + first, a->row_ptr + first + 1, a->col, a->val, 0 };
}

int64_t csr_view_nnz(const struct csr_view *v)
{
    int64_t nnz = 0;
#pragma omp parallel for schedule(static) reduction(+ : nnz) if (v->rows > 100000)
    for (int64_t i = 0; i < v->rows; i++)
        nnz += v->end[i] - v->begin[i];
    return nnz;
}

int64_t csr_decrease(const int64_t *row_ptr, int64_t rows)
{
    int64_t first = rows;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < rows; i++)
        if (row_ptr[i + 1] < row_ptr[i] && i < first)
            first = i;
    return first;
}

/* `base` is that of the rows in messages, too. */
static int check_pointers(const struct csr_view *v, char why[ERRLEN])
{
    const int64_t base = v->base, *row_ptr = v->begin;
    if (row_ptr[0] != 0)
        return fail(why, "row pointers start at %" PRId64 ", expected %" PRId64, row_ptr[0] + base, base);
    const int64_t bad = csr_decrease(row_ptr, v->rows);
    if (bad < v->rows)
        return fail(why,
                    "row %" PRId64 " (counted from %" PRId64 "): row pointers decrease from %" PRId64 " to %" PRId64,
                    bad + base, base, row_ptr[bad] + base, row_ptr[bad + 1] + base);
    return 0;
}

/* Sorted rows whose ends are in range: reads the columns once, without a branch for each. */
static bool are_valid(const struct csr_view *v)
{
    const int64_t end = v->base + v->cols;
    int wrong = 0;
#pragma omp parallel for schedule(guided) reduction(| : wrong) if (v->rows > 1000)
    for (int64_t i = 0; i < v->rows; i++) {
        const int32_t *col = v->col + v->begin[i];
        const int64_t n = v->end[i] - v->begin[i];
        wrong |= n > 0 && (col[0] < v->base || col[n - 1] >= end);
        for (int64_t k = 1; k < n; k++)
            wrong |= col[k] <= col[k - 1];
    }
    return !wrong;
}

static int check_bounds(const struct csr_view *v, char why[ERRLEN])
{
    const int64_t base = v->base, nnz = v->begin[v->rows], end = base + v->cols;
    int64_t bad = nnz;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < nnz; k++)
        if ((v->col[k] < base || v->col[k] >= end) && k < bad)
            bad = k;
    if (bad < nnz && v->cols == 0)
        return fail(why,
                    "entry %" PRId64 " (counted from %" PRId64 "): column index %" PRId32
                    ", but the matrix has no columns",
                    bad + base, base, v->col[bad]);
    if (bad < nnz)
        return fail(why,
                    "entry %" PRId64 " (counted from %" PRId64 "): column index %" PRId32 ", expected %" PRId64
                    " to %" PRId64,
                    bad + base, base, v->col[bad], base, end - 1);
    return 0;
}

static bool row_in_order(const struct csr_view *v, int64_t i)
{
    for (int64_t k = v->begin[i] + 1; k < v->end[i]; k++)
        if (v->col[k] <= v->col[k - 1])
            return false;
    return true;
}

int csr_view_check(const struct csr_view *v, char why[ERRLEN])
{
    if (check_pointers(v, why))
        return FAIL;
    if (are_valid(v))
        return 0;
    if (check_bounds(v, why))
        return FAIL;
    int64_t bad = v->rows;
#pragma omp parallel for schedule(guided) reduction(min : bad)
    for (int64_t i = 0; i < v->rows; i++)
        if (!row_in_order(v, i) && i < bad)
            bad = i;
    if (bad == v->rows)
        return 0;
    int64_t k = v->begin[bad] + 1;
    while (v->col[k] > v->col[k - 1])
        k++;
    return fail(why,
                "row %" PRId64 " (counted from %" PRId32 "): column %" PRId32 " follows column %" PRId32
                ", expected sorted and distinct columns",
                bad + v->base, v->base, v->col[k], v->col[k - 1]);
}

int csr_check(const struct csr *a, char why[ERRLEN])
{
    const struct csr_view v = csr_view_all(a);
    if (a->row_ptr[a->rows] != a->nnz)
        return fail(why, "row pointers end at %" PRId64 ", expected the number of stored values, %" PRId64,
                    a->row_ptr[a->rows], a->nnz);
    return csr_view_check(&v, why);
}

void csr_spmv_reference(const struct csr *a, const double *x, double *y)
{
#pragma omp parallel for schedule(guided)
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            sum += a->val[k] * x[a->col[k]];
        y[i] = sum;
    }
}

/* Adds the columns of a view of any base as those of base 0. */
static void add_columns(struct hash *h, const struct csr_view *v, int64_t nnz)
{
    int32_t piece[4096];
    if (v->base == 0) {
        hash_add(h, v->col, (size_t)nnz * sizeof *v->col);
        return;
    }
    for (int64_t k = 0, n; k < nnz; k += n) {
        for (n = 0; n < 4096 && k + n < nnz; n++)
            piece[n] = v->col[k + n] - v->base;
        hash_add(h, piece, (size_t)n * sizeof *piece);
    }
}

static void identity(const struct csr_view *v, const char tag[5], char id[ID_LEN])
{
    const int64_t nnz = v->begin[v->rows], shape[3] = { v->rows, v->cols, nnz };
    struct hash *h = hash_begin();
    hash_add(h, tag, 4);
    hash_add(h, shape, sizeof shape);
    hash_add(h, v->begin, (size_t)(v->rows + 1) * sizeof *v->begin);
    add_columns(h, v, nnz);
    if (v->val)
        hash_add(h, v->val, (size_t)nnz * sizeof *v->val);
    hash_end(h, id);
}

void csr_matrix_id(const struct csr *a, char id[ID_LEN])
{
    const struct csr_view v = csr_view_all(a);
    identity(&v, "CSR1", id);
}

void csr_view_pattern_id(const struct csr_view *v, char id[ID_LEN])
{
    struct csr_view pattern = *v;
    pattern.val = NULL;
    identity(&pattern, "PAT1", id);
}

void csr_pattern_id(const struct csr *a, char id[ID_LEN])
{
    const struct csr_view v = csr_view_all(a);
    csr_view_pattern_id(&v, id);
}
