/* SPDX-License-Identifier: BSD-3-Clause */
/* What it costs a device to start launches side by side and to wait for all of them: empty kernels as 1, 2, 4, ...
 * branches of a graph. Plans with exec=parallel are forecast from it. */
#ifndef SPMVCAST_MEASURE_BRANCHES_H
#define SPMVCAST_MEASURE_BRANCHES_H
#include "measure/timing.h"

/* 0 or FAIL (why). Where the loop was stopped nothing is reported. */
int branches_measure(struct device *, const struct timing_caps *, struct empties *, const volatile int *stop,
                     void (*report)(void *arg, const struct branch_row *), void *arg, char why[ERRLEN]);
#endif
