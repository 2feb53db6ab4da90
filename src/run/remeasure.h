/* SPDX-License-Identifier: BSD-3-Clause */
/* --again: measures existing rows again. The run's log notes the option with the time of the first call, so a stopped
 * run resumes with the remaining rows. */
#ifndef SPMVCAST_RUN_REMEASURE_H
#define SPMVCAST_RUN_REMEASURE_H
#include "measure/done.h"
#include "measure/job.h"

/* Calls usage_die if an item of o->again is neither "all", an outcome, before=DATE, a kernel nor a configuration. */
void remeasure_check(const struct run_options *o);
/* Returns whether --again selects this row. */
bool remeasure_selects(const struct run_options *o, const struct run_row *);
/* Reopens the rows that --again selects and, with --accept-noise, noisy rows that have a time. first: this rank
 * writes the note, so it must call before all others. FAIL: the logs cannot be read or written (why). */
int remeasure_apply(struct run_options *o, bool first, struct done *, const struct runs *, char why[ERRLEN]);
#endif
