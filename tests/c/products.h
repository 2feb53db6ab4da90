/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a matrix and what may deviate from them: shared by all drivers that multiply. */
#ifndef SPMVCAST_TESTS_PRODUCTS_H
#define SPMVCAST_TESTS_PRODUCTS_H
#include <inttypes.h>
#include "formats/format.h"
#include "shapes.h"

/* x, and y = A x of the rows of a view. exact: all numbers are integers, so that sums are exact in any order. */
struct product {
    const struct csr_view *a;
    double *x, *y, *bound; /* bound: the sum of |a_ij x_j| of each row */
    bool exact;
};

/* same: a CSR matrix of the same rows, from which csr_spmv_reference takes y; NULL: y is added up here. */
static inline void product_of(const struct csr_view *a, const struct csr *same, bool exact, struct product *out)
{
    *out = (struct product){ .a = a, .exact = exact };
    out->x = xmalloc((unsigned long)(a->cols + 1) * sizeof *out->x);
    out->y = xcalloc((unsigned long)a->rows + 1, sizeof *out->y);
    out->bound = xcalloc((unsigned long)a->rows + 1, sizeof *out->bound);
    for (int64_t j = 0; j < a->cols; j++)
        out->x[j] = exact ? (double)(j % 5 + 1) : csr_x(j);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->begin[i]; k < a->end[i]; k++) {
            const double term = a->val[k] * out->x[a->col[k]];
            out->y[i] += term;
            out->bound[i] += fabs(term);
        }
    if (same)
        csr_spmv_reference(same, out->x, out->y);
}

static inline void product_free(struct product *r)
{
    free(r->x);
    free(r->y);
    free(r->bound);
}

/* What y holds before a product that adds. */
static inline double y_before(const struct product *r, int64_t i)
{
    return r->exact ? (double)(i % 9 - 4) : csr_x(i + 777);
}

/* NaN where y is set. */
static inline void y_start(const struct product *r, enum precision p, void *y, enum y_mode mode)
{
    for (int64_t i = 0; i < r->a->rows; i++)
        real_set(p, y, i, mode == Y_ADD ? y_before(r, i) : (double)NAN);
}

/* Allocates x with guards. */
static inline void *x_start(const struct product *r, enum precision p)
{
    void *x = reals(p, r->a->cols);

    for (int64_t j = 0; j < r->a->cols; j++)
        real_set(p, x, j, r->x[j]);
    return x;
}

static inline void product_compare(const struct product *r, const char *name, const char *config, enum precision p,
                                   const void *y, enum y_mode mode)
{
    const double u = r->exact ? 0 : p == F32 ? 0x1p-24 : 0x1p-53;

    for (int64_t i = 0; i < r->a->rows; i++) {
        const double y0 = mode == Y_ADD ? y_before(r, i) : 0.0, found = real_at(p, y, i), expected = r->y[i] + y0,
                     terms = (double)(r->a->end[i] - r->a->begin[i] + 8);

        if (!(fabs(found - expected) <= terms * u * (r->bound[i] + fabs(y0))))
            die("%s, %s, %s, %s: row %" PRId64 " is %.17g, not %.17g", name, config, precision_name(p),
                mode == Y_ADD ? "add" : "set", i, found, expected);
    }
}

/* Compares the layout's product on the host, y set, then added to. */
static inline void product_check(const struct product *r, const char *name, const char *config, const struct storage *s)
{
    const enum precision p = s->target.precision;
    void *x = x_start(r, p), *y = reals(p, r->a->rows);

    for (enum y_mode mode = Y_SET; mode <= Y_ADD; mode++) {
        y_start(r, p, y, mode);
        s->layout->spmv_host(s, x, y, mode);
        product_compare(r, name, config, p, y, mode);
    }
    reals_free(p, r->a->cols, x);
    reals_free(p, r->a->rows, y);
}

/* ---- Inf and NaN in x ---- */
/* Checks the product with an x that is not finite in some columns: exactly the rows that refer to one of these are not
 * finite. fills: explicit zeros may count as fill, so rows that refer to such a column only by a 0 are not checked. */
static inline void poison_compare(const struct csr_view *a, const char *name, const char *config, enum precision p,
                                  const void *x, const void *y, bool fills)
{
    for (int64_t i = 0; i < a->rows; i++) {
        bool refers = false, may = false;
        for (int64_t k = a->begin[i]; k < a->end[i]; k++)
            if (!isfinite(real_at(p, x, a->col[k]))) {
                refers = true;
                may = may || (fills && !(fabs(a->val[k]) > 0));
            }
        if (!may && refers == (isfinite(real_at(p, y, i)) != 0))
            die("%s, %s, %s: row %" PRId64 " refers to a column that is not finite: %d, is %g", name, config,
                precision_name(p), i, refers, real_at(p, y, i));
    }
}

/* x of ones but for one column; with guards. */
static inline void *poisoned_x(enum precision p, int64_t cols, int64_t column, double value)
{
    void *x = reals(p, cols);

    for (int64_t j = 0; j < cols; j++)
        real_set(p, x, j, j == column ? value : 1.0);
    return x;
}
#endif
