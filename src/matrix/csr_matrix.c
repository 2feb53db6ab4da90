/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed sparse rows: allocation, views, checks, reference product, identities. */
#include "matrix/csr_matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

enum { ALIGNMENT = 256 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "identities hash the arrays as stored in memory");

static size_t padded(int64_t count, size_t element_bytes)
{
    size_t bytes = (size_t)count * element_bytes;
    return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

int csr_alloc(struct csr *a, int64_t rows, int64_t cols, int64_t nnz, char why[ERRLEN])
{
    memset(a, 0, sizeof *a);
    if (rows < 0 || cols < 0 || rows > INT32_MAX || cols > INT32_MAX || nnz < 0 || nnz > INT64_MAX / 16)
        return fail(why,
                    "invalid size: %" PRId64 " x %" PRId64 " with %" PRId64
                    " nonzeros; expected at most 2147483647 rows and columns",
                    rows, cols, nnz);
    size_t ptr_bytes = padded(rows + 1, sizeof *a->row_ptr), col_bytes = padded(nnz, sizeof *a->col);
    size_t val_bytes = padded(nnz, sizeof *a->val), total = ptr_bytes + col_bytes + val_bytes;
    /* Allocators overcommit, so compare with the physical memory. */
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    bool fits = pages <= 0 || page_bytes <= 0 || total / (size_t)page_bytes <= (size_t)pages;
    if (fits) {
        a->row_ptr = aligned_alloc(ALIGNMENT, ptr_bytes);
        a->col = aligned_alloc(ALIGNMENT, col_bytes);
        a->val = aligned_alloc(ALIGNMENT, val_bytes);
    }
    if (!a->row_ptr || !a->col || !a->val) {
        csr_free(a);
        fail(why,
             "not enough memory for a matrix of %" PRId64 " x %" PRId64 " with %" PRId64 " nonzeros: %.1f GB needed",
             rows, cols, nnz, (double)total / 1e9);
        return OOM;
    }
    a->rows = rows;
    a->cols = cols;
    a->nnz = nnz;
    return 0;
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
    return (struct csr_view){ end - first, a->cols, a->row_ptr + first, a->row_ptr + first + 1, a->col, a->val };
}

int64_t csr_view_nnz(const struct csr_view *v)
{
    int64_t nnz = 0;
#pragma omp parallel for schedule(static) reduction(+ : nnz) if (v->rows > 100000)
    for (int64_t i = 0; i < v->rows; i++)
        nnz += v->end[i] - v->begin[i];
    return nnz;
}

static int check_bounds(const struct csr *a, char why[ERRLEN])
{
    if (a->row_ptr[0] != 0)
        return fail(why, "row pointers start at %" PRId64 ", expected 0", a->row_ptr[0]);
    int64_t bad = a->rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++)
        if (a->row_ptr[i + 1] < a->row_ptr[i] && i < bad)
            bad = i;
    if (bad < a->rows)
        return fail(why, "row %" PRId64 " (counted from 0): row pointers decrease from %" PRId64 " to %" PRId64, bad,
                    a->row_ptr[bad], a->row_ptr[bad + 1]);
    if (a->row_ptr[a->rows] != a->nnz)
        return fail(why, "row pointers end at %" PRId64 ", expected the number of stored values, %" PRId64,
                    a->row_ptr[a->rows], a->nnz);
    bad = a->nnz;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < a->nnz; k++)
        if ((a->col[k] < 0 || a->col[k] >= a->cols) && k < bad)
            bad = k;
    if (bad < a->nnz)
        return fail(why, "entry %" PRId64 " (counted from 0): column index %" PRId32 ", expected 0 to %" PRId64, bad,
                    a->col[bad], a->cols - 1);
    return 0;
}

static bool row_in_order(const struct csr *a, int64_t i)
{
    for (int64_t k = a->row_ptr[i] + 1; k < a->row_ptr[i + 1]; k++)
        if (a->col[k] <= a->col[k - 1])
            return false;
    return true;
}

int csr_check(const struct csr *a, char why[ERRLEN])
{
    if (check_bounds(a, why))
        return FAIL;
    int64_t bad = a->rows;
#pragma omp parallel for schedule(guided) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++)
        if (!row_in_order(a, i) && i < bad)
            bad = i;
    if (bad == a->rows)
        return 0;
    int64_t k = a->row_ptr[bad] + 1;
    while (a->col[k] > a->col[k - 1])
        k++;
    return fail(why,
                "row %" PRId64 " (counted from 0): column %" PRId32 " follows column %" PRId32
                ", expected sorted and distinct columns",
                bad, a->col[k], a->col[k - 1]);
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

static void identity(const struct csr *a, const char tag[5], bool values, char id[ID_LEN])
{
    int64_t shape[3] = { a->rows, a->cols, a->nnz };
    struct hash *h = hash_begin();
    hash_add(h, tag, 4);
    hash_add(h, shape, sizeof shape);
    hash_add(h, a->row_ptr, (size_t)(a->rows + 1) * sizeof *a->row_ptr);
    hash_add(h, a->col, (size_t)a->nnz * sizeof *a->col);
    if (values)
        hash_add(h, a->val, (size_t)a->nnz * sizeof *a->val);
    hash_end(h, id);
}

void csr_matrix_id(const struct csr *a, char id[ID_LEN]) { identity(a, "CSR1", true, id); }

void csr_pattern_id(const struct csr *a, char id[ID_LEN]) { identity(a, "PAT1", false, id); }
