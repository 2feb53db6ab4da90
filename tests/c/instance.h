/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic block costs for the tests and the benchmark of the plan's dynamic program. Each of several kernels takes
 * E(i, j) = t0 + sum of c + slope x maximum of m over the strips i to j, which never decreases when a block grows. All
 * numbers are small integers: sums are exact and ties are common. */
#ifndef SPMVCAST_TEST_INSTANCE_H
#define SPMVCAST_TEST_INSTANCE_H
#include <stdint.h>
#include "base/error.h"

enum { LEVELS = 16 };

struct instance {
    int n, kernels;
    double *t0, *slope;   /* [kernels] */
    double *sum;          /* [kernels][n + 1], prefix sums of c */
    int32_t *max[LEVELS]; /* sparse table of the maxima of m */
};

/* A counter-based generator (splitmix64): the same instance for the same seed everywhere. */
static inline uint64_t instance_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Makes costs of n strips, which come in about `regions` runs of equal kind, as rows of real matrices do. */
static inline void instance_make(struct instance *in, int n, int kernels, int regions, uint64_t seed)
{
    in->n = n;
    in->kernels = kernels;
    in->t0 = xcalloc((unsigned long)kernels, sizeof *in->t0);
    in->slope = xcalloc((unsigned long)kernels, sizeof *in->slope);
    in->sum = xcalloc((unsigned long)kernels * (unsigned long)(n + 1), sizeof *in->sum);
    for (int l = 0; l < LEVELS; l++)
        in->max[l] = xcalloc((unsigned long)n, sizeof *in->max[l]);
    for (int k = 0; k < kernels; k++) {
        in->t0[k] = (double)(instance_draw(&seed) % 200);
        in->slope[k] = (double)(instance_draw(&seed) % 4);
    }
    double likes[16] = { 0 };
    int64_t longest = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || instance_draw(&seed) % (uint64_t)n < (uint64_t)regions) {
            longest = (int64_t)(instance_draw(&seed) % 1000);
            for (int k = 0; k < kernels; k++)
                likes[k] = (double)(instance_draw(&seed) % 60);
        }
        in->max[0][i] = (int32_t)(longest / 2 + (int64_t)(instance_draw(&seed) % (uint64_t)(longest + 1)));
        for (int k = 0; k < kernels; k++) {
            double *sum = in->sum + (int64_t)k * (n + 1);
            sum[i + 1] = sum[i] + likes[k] + (double)(instance_draw(&seed) % 8);
        }
    }
    for (int l = 1; l < LEVELS; l++)
        for (int i = 0; i + (1 << l) <= n; i++) {
            int32_t a = in->max[l - 1][i], b = in->max[l - 1][i + (1 << (l - 1))];
            in->max[l][i] = a > b ? a : b;
        }
}

static inline double instance_time(void *self, int first, int last)
{
    const struct instance *in = self;
    int l = 31 - __builtin_clz((unsigned)(last - first + 1));
    int32_t a = in->max[l][first], b = in->max[l][last + 1 - (1 << l)], most = a > b ? a : b;
    double best = 1e300;
    for (int k = 0; k < in->kernels; k++) {
        const double *sum = in->sum + (int64_t)k * (in->n + 1);
        double t = in->t0[k] + sum[last + 1] - sum[first] + in->slope[k] * most;
        best = t < best ? t : best;
    }
    return best;
}

static inline void instance_free(struct instance *in)
{
    free(in->t0);
    free(in->slope);
    free(in->sum);
    for (int l = 0; l < LEVELS; l++)
        free(in->max[l]);
}
#endif
