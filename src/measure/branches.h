/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of starting launches side by side and waiting for all of them: empty kernels as 1, 2, 4, ... branches of a
 * graph. Forecasts of plans with exec=parallel use it. */
#ifndef SPMVCAST_MEASURE_BRANCHES_H
#define SPMVCAST_MEASURE_BRANCHES_H
#include "measure/timing.h"

/* Returns 0 or FAIL (why). Reports no rows if the loop was stopped. */
int branches_measure(struct device *, const struct timing_caps *, struct empties *, const volatile int *stop,
                     void (*report)(void *arg, const struct branch_row *), void *arg, char why[ERRLEN]);
#endif
