/* SPDX-License-Identifier: BSD-3-Clause */
/* Single samples of the timing loop: sequences of launches chosen and timed, and whether others disturbed them. */
#ifndef SPMVCAST_MEASURE_SAMPLE_H
#define SPMVCAST_MEASURE_SAMPLE_H
#include "measure/timed.h"

/* What it takes to sample: t->stream_s, alpha, beta and the sequences, all of a warm row. What is known of earlier
 * rounds stays as it was there. */
int sample_begin(struct device *, struct timed *, char why[ERRLEN]);
/* T. *disturbed: other processes took more than 1 % of its time. */
int sample_take(struct device *, const struct timed *, double *time_s, bool *disturbed, char why[ERRLEN]);
/* Others ran since: without this, the caches would be theirs for the shorter sequence and ours for the longer. */
int sample_warm_up(struct device *, const struct timed *, char why[ERRLEN]);
void sample_end(struct device *, struct timed *);
/* Did other processes take more than 1 % of so long, as the device tells of what it timed last? */
bool sample_is_disturbed(const struct device *, double time_s);
/* After a first round: were the sequences chosen from disturbed times, and are far too short? Then they are made anew. */
int sample_retune(struct device *, struct timed *, bool *retuned, char why[ERRLEN]);
#endif
