/* SPDX-License-Identifier: BSD-3-Clause */
/* What trained models share when they are fitted and asked; profile/trained.h stores what was fitted. */
#ifndef SPMVCAST_MODELS_TRAINED_ASK_H
#define SPMVCAST_MODELS_TRAINED_ASK_H
#include "models/examples.h"

/* Sets model, configuration, target, matrices, families, and the ranges of the set's traits; weights and errors NaN. */
void trained_fit_begin(struct trained_fit *, const char *model, const struct examples *, const struct example_config *,
                       const struct example_list *);
/* Sets the errors; [n], reordered. */
void trained_fit_errors(struct trained_fit *, double *errors, int64_t n);
/* Adds the sizes of all examples of configurations that need them and are not there yet. of: index into the profile's
 * matrices for each of runs->matrices; -1: none. */
void trained_add_sizes(struct trained *, const struct examples *, const int64_t *of);

/* For predict: sets the traits x and finds the fit of a resolved configuration by its own text, else by its general
 * one. NULL: refused, with the reason and the command that would measure what is missing. */
const struct trained_fit *trained_ask(const struct profile *, const char *model, const struct features *,
                                      const struct config *, const struct target *, double x[NTRAITS],
                                      struct forecast *);
/* Marks a forecast outside the training range, and refuses it by more than a factor of 2 (then returns false). A
 * standard deviation counts plus 1, since it may be 0. */
bool trained_inside(const struct trait_set *, const double x[NTRAITS], const double *low, const double *high,
                    struct forecast *);
/* Marks a forecast whose matrix, or one of its pattern, was in training. */
void trained_tell(const struct profile *, struct forecast *);
/* The fewest matrices that a configuration with n traits is fitted to: twice the coefficients of a line. */
static inline int64_t trained_min_matrices(const struct trait_set *s) { return 2 * (s->n + 1); }
#endif
