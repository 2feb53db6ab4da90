/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-validation of forecasts: families of real matrices are left out in turn, every choice is made anew without them, and what is
 * forecast of them goes into an archive that spmv-verify scores. Sealed families are forecast once, by a fit to all others. */
#ifndef SPMVCAST_FIT_CROSSVALIDATE_H
#define SPMVCAST_FIT_CROSSVALIDATE_H
#include "fit/learn.h"
#include "models/forecasts.h"

struct crossvalidation {
    int folds, seeds;
    int only_fold; /* of the first seed, nothing else; -1: all */
    const char *
        partial; /* where what is done is kept until all is; a run that was stopped goes on from there. NULL: nowhere */
    char *const *inputs; /* archives, for its provenance */
    int ninputs;
};
/* profile: the rivals' coefficients, fitted to benchmark rows ("nearest" leaves out the query's family itself). FAIL: too few
 * families (why). */
int crossvalidate(const struct learn_data *, struct profile *, const struct crossvalidation *, struct forecasts *,
                  char why[ERRLEN]);
#endif
