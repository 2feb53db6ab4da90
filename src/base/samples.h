/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: values of matrices, which belong to families. Values of one matrix resemble each other, as do matrices of one family, so
 * whoever weighs, counts or resamples them says of which unit. */
#ifndef SPMVCAST_BASE_SAMPLES_H
#define SPMVCAST_BASE_SAMPLES_H
#include <stdint.h>

enum sample_unit { UNIT_MATRIX, UNIT_FAMILY, SAMPLE_UNITS };

struct sample_value {
    double value, weight;
    int64_t unit[SAMPLE_UNITS]; /* the caller's numbers of matrix and family: small, not negative */
};
/* Begins as { 0 }; free with sample_free. */
struct sample {
    int64_t n;
    struct sample_value *v; /* in the order of sample_add, until sample_sort */
};
void sample_add(struct sample *, double value, int64_t matrix, int64_t family); /* weight 1 */
void sample_free(struct sample *);

/* Divides a weight of 1 among the values of each unit. */
void sample_weigh(struct sample *, enum sample_unit);
int64_t sample_units(const struct sample *, enum sample_unit); /* how many have a value */

/* NaN without values: weighted means of the values, and of their logarithms; weighted percentage of the values that are at least
 * `limit`. */
double sample_mean(const struct sample *);
double sample_geomean(const struct sample *);
double sample_percent(const struct sample *, double limit);
int64_t sample_below(const struct sample *, double limit); /* the number of values below the limit */
/* Return the first of the lowest and of the highest values; NULL: none. */
const struct sample_value *sample_min(const struct sample *);
const struct sample_value *sample_max(const struct sample *);

/* Sets picked[n] to n numbers from 0 to n - 1, drawn with replacement by a counter-based generator (Philox): the same for a given
 * `number` in every call. */
void resample(int64_t n, uint32_t number, int64_t *picked);

/* Set the 95 % interval of sample_mean and sample_geomean by bootstrap over units: 400 resamples with replacement of as many units
 * as there are, the same ones in every call with that number. NaN for fewer than two units. */
void sample_interval(const struct sample *, enum sample_unit, double *low, double *high);
void sample_geointerval(const struct sample *, enum sample_unit, double *low, double *high);

/* Sorts the values, for quantiles. */
void sample_sort(struct sample *);
/* Returns a quantile of sorted values, without weights (stats_quantile). */
double sample_quantile(const struct sample *, double q);
/* The same with weights: interpolates between values placed at their cumulative weights, each counted to the middle of its own
 * weight. With equal weights this is type 5, whose median equals that of type 7. */
double sample_weighted_quantile(const struct sample *, double q);
#endif
