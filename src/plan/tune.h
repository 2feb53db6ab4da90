/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --tune K: times the K best configurations of a ranking with spmv-run on this machine, which must have the profile's
 * device, and names the one with the least total of N products. */
#ifndef SPMVCAST_PLAN_TUNE_H
#define SPMVCAST_PLAN_TUNE_H
#include "plan/predict_output.h"

struct tuning {
    int64_t best, budget; /* number of configurations per target; about how many products to time for each */
    const char *output;   /* run archive to keep; NULL: none */
};

/* Dies if a matrix cannot be read twice or spmv-run is not installed next to this program. */
void tune_check(const struct tuning *, const struct question *, char *const *path, int npaths);
/* Times the best of each of p[n] (one profile each) and opens `times` on the result. Dies if spmv-run fails. */
void tune_measure(const struct tuning *, const char *path, const struct question *, const struct predict_output *p,
                  int n, struct archived_times *);
/* Prints the configuration of the least measured total and its gain over the forecast's choice, as a note and as JSON fields: among those
 * timed, or without --tune among all rows with a measured time (--measured). Returns its row, of outlook[0]; NULL: none has a time. */
const struct outlook_row *tune_print(struct table *, const struct tuning *, const struct predict_output *);
#endif
