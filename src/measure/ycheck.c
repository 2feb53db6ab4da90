/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes references of y and compares y with them. */
#include "measure/ycheck.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/real.h"
#include "recipes/recipe_product.h"

enum { SAMPLE = 4096, ALONE = 1 << 18 };

static double bound_of(const struct ycheck *c, int64_t i)
{
    const struct precision_facts *p = &precision_facts[c->precision];
    const double terms = (double)c->length[i];

    return (terms + 8) * p->unit * c->sum[i] + terms * p->least;
}

static void ycheck_alloc(struct ycheck *c, int64_t rows, enum precision p)
{
    const size_t n = (size_t)(rows > 0 ? rows : 1);

    *c = (struct ycheck){ .precision = p, .rows = rows };
    c->y = xmalloc(n * sizeof *c->y);
    c->sum = xmalloc(n * sizeof *c->sum);
    c->length = xmalloc(n * sizeof *c->length);
}

void ycheck_free(struct ycheck *c)
{
    free(c->y);
    free(c->sum);
    free(c->length);
    *c = (struct ycheck){ 0 };
}

/* Returns the first row with a value or a sum that is finite in double but not in f32, or -1. */
static int64_t first_beyond(const struct ycheck *c, const struct csr *a)
{
    int64_t first = INT64_MAX;

#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < a->rows; i++) {
        bool beyond = isfinite(c->sum[i]) && c->sum[i] > (double)FLT_MAX;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            beyond |= isfinite(a->val[k]) && !isfinite((float)a->val[k]);
        if (beyond && i < first)
            first = i;
    }
    return first == INT64_MAX ? -1 : first;
}

int ycheck_from_csr(struct ycheck *c, const struct csr *a, enum precision p, char why[ERRLEN])
{
    ycheck_alloc(c, a->rows, p);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < a->rows; i++) {
        double y = 0, sum = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            const double v = real_rounded(p, a->val[k]), product = v * csr_x(a->col[k]);
            y += product;
            sum += fabs(product);
        }
        c->y[i] = y;
        c->sum[i] = sum;
        c->length[i] = (int32_t)(a->row_ptr[i + 1] - a->row_ptr[i]);
    }
    const int64_t beyond = p == F32 ? first_beyond(c, a) : -1;
    if (beyond < 0)
        return 0;
    ycheck_free(c);
    return fail(why, "row %" PRId64 " has values or sums that overflow f32 (maximum %g)", beyond + 1, (double)FLT_MAX);
}

/* Compares row i of the reference from the device with the host's. Both are sums in double and differ at most by the
 * order of summation. */
static bool same_row(const struct ycheck *c, const struct recipe *r, int64_t i)
{
    double y, sum;
    int32_t length;

    recipe_row_product(r, i, c->precision, &y, &sum, &length);
    const double bound = (length + 8) * 0x1p-53 * sum;
    return length == c->length[i] && fabs(y - c->y[i]) <= bound && fabs(sum - c->sum[i]) <= bound;
}

static int different_row(const struct ycheck *c, const struct recipe *r, int64_t i, char why[ERRLEN])
{
    double y, sum;
    int32_t length;

    recipe_row_product(r, i, c->precision, &y, &sum, &length);
    fail(why,
         "the reference result that the device computed for the recipe is wrong in row %" PRId64
         " (from 1): y = %.17g with %" PRId32 " entries, expected y = %.17g with %" PRId32
         " entries; check the device's memory or report a bug",
         i + 1, c->y[i], c->length[i], y, length);
    return 1;
}

int ycheck_from_recipe(struct ycheck *c, struct device *d, const struct recipe *r, enum precision p, char why[ERRLEN])
{
    ycheck_alloc(c, r->rows, p);
    int status = d->backend->recipe_reference(d, r, p, c->y, c->sum, c->length, why);
    int64_t longest = 0, bad = INT64_MAX;

    for (int64_t i = 0; i < r->rows && !status; i++)
        if (c->length[i] > c->length[longest])
            longest = i;
    /* Row s = 0 is the longest; the others are equally spaced from first to last, or all rows if there are few. */
    const int64_t n = status ? 0 : r->rows < SAMPLE ? r->rows : SAMPLE;
#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t s = 0; s <= n; s++) {
        const int64_t i = s == 0  ? longest
                          : n > 1 ? (int64_t)((double)(s - 1) * (double)(r->rows - 1) / (double)(n - 1))
                                  : 0;
        if (n > 0 && i < bad && !same_row(c, r, i))
            bad = i;
    }
    if (bad != INT64_MAX)
        status = different_row(c, r, bad, why);
    if (status)
        ycheck_free(c);
    return status;
}

/* Returns whether y_i is right. Where values of the matrix make the reference Inf or NaN, y_i must be the same. */
static bool right(const struct ycheck *c, int64_t i, double found)
{
    if (isnan(c->y[i]))
        return isnan(found);
    if (isinf(c->y[i]))
        return found == c->y[i];
    return fabs(found - c->y[i]) <= bound_of(c, i);
}

int ycheck_y(const struct ycheck *c, const void *y, char why[ERRLEN])
{
    int64_t first = INT64_MAX;

    /* between the rounds of short products, threads would spin (threads_rest) */
#pragma omp parallel for schedule(static) reduction(min : first) if (c->rows > ALONE)
    for (int64_t i = 0; i < c->rows; i++)
        if (!right(c, i, real_at(c->precision, y, i)) && i < first)
            first = i;
    if (first == INT64_MAX)
        return 0;
    const int digits = precision_facts[c->precision].digits;
    return fail(why, "row %" PRId64 ": found %.*g, expected %.*g +- %.2g", first + 1, digits,
                real_at(c->precision, y, first), digits, c->y[first], bound_of(c, first));
}
