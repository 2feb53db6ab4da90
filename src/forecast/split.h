/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan with their forecasts, made from what the dynamic program found.
 * A model whose block_time is its forecast is taken at its word. Where it only guides the search (model.h: blocks_guide),
 * each block is forecast by predict on the features of its rows, under every configuration, as the matrix whole is; then
 * neighbours are joined, those first whose joining leaves the least time, down to two blocks, and the fastest of these
 * partitions is kept. */
#ifndef SPMVCAST_FORECAST_SPLIT_H
#define SPMVCAST_FORECAST_SPLIT_H
#include "forecast/block_costs.h"
#include "forecast/outlook.h"

struct split_block {
    int first, last; /* strips */
    struct features features;
    struct config config; /* resolved for the block */
    enum outlook_status status;
    double time_s, low_s, high_s; /* low, high: NaN where the model gives no interval; time INFINITY: no forecast */
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
    const struct strlist *asked; /* configurations that blocks choose among; empty: all that are no library's */
    const struct blocks *blocks; /* the costs that the program went by */
};

/* Blocks with the least sum of times, low ends and high ends; side by side exec_parallel of each. time_s INFINITY: some
 * block has no forecast. */
void split_make(const struct split_terms *, const struct dp_partition *, struct split *);
/* Seconds by which two forecasts may differ for nothing but their errors (docs/method.md, Plans); NaN: no intervals. */
double split_open(const struct split *, const struct forecast *whole);
/* Instead: all strips as one block, of the configuration that takes the matrix whole. */
void split_keep_whole(struct split *, const struct sketch *, const struct outlook_row *);
void split_free(struct split *);
#endif
