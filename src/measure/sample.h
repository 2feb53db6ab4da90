/* SPDX-License-Identifier: BSD-3-Clause */
/* Single samples of the timing loop: chooses and times sequences of launches, and detects disturbance by other
 * processes. */
#ifndef SPMVCAST_MEASURE_SAMPLE_H
#define SPMVCAST_MEASURE_SAMPLE_H
#include "measure/timed.h"

/* Prepares the sampling of a row: sets t->stream_s, alpha, beta and the sequences (warm rows only). Values known
 * from earlier rounds are kept. */
int sample_begin(struct device *, struct timed *, char why[ERRLEN]);
/* Takes one sample. *time_s: T; *disturbed: other processes took more than 1 % of the time. */
int sample_take(struct device *, const struct timed *, double *time_s, bool *disturbed, char why[ERRLEN]);
/* Takes one sample of plain back-to-back launches from this processor. *time_s: per launch; NaN if it was disturbed, and for cold
 * rows. Disturbed samples are repeated until a round has another. Where the host cannot matter: the time from before the first round. */
int sample_stream(struct device *, const struct timed *, const struct host_core *, double *time_s, char why[ERRLEN]);
/* Runs the shorter sequence untimed, because other kernels ran before: otherwise only the longer sequence would find
 * its data in the caches. */
int sample_warm_up(struct device *, const struct timed *, char why[ERRLEN]);
void sample_end(struct device *, struct timed *);
/* Returns whether other processes took more than 1 % of time_s during the last measurement on the device. */
bool sample_is_disturbed(const struct device *, double time_s);
/* Call after the first round: rebuilds sequences that are far too short because their lengths were chosen from
 * disturbed times. */
int sample_retune(struct device *, struct timed *, bool *retuned, char why[ERRLEN]);
#endif
