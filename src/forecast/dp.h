/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a sequence of n strips into blocks with the lowest sum of block times (guo2014 section 4, Fig. 11):
 * T[j] = min(E[0, j], min over k < j of T[k] + E[k + 1, j]). On a tie the strips are not split; of equal cuts the first
 * k is taken. dp_full evaluates all n (n + 1) / 2 blocks. dp_pruned returns the same partition but skips blocks that
 * cannot be better, by a lower bound of E that never decreases when a block grows (E itself if it never decreases). */
#ifndef SPMVCAST_FORECAST_DP_H
#define SPMVCAST_FORECAST_DP_H
#include <stdint.h>

/* time is E: the seconds of strips first..last (inclusive) as a separate matrix; INFINITY: no forecast. */
struct dp_cost {
    double (*time)(void *self, int first, int last);
    void *self;
    double (*floor)(void *self, int first, int last); /* <= time, never decreasing when a block grows; NULL: use time */
};

struct dp_partition {
    int n;         /* number of blocks */
    int *last;     /* [n] last strip of each block, ascending; owned */
    double time_s; /* INFINITY: no partition has a forecast */
    int64_t asked; /* number of evaluations of E and its floor */
};

/* Find the best partition; require strips >= 1. Free with dp_free. */
void dp_full(int strips, const struct dp_cost *, struct dp_partition *);
void dp_pruned(int strips, const struct dp_cost *, struct dp_partition *);
void dp_free(struct dp_partition *);
#endif
