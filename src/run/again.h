/* SPDX-License-Identifier: BSD-3-Clause */
/* --again: rows that are there are measured once more. What the option names is noted in the run's log with the time of
 * the first call, so that a run which is stopped in between goes on with the rest and does not begin anew. */
#ifndef SPMVCAST_RUN_AGAIN_H
#define SPMVCAST_RUN_AGAIN_H
#include "measure/done.h"
#include "measure/job.h"

/* usage_die where one of o->again is neither "all", an outcome, before=DATE nor a configuration */
void again_check(const struct run_options *o);
/* Does --again name this row? */
bool again_names(const struct run_options *o, const struct run_row *);
/* Rows of the run that it names are to be measured, and with --accept-noise those that are noisy. first: this rank notes it, before any other rank calls. */
int again_apply(struct run_options *o, bool first, struct done *, const struct runs *, char why[ERRLEN]);
#endif
