/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of few numbers (of samples with weights and units: base/samples.h). Quantiles interpolate linearly between order statistics (type 7). */
#ifndef SPMVCAST_BASE_STATS_H
#define SPMVCAST_BASE_STATS_H
#include <stdint.h>
void stats_sort(double *v, int64_t n);
double stats_quantile(const double *sorted, int64_t n, double q); /* NaN for n = 0 */
double stats_median(double *v, int64_t n);                        /* sorts v */
double stats_mean(const double *v, int64_t n);
/* Returns the standard error of the median relative to it, from order statistics; infinity for fewer than two values. */
double stats_median_error(const double *sorted, int64_t n);
/* Fits y = a + b x by least squares with weights w (NULL: 1), from centred sums (spmv-predict must not need LAPACK).
 * Returns -1 with fewer than two distinct x. */
int stats_line(const double *x, const double *y, const double *w, int64_t n, double *a, double *b);
#endif
