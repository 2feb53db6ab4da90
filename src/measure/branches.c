/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the cost of graph branches (branches.h) with the common timing loop. */
#include "measure/branches.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

enum { COUNTS = 6, BRANCHES_MOST = 1 << (COUNTS - 1), THREADS = 256 };

static void report_one(const struct device *d, const struct timed *t, int64_t branches,
                       void (*report)(void *, const struct branch_row *), void *arg)
{
    struct branch_row row = { .branches = branches };
    struct run_row timed;

    run_row_blank(&timed);
    (void)timing_fill(t, &timed);
    TEXT_SET(row.device_key, d->facts.key);
    row.time_us = timed.time_us;
    row.samples = timed.samples;
    utc_now(row.measured);
    report(arg, &row);
}

int branches_measure(struct device *d, const struct timing_caps *caps, struct empties *empties,
                     const volatile int *stop, void (*report)(void *, const struct branch_row *), void *arg,
                     char why[ERRLEN])
{
    const struct grid grid = { d->geometry.sms, THREADS };
    struct launch part[BRANCHES_MOST], launch[COUNTS] = { 0 };
    int64_t offset[BRANCHES_MOST] = { 0 };
    struct timed *timed = xcalloc(COUNTS, sizeof *timed);
    struct timing timing = { .device = d, .caps = caps, .empties = empties, .stop = stop };
    int status = d->backend->empty(d, grid, &part[0], why);

    for (int i = 1; i < BRANCHES_MOST; i++)
        part[i] = part[0];
    for (int i = 0; i < COUNTS && !status; i++) {
        status = d->backend->branches(d, part, offset, 1 << i, &launch[i], why);
        timed[i] = (struct timed){ .launch = &launch[i], .grid = grid, .cache = WARM };
        timing_add(&timing, &timed[i]);
    }
    if (!status)
        status = timing_run(&timing, why);
    timing_free(&timing);
    for (int i = 0; i < COUNTS && !status; i++)
        if (timed[i].failed)
            status = fail(why, "%d branches: %.400s", 1 << i, timed[i].why);
    for (int i = 0; i < COUNTS && !status; i++)
        if (timed[i].rounds >= ROUNDS_MIN)
            report_one(d, &timed[i], 1 << i, report, arg);
    for (int i = 0; i < COUNTS && !d->lost; i++)
        if (launch[i].prepared)
            d->backend->branches_free(d, &launch[i]);
    free(timed);
    return status ? FAIL : 0;
}
