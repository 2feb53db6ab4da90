/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares statistics with values computed by hand, and hashes with published ones. */
#include "base/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"

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

static void check_weighted(void)
{
    struct weighted v[] = { { 4, 1 }, { 1, 1 }, { 3, 1 }, { 2, 1 } }, w[] = { { 10, 3 }, { 0, 1 } }, same[20];
    double low, high;

    stats_weighted_sort(v, 4);
    near("weighted median", stats_weighted_quantile(v, 4, 0.5), 2.5);
    near("a quarter", stats_weighted_quantile(v, 4, 0.25), 1.5);
    near("below the first middle", stats_weighted_quantile(v, 4, 0.1), 1);
    near("above the last middle", stats_weighted_quantile(v, 4, 0.99), 4);
    near("weighted mean", stats_weighted_mean(w, 2), 7.5);
    stats_weighted_sort(w, 2); /* the midpoints of the weights are at 0.5 and 2.5 of 4 */
    near("three quarters of the weight at 10", stats_weighted_quantile(w, 2, 0.375), 5);
    if (!isnan(stats_weighted_quantile(v, 0, 0.5)) || !isnan(stats_weighted_mean(v, 0)))
        die("a weighted quantile of nothing");
    for (int i = 0; i < 20; i++)
        same[i] = (struct weighted){ 7, 1 + i };
    stats_bootstrap(same, 20, &low, &high);
    near("bootstrap of equal values", low + 10 * high, 77);
    stats_bootstrap(v, 1, &low, &high);
    if (!isnan(low) || !isnan(high))
        die("a bootstrap of one value");
    for (int i = 0; i < 20; i++)
        same[i] = (struct weighted){ i % 2, 1 }; /* the mean of 20 coins is 0.5 +- 1.96 * 0.112 */
    stats_bootstrap(same, 20, &low, &high);
    if (!(low >= 0.2 && low <= 0.35 && high >= 0.65 && high <= 0.8))
        die("bootstrap of 20 coins: %g to %g", low, high);
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
    hash_string("abc", hex);
    if (strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") != 0)
        die("SHA-256 of abc is %s", hex);
    if (argc > 1 && hash_file(argv[1], hex, why))
        die("%s", why);
    puts(hex);
    return 0;
}
