/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --tune K: the K best configurations of a ranking are timed by spmv-run on this machine, which must have the profile's
 * device, and the fastest of them is named. */
#ifndef SPMVCAST_PLAN_TUNE_H
#define SPMVCAST_PLAN_TUNE_H
#include "plan/predicted.h"

struct tuning {
    int64_t best, budget; /* how many of each target; multiplications spent on each, about */
    const char *output;   /* the run archive; NULL: none is kept */
};

/* Dies where the matrices cannot be read again or there is no spmv-run beside the program. */
void tune_check(const struct tuning *, const struct question *, char *const *path, int npaths);
/* Times the best of each of p[n] (one profile each) and opens `beside` on the result. Dies where spmv-run fails. */
void tune_measure(const struct tuning *, const char *path, const struct question *, const struct predicted *p, int n,
                  struct beside *);
/* Which one is fastest, and what that changes, as a line and as fields: of those timed, or, where nothing was to be tuned, of all
 * rows that have a measured time (--measured). */
void tune_print(struct textout *, const struct tuning *, const struct predicted *);
#endif
