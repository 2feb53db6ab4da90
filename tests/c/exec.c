/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel blocks: coefficients fitted to the measured times of branches, and the forecast times of blocks. */
#include <math.h>
#include <string.h>
#include "models/model.h"

#define CHECK(x)                                      \
    do {                                              \
        if (!(x))                                     \
            die("%s:%d: %s", __FILE__, __LINE__, #x); \
    } while (0)

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 + 1e-9 * fabs(b); }

static void add(struct runs *r, int64_t n, double time_us)
{
    struct branch_row b = { .branches = n, .time_us = time_us };
    TEXT_SET(b.device_key, "d");
    runs_add_branch(r, &b);
}

int main(void)
{
    struct runs runs = { 0 };
    struct profile p = { .name = "" };
    const struct target t = { .precision = F64 };
    struct branching b;

    error_program("exec");
    CHECK(!profile_branching(&p, &t, &b));
    exec_fit(&runs, &t, &p.coefs); /* no measurement: unknown */
    CHECK(p.coefs.n == 0);
    add(&runs, 1, 1.5);
    for (int64_t n = 2; n <= 32; n *= 2)
        add(&runs, n, 1.5 + 0.8 + 0.25 * (double)(n - 1));
    add(&runs, 2, 1.5 + 0.8 + 0.25); /* the second measurement replaces the first */
    CHECK(runs.nbranches == 6);
    exec_fit(&runs, &t, &p.coefs);
    coefs_sort(&p.coefs);
    CHECK(profile_branching(&p, &t, &b) && near(b.fork_s, 0.8e-6) && near(b.branch_s, 0.25e-6));

    const double launch[] = { 1e-6, 2e-6, 1e-6 }, even[] = { 10e-6, 12e-6, 11e-6 }, one[] = { 50e-6, 3e-6, 2e-6 };
    CHECK(near(exec_parallel(&b, even, launch, 1), 10e-6)); /* a single block needs no branch */
    /* the work of all blocks adds up, with one launch */
    CHECK(near(exec_parallel(&b, even, launch, 3), 2e-6 + 9e-6 + 10e-6 + 10e-6 + 0.8e-6 + 0.5e-6));
    CHECK(near(exec_parallel(&b, one, launch, 3), 2e-6 + 49e-6 + 1e-6 + 1e-6 + 0.8e-6 + 0.5e-6));
    const double path[] = { 50e-6, 50e-6 }, all_launch[] = { 50e-6, 50e-6 };
    /* the time is at least that of the longest block */
    CHECK(near(exec_parallel(&b, path, all_launch, 2), 50e-6 + 0.8e-6 + 0.25e-6));
    coefs_free(&p.coefs);
    runs_free(&runs);
    return 0;
}
