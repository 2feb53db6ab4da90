/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted samples: means, shares, quantiles, and intervals by bootstrap over units. */
#include "base/samples.h"
#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/stats.h"

void sample_add(struct sample *s, double value, int64_t matrix, int64_t family)
{
    if ((s->n & (s->n - 1)) == 0) /* doubles in size when full */
        s->v = xrealloc(s->v, sizeof *s->v * (unsigned long)(s->n ? 2 * s->n : 1));
    s->v[s->n++] = (struct sample_value){ value, 1, { [UNIT_MATRIX] = matrix, [UNIT_FAMILY] = family } };
}

void sample_free(struct sample *s)
{
    free(s->v);
    *s = (struct sample){ 0 };
}

/* ---- units */

/* Numbers the units of the values from 0, in the order of the first values. Returns how many there are. */
static int64_t number_units(const struct sample *s, enum sample_unit unit, int64_t *number)
{
    int64_t most = 0, n = 0;

    for (int64_t i = 0; i < s->n; i++)
        most = s->v[i].unit[unit] > most ? s->v[i].unit[unit] : most;
    int64_t *seen = xcalloc((unsigned long)most + 1, sizeof *seen); /* number + 1; 0: not seen */
    for (int64_t i = 0; i < s->n; i++) {
        int64_t *of = &seen[s->v[i].unit[unit]];
        *of = *of ? *of : ++n;
        number[i] = *of - 1;
    }
    free(seen);
    return n;
}

int64_t sample_units(const struct sample *s, enum sample_unit unit)
{
    int64_t *number = xmalloc(sizeof *number * (unsigned long)(s->n + 1));
    const int64_t n = number_units(s, unit, number);

    free(number);
    return n;
}

void sample_weigh(struct sample *s, enum sample_unit unit)
{
    int64_t *number = xmalloc(sizeof *number * (unsigned long)(s->n + 1)),
            *values = xcalloc((unsigned long)s->n + 1, sizeof *values);

    number_units(s, unit, number);
    for (int64_t i = 0; i < s->n; i++)
        values[number[i]]++;
    for (int64_t i = 0; i < s->n; i++)
        s->v[i].weight = 1 / (double)values[number[i]];
    free(number);
    free(values);
}

/* Returns a value per unit: the weighted mean of `of` of its values, and their total weight (malloc'd). */
static struct sample_value *means_of_units(const struct sample *s, enum sample_unit unit, double (*of)(double),
                                           int64_t *n)
{
    int64_t *number = xmalloc(sizeof *number * (unsigned long)(s->n + 1));
    struct sample_value *mean = xcalloc((unsigned long)s->n + 1, sizeof *mean);

    *n = number_units(s, unit, number);
    for (int64_t i = s->n - 1; i >= 0; i--)
        mean[number[i]] = s->v[i];
    for (int64_t k = 0; k < *n; k++)
        mean[k].value = mean[k].weight = 0;
    for (int64_t i = 0; i < s->n; i++) {
        mean[number[i]].value += s->v[i].weight * of(s->v[i].value);
        mean[number[i]].weight += s->v[i].weight;
    }
    for (int64_t k = 0; k < *n; k++)
        mean[k].value /= mean[k].weight;
    free(number);
    return mean;
}

static double same(double value) { return value; }

/* ---- means and shares */

static double mean_of(const struct sample *s, double (*of)(double))
{
    double sum = 0, weight = 0;

    for (int64_t i = 0; i < s->n; i++) {
        sum += s->v[i].weight * of(s->v[i].value);
        weight += s->v[i].weight;
    }
    return s->n ? sum / weight : (double)NAN;
}

double sample_mean(const struct sample *s) { return mean_of(s, same); }
double sample_geomean(const struct sample *s) { return exp(mean_of(s, log)); }

double sample_percent(const struct sample *s, double limit)
{
    double sum = 0, weight = 0;

    for (int64_t i = 0; i < s->n; i++) {
        sum += s->v[i].value >= limit ? 100 * s->v[i].weight : 0;
        weight += s->v[i].weight;
    }
    return s->n ? sum / weight : (double)NAN;
}

int64_t sample_below(const struct sample *s, double limit)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i++)
        n += s->v[i].value < limit;
    return n;
}

const struct sample_value *sample_min(const struct sample *s)
{
    const struct sample_value *lowest = s->v;

    for (int64_t i = 1; i < s->n; i++)
        lowest = s->v[i].value < lowest->value ? &s->v[i] : lowest;
    return lowest;
}

const struct sample_value *sample_max(const struct sample *s)
{
    const struct sample_value *highest = s->v;

    for (int64_t i = 1; i < s->n; i++)
        highest = s->v[i].value > highest->value ? &s->v[i] : highest;
    return highest;
}

/* ---- bootstrap */

void resample(int64_t n, uint32_t number, int64_t *picked)
{
    const philox4x32_key_t key = { { 14, 0 } };
    philox4x32_ctr_t draw = { { 0 } };

    for (int64_t i = 0; i < n; i++) {
        if (i % 4 == 0) {
            const philox4x32_ctr_t counter = { { (uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), number, 0 } };
            draw = philox4x32_R(10, counter, key);
        }
        picked[i] = (int64_t)(((uint64_t)draw.v[i % 4] * (uint64_t)n) >> 32);
    }
}

/* Returns the weighted mean of n values drawn with replacement. picked: room for n numbers. */
static double drawn_mean(const struct sample_value *v, int64_t n, uint32_t number, int64_t *picked)
{
    double sum = 0, weight = 0;

    resample(n, number, picked);
    for (int64_t i = 0; i < n; i++) {
        const struct sample_value *one = &v[picked[i]];
        sum += one->weight * one->value;
        weight += one->weight;
    }
    return sum / weight;
}

static void bootstrap(const struct sample *s, enum sample_unit unit, double (*of)(double), double *low, double *high)
{
    enum { DRAWS = 400 };
    double mean[DRAWS];
    int64_t n;
    struct sample_value *v = means_of_units(s, unit, of, &n);

    *low = *high = NAN;
    if (n >= 2) {
        int64_t *picked = xmalloc(sizeof *picked * (unsigned long)n);
        for (uint32_t i = 0; i < DRAWS; i++)
            mean[i] = drawn_mean(v, n, i, picked);
        free(picked);
        stats_sort(mean, DRAWS);
        *low = stats_quantile(mean, DRAWS, 0.025);
        *high = stats_quantile(mean, DRAWS, 0.975);
    }
    free(v);
}

void sample_interval(const struct sample *s, enum sample_unit unit, double *low, double *high)
{
    bootstrap(s, unit, same, low, high);
}

void sample_geointerval(const struct sample *s, enum sample_unit unit, double *low, double *high)
{
    bootstrap(s, unit, log, low, high);
    *low = exp(*low);
    *high = exp(*high);
}

/* ---- quantiles */

/* Orders equal values by weight: quantiles depend on their order. */
static int ascending(const void *a, const void *b)
{
    const struct sample_value *x = a, *y = b;
    const int order = (x->value > y->value) - (x->value < y->value);

    return order ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

void sample_sort(struct sample *s)
{
    if (s->n > 1)
        qsort(s->v, (size_t)s->n, sizeof *s->v, ascending);
}

double sample_quantile(const struct sample *s, double q)
{
    double *v = xmalloc(sizeof *v * (unsigned long)(s->n + 1));

    for (int64_t i = 0; i < s->n; i++)
        v[i] = s->v[i].value;
    const double value = stats_quantile(v, s->n, q);
    free(v);
    return value;
}

double sample_weighted_quantile(const struct sample *s, double q)
{
    double sum = 0, middle = NAN, last = NAN;

    for (int64_t i = 0; i < s->n; i++)
        sum += s->v[i].weight;
    const double place = q * sum;
    sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        last = middle;
        middle = sum + 0.5 * s->v[i].weight;
        sum += s->v[i].weight;
        if (middle < place)
            continue;
        if (i == 0 || middle == place)
            return s->v[i].value;
        return s->v[i - 1].value + (place - last) / (middle - last) * (s->v[i].value - s->v[i - 1].value);
    }
    return s->n ? s->v[s->n - 1].value : (double)NAN;
}
