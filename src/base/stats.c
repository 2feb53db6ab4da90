/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of few numbers. */
#include "base/stats.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void stats_sort(double *v, int64_t n)
{
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, ascending);
}

/* Interpolates at a fractional index, 0 <= place <= n - 1. */
static double at(const double *sorted, int64_t n, double place)
{
    int64_t i = (int64_t)place;

    if (i >= n - 1)
        return sorted[n - 1];
    double share = place - (double)i;
    return share == 0 ? sorted[i] : sorted[i] + share * (sorted[i + 1] - sorted[i]);
}

double stats_quantile(const double *sorted, int64_t n, double q)
{
    return n ? at(sorted, n, fmin(fmax(q, 0), 1) * (double)(n - 1)) : (double)NAN;
}

double stats_median(double *v, int64_t n)
{
    stats_sort(v, n);
    return stats_quantile(v, n, 0.5);
}

double stats_mean(const double *v, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    return n ? sum / (double)n : (double)NAN;
}

/* The number of samples below the true median has a standard deviation of sqrt(n) / 2. Half the distance between the order
 * statistics that far on either side of the middle is therefore a standard error of the sample median; no density needs to
 * be estimated. */
double stats_median_error(const double *sorted, int64_t n)
{
    if (n < 2)
        return INFINITY;
    double middle = 0.5 * (double)(n - 1), reach = 0.5 * sqrt((double)n);
    double low = at(sorted, n, fmax(middle - reach, 0)), high = at(sorted, n, fmin(middle + reach, (double)(n - 1)));
    double median = at(sorted, n, middle);

    return high == low ? 0 : 0.5 * (high - low) / fabs(median);
}

int stats_line(const double *x, const double *y, const double *w, int64_t n, double *a, double *b)
{
    double sum = 0, x_mean = 0, y_mean = 0, xx = 0, xy = 0;

    for (int64_t i = 0; i < n; i++) {
        double weight = w ? w[i] : 1;
        sum += weight;
        x_mean += weight * x[i];
        y_mean += weight * y[i];
    }
    if (!(sum > 0))
        return -1;
    x_mean /= sum;
    y_mean /= sum;
    for (int64_t i = 0; i < n; i++) {
        double weight = w ? w[i] : 1, dx = x[i] - x_mean;
        xx += weight * dx * dx;
        xy += weight * dx * (y[i] - y_mean);
    }
    /* Equal x leave rounding noise in xx, so check for distinct x explicitly. */
    int64_t first = 0, other;
    while (first < n && w && w[first] == 0)
        first++;
    for (other = first + 1; other < n && (x[other] == x[first] || (w && w[other] == 0)); other++)
        ;
    if (other >= n || !(xx > 0))
        return -1;
    *b = xy / xx;
    *a = y_mean - *b * x_mean;
    return 0;
}
