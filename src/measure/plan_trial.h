/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as a trial of an item, measured together with the configurations: an operator of several blocks. */
#ifndef SPMVCAST_MEASURE_PLAN_TRIAL_H
#define SPMVCAST_MEASURE_PLAN_TRIAL_H
#include "measure/trials.h"
#include "runs/planfile.h"

/* Checks that the plan is for this matrix; FAIL (why) if not. May expand a recipe. */
int plan_trial_check(const struct plan *, struct subject *, char why[ERRLEN]);
/* Appends a plan to n trials, unless its rows are done or it cannot run here; then its rows are reported as na.
 * Returns the new number of trials. */
int plan_trial_add(struct bench *, const struct plan *, struct subject *, const struct target *,
                   struct item_done *count, struct trial **, int n, finish_row *finish);
#endif
