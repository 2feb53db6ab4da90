/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's E(i, j): the least over a set of configurations of what strips i..j as a matrix of its own add to the
 * plan: their time where blocks run one after another; where they run side by side, their time without the launch, and
 * what one more branch costs. */
#ifndef SPMVCAST_FORECAST_BLOCK_COSTS_H
#define SPMVCAST_FORECAST_BLOCK_COSTS_H
#include "forecast/dp.h"
#include "models/model.h"

enum { CHOICES = 128 };

/* config: with "auto" where each block has its own */
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

/* branching: blocks run side by side (the model has block_launch); NULL: one after another. */
void blocks_open(struct blocks *, const struct model *, const struct branching *);
/* Adds a configuration. FAIL: the model has no block costs for it (why), or there are too many. */
int blocks_add(struct blocks *, const struct profile *, const struct sketch *, const struct config *,
               const struct target *, char why[ERRLEN]);
void blocks_close(struct blocks *);

/* E and whose it is (the first of equals); INFINITY and -1: none can. */
double blocks_least(const struct blocks *, int first, int last, int *choice);
/* A choice's forecast of those strips, and what of it is the launch (0 where blocks run one after another). */
double blocks_time(const struct blocks *, int choice, int first, int last);
double blocks_launch(const struct blocks *, int choice);
struct dp_cost blocks_cost(struct blocks *);
/* The best partition of two blocks; strips >= 2. time_s INFINITY: there is none. */
void blocks_best_cut(struct blocks *, int strips, struct dp_partition *);
/* The exact program, pruned where the model allows. */
void blocks_solve(struct blocks *, int strips, struct dp_partition *);
#endif
