/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits trained models (struct model, member train) to the examples of all targets, for a profile or one fold of a
 * cross-validation. */
#ifndef SPMVCAST_FIT_TRAIN_H
#define SPMVCAST_FIT_TRAIN_H
#include "base/options.h"
#include "models/trained_ask.h"
#include "table/textout.h"

struct targets {
    int n;
    struct target target[TARGET_KEYS];
};

/* Must the other model be fitted too? */
bool model_needs(const struct model *, const char *other);
/* Does the profile have coefficients of the model, or times of "nearest"? */
bool fit_has(const struct profile *, const char *model);
/* Adds the models that the wanted ones need, except, unless trained, those that the profile has (NULL: none). */
void fit_want_needed(struct strlist *wanted, const struct profile *has);
/* Is a model wanted, by name or by "all"? */
bool fit_wants(const struct strlist *wanted, const char *model);

struct training {
    int n, *family;
    int64_t *of;                           /* row among the profile's matrices of each of runs->matrices; -1: none */
    struct examples examples[TARGET_KEYS]; /* of targets with examples */
    char why[ERRLEN];                      /* of the last target without examples; "": none */
};
/* Gathers the examples of the targets; the profile must have its matrices and families. Runs must outlive it. */
void training_make(struct training *, const struct runs *, const struct profile *, const struct targets *);
void training_free(struct training *);
/* Fits the wanted trained models to the matrices in use (NULL: all). why[model]: the reason of the first target that a
 * model could not be fitted to; "": fitted to all. Adds the time of each model to table effort. */
struct reason {
    char text[ERRLEN];
};
void train_models(const struct training *, const bool *use, const struct strlist *wanted, struct trained *,
                  struct reason *why);
/* Adds to the time that a model took to fit. */
void effort_add(struct trained *, const char *model, double fit_s);
/* Adds the time of a model that consists of those that it needs: the sum of theirs (of a trained one: of trained ones). */
void effort_add_parts(struct trained *, const struct model *);

/* Prints one row per fit, in the order of the models, and a note on each model that could not be fitted. */
void fit_print_trained(struct table *, const struct trained *, const struct strlist *wanted, const struct reason *why);
#endif
