/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a row of n strips into blocks so that the sum of the blocks' times is least (guo2014 section 4, Fig. 11):
 * T[j] = min(E[0, j], min over k < j of T[k] + E[k + 1, j]); strict <: a tie stays unsplit, else the first k.
 * Two programs of one answer: dp_full asks for all n (n + 1) / 2 blocks; dp_pruned skips what cannot be better,
 * exactly, by a floor of E that never shrinks when a block grows (E itself where that never does). Both ask the same
 * E. */
#ifndef SPMVCAST_FORECAST_DP_H
#define SPMVCAST_FORECAST_DP_H
#include <stdint.h>

/* E(first, last): seconds of strips first..last (inclusive) as a matrix of its own; INFINITY where it cannot be
 * done. */
struct dp_cost {
    double (*time)(void *self, int first, int last);
    void *self;
    double (*floor)(void *self, int first, int last); /* <= time, monotone; NULL: time is */
};

struct dp_partition {
    int n;         /* blocks */
    int *last;     /* [n] last strip of each block, ascending; owned */
    double time_s; /* INFINITY: no way to cover the strips */
    int64_t asked; /* how often E was asked */
};

/* strips >= 1. */
void dp_full(int strips, const struct dp_cost *, struct dp_partition *);
void dp_pruned(int strips, const struct dp_cost *, struct dp_partition *);
void dp_free(struct dp_partition *);
#endif
