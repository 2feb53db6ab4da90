/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-fit's two halves: fit.c reads runs and writes the profile, fit_table.c prints what was fitted. */
#ifndef SPMVCAST_FIT_FIT_H
#define SPMVCAST_FIT_FIT_H
#include "base/textout.h"
#include "models/model.h"

enum { TARGETS_MAX = NPRECISIONS * NCACHES * NLAUNCHES };
struct targets {
    int n;
    struct target target[TARGETS_MAX];
};

struct learned;
void fit_print_models(bool json);
/* Of physics-gp a row a target: cells, and errors on families that inner fits had not seen. NULL: none. */
void fit_print_learned(struct textout *, const struct learned *);
/* Of "nearest" a row a configuration and target: how many times there are. */
void fit_print_times(struct textout *, const struct profile *);
/* One row per fitted (model, configuration, precision, cache, launch), in the models' order. */
void fit_print_coefs(struct textout *, const struct coefs *, const struct targets *);
/* Notes: benchmarked configurations that a model left unfitted, and measured rows without a time, with a reason
 * each. */
void fit_print_unfitted(struct textout *, const struct runs *, const struct coefs *, const struct model *,
                        const struct target *, const char *why);
void fit_print_skipped(struct textout *, const struct runs *);
#endif
