/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's E(i, j): the seconds that strips i..j as a separate matrix add to the time of the plan, with the
 * fastest of a set of configurations. If blocks run one after another, E is the time of the strips; side by side, that
 * time without the launch plus the cost of one more branch. */
#ifndef SPMVCAST_FORECAST_BLOCK_COSTS_H
#define SPMVCAST_FORECAST_BLOCK_COSTS_H
#include "forecast/dp.h"
#include "models/model.h"

enum { CHOICES = 128 };

/* A configuration of the set. `config` may contain "auto", which is resolved per block. */
struct choice {
    struct config config;
    char text[CONFIG_LEN];
    struct block_cost *cost;
};

struct blocks {
    const struct model *model;
    const struct branching *branching;
    int n;
    struct choice choice[CHOICES];
};

/* branching: the costs of running blocks side by side, which requires the model's block_launch; NULL: blocks run one
 * after another. */
void blocks_open(struct blocks *, const struct model *, const struct branching *);
/* Adds a configuration unless it is already in the set. FAIL: the model has no block costs for it, or the set is full
 * (why). */
int blocks_add(struct blocks *, const struct profile *, const struct sketch *, const struct config *,
               const struct target *, char why[ERRLEN]);
void blocks_close(struct blocks *);

/* Returns E in s and sets *choice to its configuration (the first of equals); INFINITY and -1: none has a forecast. */
double blocks_min(const struct blocks *, int first, int last, int *choice);
/* Return the forecast of strips first..last in s with one choice, and the launch part of that forecast (0 if blocks run
 * one after another). */
double blocks_time(const struct blocks *, int choice, int first, int last);
double blocks_launch(const struct blocks *, int choice);
struct dp_cost blocks_cost(struct blocks *);
/* Finds the best partition into two blocks; requires strips >= 2. time_s INFINITY: no partition has a forecast. */
void blocks_best_cut(struct blocks *, int strips, struct dp_partition *);
/* Solves the dynamic program exactly; prunes if the model has a floor. */
void blocks_solve(struct blocks *, int strips, struct dp_partition *);
#endif
