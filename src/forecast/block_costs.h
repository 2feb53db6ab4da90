/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's E(i, j): what strips i..j as a separate matrix add to the time of the plan, the least over a set of
 * configurations. If blocks run one after another, this is their time; side by side, their time without the launch plus
 * the cost of one more branch. */
#ifndef SPMVCAST_FORECAST_BLOCK_COSTS_H
#define SPMVCAST_FORECAST_BLOCK_COSTS_H
#include "forecast/dp.h"
#include "models/model.h"

enum { CHOICES = 128 };

/* config: "auto" is resolved per block */
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

/* branching: blocks run side by side, which requires block_launch of the model; NULL: one after another. */
void blocks_open(struct blocks *, const struct model *, const struct branching *);
/* Adds a configuration. FAIL: the model has no block costs for it (why), or there are too many. */
int blocks_add(struct blocks *, const struct profile *, const struct sketch *, const struct config *,
               const struct target *, char why[ERRLEN]);
void blocks_close(struct blocks *);

/* Returns E in s and its choice (the first of equals); INFINITY and -1: no configuration has a forecast. */
double blocks_least(const struct blocks *, int first, int last, int *choice);
/* Return a choice's forecast in s for those strips, and its launch part (0 if blocks run one after another). */
double blocks_time(const struct blocks *, int choice, int first, int last);
double blocks_launch(const struct blocks *, int choice);
struct dp_cost blocks_cost(struct blocks *);
/* Finds the best partition into two blocks; strips >= 2. time_s INFINITY: none has a forecast. */
void blocks_best_cut(struct blocks *, int strips, struct dp_partition *);
/* Solves the dynamic program exactly, with pruning if the model has a floor. */
void blocks_solve(struct blocks *, int strips, struct dp_partition *);
#endif
