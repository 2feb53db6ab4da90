/* SPDX-License-Identifier: BSD-3-Clause */
/* The one timing loop.  T = (t(beta runs) - t(alpha runs)) / (beta - alpha), so that neither launch latency nor the
 * start of a graph nor event overhead is in T; what stays, the gap between two runs, is t0: an empty kernel of the same
 * grid timed the
 * same way.  Cold: each run after the caches were filled with other lines; T = event time - that of the empty kernel
 * (its least) + t0. */
#ifndef SPMVCAST_MEASURE_TIMING_H
#define SPMVCAST_MEASURE_TIMING_H
#include "device/device.h"
#include "runs/rows.h"

enum { ROUNDS_MIN = 3, ROUNDS_MAX = 100, ROUND_SAMPLES = 5 };

/* One row to be timed: a configuration, warm or cold. */
struct timed {
    const struct launch *launch;
    struct grid grid;
    enum cache cache;
    /* what comes out */
    double t0_s, empty_s; /* empty kernel: as a warm T; cold event time */
    double stream_s;      /* NaN for cold */
    int64_t alpha, beta;  /* 0 for cold */
    int n, ndropped;
    double sample_s[ROUNDS_MAX * ROUND_SAMPLES], dropped_s[ROUNDS_MAX * ROUND_SAMPLES];
    int rounds;
    double round_s[ROUNDS_MAX]; /* medians */
    double clock_mhz_sum;
    int clocks;
    bool failed; /* why says it */
    char why[ERRLEN];
    /* the loop's own */
    struct sequence *short_run, *long_run;
    double spent_s;
    bool finished;
};

/* a configuration's: it ends after so many rounds, or so long (but at least 3 rounds) */
struct timing_caps {
    int rounds;
    double time_s;
};

/* The empty kernels of one device, by grid: each is timed once. */
struct empty {
    struct grid grid;
    struct launch launch;
    double warm_s, cold_s;
}; /* cold_s: NaN until it is needed */
struct empties {
    int n;
    struct empty *v;
};
void empties_free(struct empties *);

/* Times v[0..n) round-robin in shuffled order (fixed seed) until each one's median is known to 0.5 % or a cap is
 * reached. `stop` is looked at between rounds: true ends the loop, rows without 3 rounds then have rounds < ROUNDS_MIN.
 * Returns FAIL only when the device is lost. */
int timing_run(struct device *, struct timed *v, int n, const struct timing_caps *, struct empties *,
               const volatile int *stop, char why[ERRLEN]);
/* Fills the measured columns of a row. */
void timing_fill(const struct timed *, struct run_row *);
#endif
