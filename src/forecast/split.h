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
    double convert_s, prepare_s;  /* as in struct outlook_row */
};

struct split {
    int n;
    struct split_block *block; /* [n] */
    double time_s, low_s, high_s, setup_s;
};

struct split_terms {
    const struct profile *profile;
    const struct csr *csr;
    const struct sketch *sketch;
    const struct outlook *whole; /* forecasts of the whole matrix: its target and terms are those of the blocks */
    const struct strlist *asked; /* configurations that blocks may use; empty: all. Never a library's */
    const struct blocks *blocks; /* the costs that the dynamic program used */
};

/* Makes the blocks, and adds up their times and the ends of their intervals (side by side: exec_parallel of each).
 * time_s INFINITY: a block has no forecast. Free with split_free. */
void split_make(const struct split_terms *, const struct dp_partition *, struct split *);
/* Returns the split as the rule of pick.h sees it. */
struct pick_row split_pick_row(const struct split *);
/* Replaces the split by one block: the whole matrix with the configuration of the outlook row. */
void split_keep_whole(struct split *, const struct sketch *, const struct outlook_row *);
void split_free(struct split *);
#endif
