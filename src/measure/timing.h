/* SPDX-License-Identifier: BSD-3-Clause */
/* The one timing loop.  T = (t(beta runs) - t(alpha runs)) / (beta - alpha), so that neither launch latency nor the
 * start of a graph nor event overhead is in T; what stays, the gap between two runs, is t0: an empty kernel of the same
 * grid timed the same way.  Cold: each run after the caches were filled with other lines; T = event time - that of the
 * empty kernel (its least) + t0.
 *
 * Samples are taken in rounds. A round is told of as soon as it is over, so that its samples can be kept; who goes on
 * with a row later puts them back and the loop adds to them. Samples that others disturbed are kept, but not counted. */
#ifndef SPMVCAST_MEASURE_TIMING_H
#define SPMVCAST_MEASURE_TIMING_H
#include "measure/timed.h"
#include "runs/rows.h"

/* a configuration's: it ends after so many rounds, or so long (but at least 3 rounds) */
struct timing_caps {
    int rounds;
    double time_s;
};

/* A loop over rows. Rows may join between sweeps. */
struct timing {
    struct device *device;
    const struct timing_caps *caps;
    struct empties *empties;
    const volatile int *stop;
    /* After each round, and once a row has all its rounds, or failed. Both may be NULL. `ended` returns FAIL when the
     * device is lost. */
    void (*round_over)(void *arg, struct timed *);
    int (*ended)(void *arg, struct timed *, char why[ERRLEN]);
    void *arg;
    /* the loop's own: zero before the first sweep */
    int n, room;
    struct timed **v;
    uint64_t random;
    double swept_s; /* when the last sweep ended */
};
void timing_add(struct timing *, struct timed *);
/* One round of every row that is not finished, in shuffled order (fixed seed). *left: how many are not finished now.
 * `stop` is looked at between rounds. Returns FAIL only when the device is lost. */
int timing_sweep(struct timing *, int *left, char why[ERRLEN]);
/* Sweeps until each row's median is known to 0.5 % or a cap is reached, or it is stopped. */
int timing_run(struct timing *, char why[ERRLEN]);
void timing_free(struct timing *); /* not the rows */

/* timing_row.c. Samples that count, of rounds that were not throttled, undisturbed: into sample_s, in the order in which
 * they were taken. *rounds: how many rounds have such. Returns how many. */
int timing_clean(const struct timed *, double sample_s[SAMPLES_MAX], int *rounds);
/* Fills the measured columns of a row. True: it is noisy, r->reason says how that shows. */
bool timing_fill(const struct timed *, struct run_row *);
#endif
