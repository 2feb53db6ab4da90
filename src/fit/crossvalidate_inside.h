/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the cross-validation (crossvalidate.h). */
#ifndef SPMVCAST_FIT_CROSSVALIDATE_INSIDE_H
#define SPMVCAST_FIT_CROSSVALIDATE_INSIDE_H
#include "fit/learn_inside.h"
#include "models/forecasts.h"

extern const char training_all[], training_generated[];

struct crossvalidation;

struct run {
    const struct learn_data *data;
    struct forecasts *out;
    const struct crossvalidation *how;
    int64_t *case_of; /* [data->n] row among the cases; -1: not a test case */
    int64_t room;
    double kept_s, keeping_s; /* time of the last write of `partial`, now_s(); its duration */
};

/* src/fit/crossvalidate_run.c */
/* Fills the cases and takes up what `partial` has of their forecasts; free case_of. */
void crossvalidate_begin(struct run *);
void crossvalidate_add(struct run *, const struct case_forecast *);
/* Is there a forecast of this model, training set, seed and fold? */
bool crossvalidate_done(const struct run *, const char *model, const char *training, int seed, int fold);
/* Writes the forecasts so far to `partial`, if the last write is long enough ago. */
void crossvalidate_keep(struct run *);
/* Assigns families to folds in random order; -1: sealed, or without a real matrix. fold[nfamilies] */
void crossvalidate_deal(const struct learn_data *, int folds, int seed, int *fold);

/* src/fit/crossvalidate_trained.c */
/* Forecasts data->at[which] by a model of a profile, of which it sets the query, and fills case, status, times and
 * distance. These models do not know launch states: the more frequent one is subtracted. */
void crossvalidate_ask(const struct run *, struct profile *, const struct model *, int64_t which,
                       struct case_forecast *);
/* Fits the wanted trained models for each fold of the first seed, the sealed families and to generated matrices, and adds
 * their forecasts. */
void crossvalidate_trained(struct run *, const struct profile *);
#endif
