/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_MEASURE_TRIALS_H
#define SPMVCAST_MEASURE_TRIALS_H
#include "measure/stage.h"

/* Configurations with rows to be timed: [returned], owned by the caller. Rows that need no timing (not applicable here,
 * or they ended the process twice) go to `finish`; count gets all rows, and those that were there already. */
typedef void finish_row(struct bench *, const struct subject *, struct run_row *, const char *outcome,
                        const char *reason);
int trials_make(struct bench *, const struct subject *, const struct target *, struct item_done *count,
                struct trial **out, finish_row *finish);
/* A row of s as it is before anything is known of it. */
void row_begin(const struct bench *, const struct subject *, const struct target *, const char *role,
               const char *kernel, int64_t revision, const char *text, const char *asked, struct run_row *);
/* A trial's rows in the cache states asked for, already begun: counted, those not done wanted, and those with nothing
 * to time (reason) reported. True when something is left. */
bool trial_take(struct bench *, const struct subject *, struct trial *, const char *reason, struct item_done *count,
                finish_row *finish);
/* How many configurations a sweep leaves out for a source of such features, because they move too many bytes. */
int trials_skipped(const struct run_options *, const struct source *, const struct features *, const struct target *);
#endif
