/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a sequence of n strips into blocks with the least sum of block times (guo2014 section 4, Fig. 11):
 * T[j] = min(E[0, j], min over k < j of T[k] + E[k + 1, j]), compared by strict <: on a tie no split, else the first k.
 * Both programs return the same partition. dp_full evaluates all n (n + 1) / 2 blocks; dp_pruned skips blocks that
 * cannot be better, by a floor of E that never decreases when a block grows (E itself if it never decreases). */
#ifndef SPMVCAST_FORECAST_DP_H
#define SPMVCAST_FORECAST_DP_H
#include <stdint.h>

/* E(first, last): seconds of strips first..last (inclusive) as a separate matrix; INFINITY: no forecast. */
struct dp_cost {
    double (*time)(void *self, int first, int last);
    void *self;
    double (*floor)(void *self, int first, int last); /* <= time, monotone; NULL: time itself is monotone */
};

struct dp_partition {
    int n;         /* blocks */
    int *last;     /* [n] last strip of each block, ascending; owned */
    double time_s; /* INFINITY: the strips cannot be covered */
    int64_t asked; /* number of evaluations of E and its floor */
};

/* Solve for strips >= 1; free with dp_free. */
void dp_full(int strips, const struct dp_cost *, struct dp_partition *);
void dp_pruned(int strips, const struct dp_cost *, struct dp_partition *);
void dp_free(struct dp_partition *);
#endif
