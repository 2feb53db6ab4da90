/* SPDX-License-Identifier: BSD-3-Clause */
/* A row while it is timed, and the empty kernels whose times are taken off. */
#ifndef SPMVCAST_MEASURE_TIMED_H
#define SPMVCAST_MEASURE_TIMED_H
#include "device/device.h"
#include "runs/log_rows.h"

enum { ROUNDS_MIN = 3, ROUNDS_MAX = 100, SAMPLES_MAX = ROUNDS_MAX * ROUND_SAMPLES };

/* One row to be timed: a configuration, warm or cold. */
struct timed {
    const struct launch *launch;
    struct grid grid;
    enum cache cache;
    /* the caller's: what it is a row of, and rounds that are kept */
    void *of;
    int told;
    /* those of earlier processes first: put here by the caller, with the number of them */
    int rounds;
    struct round_row round[ROUNDS_MAX]; /* .row is the caller's to fill */
    double t0_s, empty_s;               /* empty kernel: as a warm T; cold event time */
    bool empty_noisy;                   /* which was not timed undisturbed */
    double stream_s;                    /* NaN for cold */
    int64_t alpha, beta;                /* 0 for cold */
    bool failed;                        /* why says it */
    char why[ERRLEN];
    /* the loop's own */
    struct sequence *short_run, *long_run;
    bool begun, finished, retuned;
};

/* The empty kernels of one device, by grid: each is timed once. */
struct empty {
    struct grid grid;
    struct launch launch;
    double warm_s, cold_s;  /* cold_s: NaN until it is needed */
    bool noisy, cold_noisy; /* it has to be timed again */
};
struct empties {
    int n;
    struct empty *v;
};
void empties_free(struct empties *);
/* Fills t0_s, empty_s, empty_noisy from the empty kernel of its grid, timed if it has not been. */
int empties_get(struct device *, struct empties *, struct timed *, char why[ERRLEN]);
#endif
