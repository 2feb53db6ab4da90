/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic program of plans. The pruned version equals the full one (time and cuts) for every n up to 500 on random
 * monotone costs and on random costs above a monotone floor; the full one equals trying all 2^(n-1) ways on costs that
 * are not monotone. Prints what was compared. */
#include "forecast/dp.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "instance.h"

static void same(const struct dp_partition *a, const struct dp_partition *b, const char *what, int n)
{
    bool equal = a->time_s == b->time_s && a->n == b->n;
    for (int i = 0; equal && i < a->n; i++)
        equal = a->last[i] == b->last[i];
    if (!equal)
        die("%s, n = %d: %.17g in %d blocks, expected %.17g in %d", what, n, b->time_s, b->n, a->time_s, a->n);
}

/* Fails if the full and the pruned plan differ. Returns true if the plan has several blocks. */
static bool pruned_equals_full(int n, int kernels, int regions, uint64_t seed)
{
    struct instance in;
    instance_make(&in, n, kernels, regions, seed);
    struct dp_cost cost = { instance_time, &in, NULL };
    struct dp_partition full, pruned;
    dp_full(n, &cost, &full);
    dp_pruned(n, &cost, &pruned);
    same(&full, &pruned, "pruned against full", n);
    const bool split = full.n > 1;
    dp_free(&full);
    dp_free(&pruned);
    instance_free(&in);
    return split;
}

/* Costs of floor x (1, 1.25, ... 2.75), or INFINITY, which decrease as often as they increase when a block grows;
 * multiples of 1/4 make ties common. */
struct uneven {
    struct instance floor;
    uint64_t seed;
};

static double uneven_floor(void *self, int first, int last)
{
    return instance_time(&((struct uneven *)self)->floor, first, last);
}

static double uneven_time(void *self, int first, int last)
{
    uint64_t at = ((struct uneven *)self)->seed ^ ((uint64_t)first << 32 | (uint64_t)last), d = instance_draw(&at);
    return d % 7 == 0 ? INFINITY : uneven_floor(self, first, last) * (1.0 + (double)(d / 7 % 8) / 4.0);
}

struct tally {
    int instances, split, never;
    int64_t asked, pairs;
};

static void floored_equals_full(int n, int kernels, int regions, uint64_t seed, struct tally *tally)
{
    struct uneven u = { .seed = seed };
    instance_make(&u.floor, n, kernels, regions, seed);
    struct dp_cost cost = { uneven_time, &u, uneven_floor };
    struct dp_partition full, pruned;
    dp_full(n, &cost, &full);
    dp_pruned(n, &cost, &pruned);
    same(&full, &pruned, "pruned by a floor against full", n);
    tally->instances++;
    tally->split += full.n > 1;
    tally->never += isinf(full.time_s) != 0;
    tally->asked += pruned.asked;
    tally->pairs += full.asked;
    dp_free(&full);
    dp_free(&pruned);
    instance_free(&u.floor);
}

static void floors(void)
{
    struct tally small = { 0 }, large = { 0 };
    for (int n = 1; n <= 500; n++)
        for (int s = 0; s < (n <= 60 ? 20 : 1); s++)
            floored_equals_full(n, 1 + (n + s) % 5, 1 + s % 7 + n / 50, (uint64_t)(n * 1000 + s), &small);
    for (int regions = 1; regions <= 64; regions *= 4)
        floored_equals_full(2000, 3, regions, (uint64_t)regions, &large);
    if (small.split < small.instances / 10 || small.never == 0 || large.split == 0)
        die("of %d instances only %d are split, %d have no plan: the test is too weak", small.instances, small.split,
            small.never);
    if (large.asked > large.pairs / 2)
        die("2000 strips: %" PRId64 " of %" PRId64 " blocks were evaluated: nothing is pruned", large.asked,
            large.pairs);
    printf("pruned by a floor = full on %d instances (%d split, %d without a plan)\n",
           small.instances + large.instances, small.split + large.split, small.never);
}

struct table {
    int n;
    double e[16][16];
};

static double table_time(void *self, int first, int last) { return ((const struct table *)self)->e[first][last]; }

/* Returns the least cost of all ways to cut n strips; bit k of `ways` is a cut after strip k. */
static double try_all(const struct table *t)
{
    double best = INFINITY;
    for (unsigned ways = 0; ways < 1u << (t->n - 1); ways++) {
        double sum = 0;
        int first = 0;
        for (int k = 0; k < t->n; k++)
            if (k == t->n - 1 || (ways >> k & 1)) {
                sum += t->e[first][k];
                first = k + 1;
            }
        best = sum < best ? sum : best;
    }
    return best;
}

static void full_equals_all(int n, uint64_t seed)
{
    struct table t = { .n = n };
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            uint64_t d = instance_draw(&seed);
            t.e[i][j] = d % 11 == 0 ? INFINITY : (double)(d % 100 + (uint64_t)(j - i) * 20);
        }
    struct dp_cost cost = { table_time, &t, NULL };
    struct dp_partition full;
    dp_full(n, &cost, &full);
    double sum = 0;
    for (int b = 0, first = 0; b < full.n; b++) {
        sum += t.e[first][full.last[b]];
        first = full.last[b] + 1;
    }
    double best = try_all(&t);
    if (full.time_s != best || sum != best || full.last[full.n - 1] != n - 1)
        die("full program, n = %d: %g (its blocks: %g), the best of all ways is %g", n, full.time_s, sum, best);
    dp_free(&full);
}

/* If a split gains nothing, the plan is one block; of equally good cuts the first is taken. */
static void ties(void)
{
    struct table t = { .n = 4 };
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            t.e[i][j] = j - i + 1;
    struct dp_cost cost = { table_time, &t, NULL };
    void (*program[])(int, const struct dp_cost *, struct dp_partition *) = { dp_full, dp_pruned };
    for (int p = 0; p < 2; p++) {
        struct dp_partition plan;
        t.e[0][3] = 4;
        program[p](4, &cost, &plan);
        if (plan.n != 1)
            die("a tie is split into %d blocks", plan.n);
        dp_free(&plan);
        t.e[0][3] = 5;
        program[p](4, &cost, &plan);
        if (plan.n != 2 || plan.last[0] != 0)
            die("equal cuts: the first is not taken");
        dp_free(&plan);
    }
}

int main(void)
{
    error_program("dp");
    int split = 0, instances = 0;
    for (int n = 1; n <= 500; n++)
        for (int s = 0; s < (n <= 60 ? 20 : 1); s++, instances++)
            split += pruned_equals_full(n, 1 + (n + s) % 5, 1 + s % 7 + n / 50, (uint64_t)(n * 1000 + s));
    int tried = 0;
    for (int n = 1; n <= 12; n++)
        for (uint64_t s = 0; s < 30; s++, tried++)
            full_equals_all(n, s * 100 + (uint64_t)n);
    ties();
    floors();
    if (split < instances / 10)
        die("only %d of %d instances are split: the test is too weak", split, instances);
    printf("pruned = full on %d instances (%d split); full = all ways on %d\n", instances, split, tried);
    return 0;
}
