/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of small samples. Quantiles interpolate linearly between order statistics (type 7). */
#ifndef SPMVCAST_BASE_STATS_H
#define SPMVCAST_BASE_STATS_H
#include <stdint.h>
void stats_sort(double *v, int64_t n);
double stats_quantile(const double *sorted, int64_t n, double q); /* NaN for n = 0 */
double stats_median(double *v, int64_t n);                        /* sorts v */
double stats_mean(const double *v, int64_t n);
/* Returns the standard error of the median relative to it, from order statistics; infinity for fewer than two values. */
double stats_median_error(const double *sorted, int64_t n);
/* Weighted values. Quantiles interpolate between values placed at their cumulative weights, each counted to the middle of
 * its own weight. With equal weights this is type 5, whose median equals that of type 7. NaN for n = 0. */
struct weighted {
    double value, weight;
};
void stats_weighted_sort(struct weighted *v, int64_t n);
double stats_weighted_quantile(const struct weighted *sorted, int64_t n, double q);
double stats_weighted_mean(const struct weighted *v, int64_t n);
/* Sets the 95 % bootstrap interval of stats_weighted_mean: 400 resamples of size n with replacement, the same ones in
 * every call with the same n. NaN for fewer than two values. */
void stats_bootstrap(const struct weighted *v, int64_t n, double *low, double *high);
/* Fits y = a + b x by least squares with weights w (NULL: 1), from centred sums (spmv-predict must not need LAPACK).
 * Returns -1 with fewer than two distinct x. */
int stats_line(const double *x, const double *y, const double *w, int64_t n, double *a, double *b);
#endif
