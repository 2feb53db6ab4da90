/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks y: |y_i - ref_i| <= (len_i + 8) u sum_j |a_ij x_j|, u = 2^-24 (f32) or 2^-53 (f64), where ref is computed in
 * double from the values rounded to the precision. Cannot be disabled. */
#ifndef SPMVCAST_MEASURE_YCHECK_H
#define SPMVCAST_MEASURE_YCHECK_H
#include "backend/backend.h"
#include "base/target.h"
#include "matrix/csr_matrix.h"

struct ycheck {
    enum precision precision;
    int64_t rows;
    double *y, *sum; /* [rows] the reference; sum_j |a_ij x_j| */
    int32_t *length; /* [rows] */
};

/* Computes the reference from the matrix on the host. FAIL: a value or a sum is beyond the range of f32. */
int ycheck_from_csr(struct ycheck *, const struct csr *, enum precision, char why[ERRLEN]);
/* Computes the reference from the recipe, with a naive kernel on the device; at least 4096 rows (first, last,
 * longest, equally spaced ones), or all, are recomputed on the host. Returns 1 if they differ, FAIL if the device
 * failed (why). */
int ycheck_from_recipe(struct ycheck *, struct device *, const struct recipe *, enum precision, char why[ERRLEN]);
/* Compares y, which has that precision, with the reference. FAIL: `why` has the first wrong row: number, value
 * found, value expected, bound. */
int ycheck_y(const struct ycheck *, const void *y, char why[ERRLEN]);
void ycheck_free(struct ycheck *);
#endif
