/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-fit: fit.c reads runs and writes the profile, fit_table.c prints the fitted models. */
#ifndef SPMVCAST_FIT_FIT_H
#define SPMVCAST_FIT_FIT_H
#include "fit/train.h"
#include "models/model.h"

struct learned;
void fit_print_models(bool json);
/* Prints one row per target of physics-gp: cells, and errors on families left out of inner fits. NULL: prints nothing. */
void fit_print_learned(struct textout *, const struct learned *);
/* Prints one row per configuration and target of "nearest": the number of times. */
void fit_print_times(struct textout *, const struct profile *);
/* Prints one row per fitted (model, configuration, precision, cache, launch), in the order of the models. */
void fit_print_coefs(struct textout *, const struct coefs *, const struct targets *);
/* True if the model has a coefficient. */
bool fit_any(const struct coefs *, const struct model *);
/* Print notes: benchmarked configurations that a model serves but could not fit (only the reason if it could fit none
 * for any target), and measured rows without a time, with reasons. Returns true if there are such configurations. */
bool fit_print_unfitted(struct textout *, const struct runs *, const struct coefs *, const struct model *,
                        const struct target *, const char *why);
void fit_print_skipped(struct textout *, const struct runs *);
#endif
