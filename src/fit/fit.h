/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-fit: fit_runs.c reads the runs, add.c the profile of --add, fit.c fits the models and writes a profile,
 * outcome.c tells which were fitted, fit_table.c prints the fitted models. */
#ifndef SPMVCAST_FIT_FIT_H
#define SPMVCAST_FIT_FIT_H
#include "fit/train.h"
#include "models/model.h"

/* src/fit/fit_runs.c. These die if a file cannot be read, or if nothing in it can be fitted. */
/* Reads the rows of one device (--device; NULL: the archives must have only one) into `runs`, indexed, and the versions of its driver
 * and library into the profile. older: of the revisions of a kernel, NEWEST_OF_EACH, else
 * NEWEST_OF_ALL (runs/rows.h). */
void fit_load_runs(char **paths, int n, const char *device, bool older, struct runs *, struct profile *);
/* Sets the profile's device, its name, date and host CPU. */
void fit_describe(struct profile *, const struct runs *);
void fit_targets(const struct runs *, const struct geometry *, struct targets *);
/* Copies the facts of matrices with a valid row that is an example (run_row_is_example) into the profile. */
void fit_keep_matrices(const struct runs *, struct profile *);

/* src/fit/add.c: reads the profile that --add names, without the fits of the wanted models, and adds to `wanted` what
 * they need and the profile lacks. Dies if it is of another device than the runs, or lacks times that a model needs. */
void fit_load_base(const char *path, const struct runs *, struct strlist *wanted, struct profile *);

/* src/fit/outcome.c */
struct fit_reasons {
    const struct reason *fit, *trained; /* [model][TARGET_KEYS], [model]; "": fitted, or not tried */
    const char *learned;                /* of the default model */
};
/* Dies with the reason of the first requested model, unless one was fitted. The first nrequested of the wanted models are
 * the requested ones, the others are needed by them. */
void fit_check_any(const struct profile *, const struct strlist *wanted, int nrequested, const struct fit_reasons *,
                   int64_t nrows);
/* Dies if there is a profile at `path` that would be lost: one of another device, a full one if this one is a quick trial, or one with
 * models that this one would lack. Any other file is left to profile_store. reasons: NULL before the wanted models are fitted. */
void fit_check_output(const char *path, const struct profile *, const struct strlist *wanted,
                      const struct fit_reasons *reasons);
/* Adds the times of wanted models without a fit of their own to table effort. */
void fit_composed_efforts(struct profile *, const struct strlist *wanted);
/* Prints a note on each model named in `wanted` that has no fit of its own and needs one that was not fitted. */
void fit_print_composed(struct table *, const struct profile *, const struct strlist *wanted,
                        const struct fit_reasons *);

struct learned;
void fit_print_models(bool json);
/* Prints one row per target of physics-gp: cells, and errors on families left out of inner fits. NULL: prints nothing. */
void fit_print_learned(struct table *, const struct learned *);
/* Prints one row per configuration and target of "nearest": the number of times. */
void fit_print_times(struct table *, const struct profile *);
/* Prints one row per fitted (model, configuration, precision, cache, launch), in the order of the models. */
void fit_print_coefs(struct table *, const struct coefs *, const struct targets *);
/* Print notes: benchmarked configurations that a model serves but could not fit (only the reason if it could fit none
 * for any target), and measured rows without a time, with reasons. Returns true if there are such configurations. */
bool fit_print_unfitted(struct table *, const struct runs *, const struct coefs *, const struct model *,
                        const struct target *, const char *why);
void fit_print_skipped(struct table *, const struct runs *);
#endif
