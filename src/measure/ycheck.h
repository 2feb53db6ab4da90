/* SPDX-License-Identifier: BSD-3-Clause */
/* Is y right?  |y_i - ref_i| <= (len_i + 8) u sum_j |a_ij x_j|, u = 2^-24 (f32) or 2^-53 (f64), ref in double from the
 * values as the precision holds them. Nothing can switch this off. */
#ifndef SPMVCAST_MEASURE_YCHECK_H
#define SPMVCAST_MEASURE_YCHECK_H
#include "base/target.h"
#include "device/device.h"
#include "matrix/csr_matrix.h"

struct ycheck {
    enum precision precision;
    int64_t rows;
    double *y, *sum; /* [rows] reference; sum_j |a_ij x_j| */
    int32_t *length; /* [rows] */
};

/* From the matrix on the host. FAIL: precision does not hold it (a value or a sum beyond f32): nothing to be
 * measured. */
int ycheck_from_csr(struct ycheck *, const struct csr *, enum precision, char why[ERRLEN]);
/* From the recipe by the device's naive reference; at least 4096 of its rows (first, last, longest, equally spaced
 * ones) are recomputed on the host. 1: they differ; FAIL: the device failed; why for both. */
int ycheck_from_recipe(struct ycheck *, struct device *, const struct recipe *, enum precision, char why[ERRLEN]);
/* y in precision. FAIL: the first row that is wrong: its index, what was found, what was expected, the bound. */
int ycheck_y(const struct ycheck *, const void *y, char why[ERRLEN]);
void ycheck_free(struct ycheck *);
#endif
