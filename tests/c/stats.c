/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares statistics with values computed by hand, and hashes with published ones. */
#include "base/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/samples.h"

static void near(const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected))))
        die("%s: %.17g, expected %.17g", what, found, expected);
}

static void check_line(void)
{
    double a, b, x[] = { 1e9, 1e9 + 1, 1e9 + 2, 5 }, y[] = { 2, 5, 8, 1000 }, w[] = { 1, 2, 1, 0 };

    if (stats_line(x, y, NULL, 3, &a, &b))
        die("no line through three points");
    near("slope", b, 3);
    near("line at 1e9", a + b * 1e9, 2); /* uncentred sums would lose all digits here */
    if (stats_line(x, y, w, 4, &a, &b))
        die("no weighted line");
    near("weighted slope", b, 3);
    double same[] = { 0.1, 0.1, 0.1 }, one[] = { 0, 3, 0 };
    if (stats_line(same, y, NULL, 3, &a, &b) == 0 || stats_line(x, y, one, 3, &a, &b) == 0
        || stats_line(x, y, NULL, 0, &a, &b) == 0)
        die("a line was fitted through fewer than two distinct x");
}

static void add(struct sample *s, double value, double weight, int64_t matrix, int64_t family)
{
    sample_add(s, value, matrix, family);
    s->v[s->n - 1].weight = weight;
}

static void check_weighted(void)
{
    struct sample v = { 0 }, w = { 0 }, none = { 0 };

    for (int i = 0; i < 4; i++)
        sample_add(&v, (const double[]){ 4, 1, 3, 2 }[i], i, i);
    sample_sort(&v);
    near("weighted median", sample_weighted_quantile(&v, 0.5), 2.5);
    near("a quarter", sample_weighted_quantile(&v, 0.25), 1.5);
    near("below the first middle", sample_weighted_quantile(&v, 0.1), 1);
    near("above the last middle", sample_weighted_quantile(&v, 0.99), 4);
    near("without weights", sample_quantile(&v, 0.25), 1.75);
    add(&w, 10, 3, 0, 0);
    add(&w, 0, 1, 1, 0);
    near("weighted mean", sample_mean(&w), 7.5);
    near("weighted share", sample_percent(&w, 10), 75);
    sample_sort(&w); /* the midpoints of the weights are at 0.5 and 2.5 of 4 */
    near("three quarters of the weight at 10", sample_weighted_quantile(&w, 0.375), 5);
    if (!isnan(sample_weighted_quantile(&none, 0.5)) || !isnan(sample_quantile(&none, 0.5))
        || !isnan(sample_mean(&none)) || !isnan(sample_geomean(&none)) || !isnan(sample_percent(&none, 1))
        || sample_min(&none))
        die("a figure of nothing");
    sample_free(&v);
    sample_free(&w);
}

/* Matrix 5 of family 1 has the values 2 and 8, before and after matrix 3 of family 1 with 4; matrix 9 of family 0 has 16. */
static void check_units(void)
{
    struct sample s = { 0 };

    sample_add(&s, 2, 5, 1);
    sample_add(&s, 4, 3, 1);
    sample_add(&s, 8, 5, 1);
    sample_add(&s, 16, 9, 0);
    near("matrices and families", (double)(10 * sample_units(&s, UNIT_MATRIX) + sample_units(&s, UNIT_FAMILY)), 32);
    near("mean of values", sample_mean(&s), 7.5);
    near("geometric mean of values", sample_geomean(&s), pow(2, 2.5));
    near("lowest and highest", sample_min(&s)->value + 100 * sample_max(&s)->value, 1602);
    near("values below 8", (double)sample_below(&s, 8), 2);
    near("values of at least 8", sample_percent(&s, 8), 50);
    sample_weigh(&s, UNIT_MATRIX);
    near("mean of matrices", sample_mean(&s), (5 + 4 + 16) / 3.0);
    near("geometric mean of matrices", sample_geomean(&s), pow(2, (2 + 2 + 4) / 3.0));
    sample_weigh(&s, UNIT_FAMILY);
    near("mean of families", sample_mean(&s), (14 / 3.0 + 16) / 2);
    sample_free(&s);
}

static void check_bootstrap(void)
{
    struct sample equal = { 0 }, coins = { 0 }, one = { 0 }, pairs = { 0 };
    double low, high, low_pairs, high_pairs;

    for (int i = 0; i < 20; i++)
        add(&equal, 7, 1 + i, i, i);
    sample_interval(&equal, UNIT_FAMILY, &low, &high);
    near("bootstrap of equal values", low + 10 * high, 77);
    sample_geointerval(&equal, UNIT_FAMILY, &low, &high);
    near("the same in logarithms", low + 10 * high, 77);
    sample_add(&one, 1, 0, 0);
    sample_add(&one, 2, 1, 0);
    sample_interval(&one, UNIT_FAMILY, &low, &high);
    if (!isnan(low) || !isnan(high))
        die("a bootstrap of one family");
    for (int i = 0; i < 20; i++) { /* the mean of 20 coins is 0.5 +- 1.96 * 0.112 */
        sample_add(&coins, i % 2, i, i);
        sample_add(&pairs, i % 2, 2 * i, i);
        sample_add(&pairs, i % 2, 2 * i + 1, i);
    }
    sample_interval(&coins, UNIT_FAMILY, &low, &high);
    if (!(low >= 0.2 && low <= 0.35 && high >= 0.65 && high <= 0.8))
        die("bootstrap of 20 coins: %g to %g", low, high);
    sample_interval(&pairs, UNIT_FAMILY, &low_pairs, &high_pairs);
    near("families, not matrices, are drawn", low_pairs + 10 * high_pairs, low + 10 * high);
    sample_interval(&pairs, UNIT_MATRIX, &low_pairs, &high_pairs);
    if (!(high_pairs - low_pairs < 0.85 * (high - low)))
        die("bootstrap of 40 matrices: %g to %g", low_pairs, high_pairs);
    sample_free(&equal);
    sample_free(&coins);
    sample_free(&pairs);
    sample_free(&one);
}

int main(int argc, char **argv)
{
    double v[] = { 4, 1, 3, 2 }, ramp[101];
    char hex[65], why[ERRLEN];

    error_program("stats");
    near("median", stats_median(v, 4), 2.5);
    near("sorted", v[0] + 10 * v[3], 41);
    near("lower quartile", stats_quantile(v, 4, 0.25), 1.75);
    near("least", stats_quantile(v, 4, 0), 1);
    near("greatest", stats_quantile(v, 4, 1), 4);
    near("mean", stats_mean(v, 4), 2.5);
    if (!isnan(stats_quantile(v, 0, 0.5)) || !isnan(stats_mean(v, 0)))
        die("a quantile of nothing");
    for (int i = 0; i < 101; i++)
        ramp[i] = i;
    near("error of the median", stats_median_error(ramp, 101), 0.5 * sqrt(101) / 50);
    if (!isinf(stats_median_error(ramp, 1)))
        die("one sample yields a certain median");
    check_line();
    check_weighted();
    check_units();
    check_bootstrap();
    hash_string("abc", hex);
    if (strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") != 0)
        die("SHA-256 of abc is %s", hex);
    if (argc > 1 && hash_file(argv[1], hex, why))
        die("%s", why);
    puts(hex);
    return 0;
}
