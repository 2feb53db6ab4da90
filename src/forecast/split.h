/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan with their forecasts, made from the partition that the dynamic program found.
 * If block_time is the model's forecast, it is used. If it only guides the search (model.h: blocks_guide), each block is
 * forecast by predict from the features of its rows, with every configuration except a library's, as the whole matrix
 * is. Then neighbours are joined one pair at a time, always the pair that gives the lowest time, down to two blocks, and
 * the fastest partition is kept. */
#ifndef SPMVCAST_FORECAST_SPLIT_H
#define SPMVCAST_FORECAST_SPLIT_H
#include "forecast/block_costs.h"
#include "forecast/outlook.h"

struct split_block {
    int first, last; /* strips */
    struct features features;
    struct config config; /* resolved for the block */
    enum outlook_status status;
    double time_s, low_s, high_s; /* low_s and high_s NaN: no interval; time_s INFINITY: no forecast */
};

struct split {
    int n;
    struct split_block *block; /* [n] */
    double time_s, low_s, high_s;
};

struct split_terms {
    const struct profile *profile;
    const struct csr *csr;
    const struct sketch *sketch;
    const struct target *target;
    const struct strlist *asked; /* configurations that blocks may use; empty: all. Never a library's */
    const struct blocks *blocks; /* the costs that the dynamic program used */
};

/* Makes the blocks, and adds up their times and the ends of their intervals (side by side: exec_parallel of each).
 * time_s INFINITY: a block has no forecast. Free with split_free. */
void split_make(const struct split_terms *, const struct dp_partition *, struct split *);
/* Returns the difference in s between the plan and the whole matrix that the errors of both forecasts may explain
 * (docs/method.md, Plans); NaN: no intervals. */
double split_open(const struct split *, const struct forecast *whole);
/* Replaces the split by one block: the whole matrix with the configuration of the outlook row. */
void split_keep_whole(struct split *, const struct sketch *, const struct outlook_row *);
void split_free(struct split *);
#endif
