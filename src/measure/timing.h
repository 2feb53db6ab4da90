/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing loop of all measurements. T = (t(beta runs) - t(alpha runs)) / (beta - alpha), which excludes launch
 * latency, graph launch and event overhead. T still includes t0, the gap between two runs: the time of an empty
 * kernel with the same grid, measured in the same way. Cold: before each run the caches are filled with other data;
 * T = event time - shortest event time of the empty kernel + t0.
 *
 * Samples are taken in rounds. Each round is reported when it ends and its samples are kept; a later run restores
 * them and the loop adds to them. Disturbed samples are kept but not counted. */
#ifndef SPMVCAST_MEASURE_TIMING_H
#define SPMVCAST_MEASURE_TIMING_H
#include "measure/timed.h"
#include "runs/rows.h"

/* Limits per configuration. Whatever their time, at least 3 rounds are taken, and up to 6 on a GPU while plain launches scatter. */
struct timing_caps {
    int rounds;
    double time_s;
};

/* A timing loop over rows. Rows can be added between calls of timing_sweep. */
struct timing {
    struct device *device;
    const struct timing_caps *caps;
    struct empties *empties;
    const volatile int *stop;
    /* Called after each round, and when a row has all its rounds or failed. Both may be NULL. `ended` returns FAIL if
     * the device is lost. */
    void (*round_over)(void *arg, struct timed *);
    int (*ended)(void *arg, struct timed *, char why[ERRLEN]);
    void *arg;
    /* private to the loop; zero before the first sweep */
    int n, room;
    struct timed **v;
    uint64_t random;
    double swept_s; /* end of the last sweep */
};
void timing_add(struct timing *, struct timed *);
/* Takes one round of every unfinished row of this cache state, in an order shuffled with a fixed seed. *left: number of
 * them still unfinished. Checks `stop` between rounds. Returns FAIL only if the device is lost. */
int timing_sweep(struct timing *, enum cache, int *left, char why[ERRLEN]);
/* Sweeps until the median of each row has a standard error below 0.5 %, a cap is reached, or `stop` is set: first all
 * warm rows, then all cold ones. On an H200, warm rows among cold ones took 1.07 times as long, ELL and BRC 1.15 to 1.2
 * times, even if 0.5 ms of their own runs came between them and the flush. */
int timing_run(struct timing *, char why[ERRLEN]);
void timing_free(struct timing *); /* does not free the rows */

/* timing_row.c: copies the samples that count (undisturbed, of rounds that were not throttled) to sample_s, in
 * order. *rounds: number of rounds with such samples. Returns the number of samples. */
int timing_clean(const struct timed *, double sample_s[SAMPLES_MAX], int *rounds);
/* Returns whether plain launches took longer in all rounds but one than in that one, because of the host. */
bool timing_plain_scatters(const struct timed *);
/* Fills the measured columns of a row. Returns true if the row is noisy; the reason is then in r->reason. */
bool timing_fill(const struct timed *, struct run_row *);
#endif
