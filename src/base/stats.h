/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of small samples. Quantiles interpolate linearly between order statistics (type 7). */
#ifndef SPMVCAST_BASE_STATS_H
#define SPMVCAST_BASE_STATS_H
#include <stdint.h>
void stats_sort(double *v, int64_t n);
double stats_quantile(const double *sorted, int64_t n, double q); /* NaN for n = 0 */
double stats_median(double *v, int64_t n);                        /* sorts v */
double stats_mean(const double *v, int64_t n);
/* standard error of the median, order statistics, relative */
double stats_median_error(const double *sorted, int64_t n);
/* y = a + b x, least squares with weights w (NULL: 1), from centred sums (predict must not need LAPACK). -1 with fewer
 * than two distinct x. */
int stats_line(const double *x, const double *y, const double *w, int64_t n, double *a, double *b);
#endif
