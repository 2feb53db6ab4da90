/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-validation of forecasts: leaves out families of real matrices in turn, refits everything without them, and forecasts them;
 * spmv-verify scores the resulting archive. Sealed families are forecast once, by a fit to all others. */
#ifndef SPMVCAST_FIT_CROSSVALIDATE_H
#define SPMVCAST_FIT_CROSSVALIDATE_H
#include "fit/learn.h"
#include "models/forecasts.h"

struct crossvalidation {
    int folds, seeds;
    int only_fold;       /* do only this fold of the first seed; -1: all */
    const char *partial; /* file for finished folds, from which a stopped run resumes; NULL: none */
    char *const *inputs; /* input archives, for the provenance of `partial` */
    int ninputs;
};
/* profile: coefficients of the rivals, fitted to benchmark rows (rival "nearest" leaves out the query's family by itself). FAIL: too few
 * families (why). */
int crossvalidate(const struct learn_data *, struct profile *, const struct crossvalidation *, struct forecasts *,
                  char why[ERRLEN]);
#endif
