/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of starting several launches at the same time and waiting for all of them: empty kernels as 1, 2, 4, ...
 * branches of a graph. Forecasts of plans with exec=parallel use it. */
#ifndef SPMVCAST_MEASURE_BRANCHES_H
#define SPMVCAST_MEASURE_BRANCHES_H
#include "measure/timing.h"

/* Returns 0 or FAIL (why). If the loop was stopped, reports only those rows that have enough rounds. */
int branches_measure(struct device *, const struct timing_caps *, struct empties *, const volatile int *stop,
                     void (*report)(void *arg, const struct branch_row *), void *arg, char why[ERRLEN]);
#endif
