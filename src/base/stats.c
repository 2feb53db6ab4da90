/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of small samples. */
#include "base/stats.h"
#include <Random123/philox.h>
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

/* Orders equal values by weight: quantiles depend on their order. */
static int ascending_weighted(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    const int order = ascending(&x->value, &y->value);

    return order ? order : ascending(&x->weight, &y->weight);
}

void stats_weighted_sort(struct weighted *v, int64_t n)
{
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, ascending_weighted);
}

double stats_weighted_quantile(const struct weighted *sorted, int64_t n, double q)
{
    double sum = 0, middle = NAN, last = NAN;

    for (int64_t i = 0; i < n; i++)
        sum += sorted[i].weight;
    const double place = q * sum;
    sum = 0;
    for (int64_t i = 0; i < n; i++) {
        last = middle;
        middle = sum + 0.5 * sorted[i].weight;
        sum += sorted[i].weight;
        if (middle < place)
            continue;
        if (i == 0 || middle == place)
            return sorted[i].value;
        return sorted[i - 1].value + (place - last) / (middle - last) * (sorted[i].value - sorted[i - 1].value);
    }
    return n ? sorted[n - 1].value : (double)NAN;
}

double stats_weighted_mean(const struct weighted *v, int64_t n)
{
    double sum = 0, weight = 0;

    for (int64_t i = 0; i < n; i++) {
        sum += v[i].weight * v[i].value;
        weight += v[i].weight;
    }
    return n ? sum / weight : (double)NAN;
}

/* Returns the weighted mean of n values drawn with replacement by a counter-based generator (Philox): the same for a given
 * `number` in every call. */
static double drawn_mean(const struct weighted *v, int64_t n, uint32_t number)
{
    const philox4x32_key_t key = { { 14, 0 } };
    philox4x32_ctr_t draw = { { 0 } };
    double sum = 0, weight = 0;

    for (int64_t i = 0; i < n; i++) {
        if (i % 4 == 0) {
            const philox4x32_ctr_t counter = { { (uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), number, 0 } };
            draw = philox4x32_R(10, counter, key);
        }
        const struct weighted *one = &v[((uint64_t)draw.v[i % 4] * (uint64_t)n) >> 32];
        sum += one->weight * one->value;
        weight += one->weight;
    }
    return sum / weight;
}

void stats_bootstrap(const struct weighted *v, int64_t n, double *low, double *high)
{
    enum { DRAWS = 400 };
    double mean[DRAWS];

    *low = *high = NAN;
    if (n < 2)
        return;
    for (uint32_t i = 0; i < DRAWS; i++)
        mean[i] = drawn_mean(v, n, i);
    stats_sort(mean, DRAWS);
    *low = stats_quantile(mean, DRAWS, 0.025);
    *high = stats_quantile(mean, DRAWS, 0.975);
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
