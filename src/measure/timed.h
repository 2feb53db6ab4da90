/* SPDX-License-Identifier: BSD-3-Clause */
/* A row while it is timed, and the empty kernels whose times are subtracted. */
#ifndef SPMVCAST_MEASURE_TIMED_H
#define SPMVCAST_MEASURE_TIMED_H
#include "measure/host_core.h"
#include "runs/log_rows.h"

/* ROUNDS_PLAIN: after so many rounds, plain launches may scatter. */
enum { ROUNDS_MIN = 3, ROUNDS_PLAIN = 6, ROUNDS_MAX = 100, SAMPLES_MAX = ROUNDS_MAX * ROUND_SAMPLES };

/* One row to time: a configuration, warm or cold. */
struct timed {
    const struct launch *launch;
    struct grid grid;
    enum cache cache;
    /* data of the caller: its trial, and the number of rounds it has reported */
    void *of;
    int told;
    /* initially the rounds of earlier runs, set by the caller */
    int rounds;
    struct round_row round[ROUNDS_MAX]; /* .row is filled by the caller */
    double t0_s, empty_s;               /* of the empty kernel: T when warm; event time when cold */
    bool empty_noisy;                   /* the empty kernel was disturbed */
    double stream_s;                    /* of plain launches before the first round; NaN for cold */
    int64_t alpha, beta;                /* 0 for cold */
    bool failed;                        /* reason in `why` */
    char why[ERRLEN];
    /* private to the loop */
    struct sequence *short_run, *long_run;
    int plain; /* launches of a sample of plain launches */
    bool begun, finished, retuned;
};

/* EMPTY_ATTEMPTS: samples taken of an empty kernel at most; with fewer than EMPTY_FEW undisturbed ones its time is
 * noisy. */
enum { EMPTY_ATTEMPTS = 90, EMPTY_FEW = 3 };
/* An empty kernel. Each grid of a device has one, which is timed once unless disturbed, and again if the launch state has changed. */
struct empty {
    struct grid grid;
    struct launch launch;
    double warm_s, cold_s;  /* cold_s: NaN until needed */
    bool noisy, cold_noisy; /* disturbed, so it must be timed again */
};
struct empties {
    int n;
    struct empty *v;
    double checked_s; /* when the launch state was last looked at; now_s() */
    struct host_core core;
};
void empties_free(struct empties *);
/* Sets t0_s, empty_s and empty_noisy of a row from the empty kernel with its grid, which is timed first if needed. */
int empties_get(struct device *, struct empties *, struct timed *, char why[ERRLEN]);
#endif
