/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs of the learned forecasts for one product: physics terms and features of a matrix and a configuration.
 * They are computed from the features of the matrix, the traffic of the layout, and the grid, mapping and registers of
 * the kernel; none of them is measured. */
#ifndef SPMVCAST_MODELS_PHYSICS_H
#define SPMVCAST_MODELS_PHYSICS_H
#include "formats/format.h"
#include "formats/mapping.h"
#include "profile/learned.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A lower bound of every time in us; it keeps logarithms finite if the measured times are only noise. */
#define PHYSICS_MIN_US 1e-3

struct physics {
    struct grid grid;
    double occupancy;    /* share of the maximum resident warps: 0..1 */
    double least_bytes;  /* traffic_least */
    double memory_share; /* share of the traffic that comes from memory, not the L2: 0..1 */
    double moved, waves; /* bytes that one product moves; threads / threads that the device holds at a time */
    double heaviest_log; /* log of the entries of the heaviest thread block */
    double term[NTERMS];
    double feature[NFEATURES];
};

/* Computes terms and features of a matrix with entries. registers (per thread; 0: unknown) and shared_bytes (per block)
 * are those of the compiled kernel. FAIL: the features do not determine the bytes of the layout or the grid of the
 * kernel (why). */
int physics_of(const struct features *, const struct config *resolved, const struct target *, int registers,
               int64_t shared_bytes, struct physics *, char why[ERRLEN]);
/* physics_of in parts, for many configurations of one matrix. */
struct physics_matrix { /* what does not depend on the configuration; the other terms are 0, features NaN */
    double term[NTERMS], feature[NFEATURES], log_heaviest[HEAVIEST], x_bytes;
};
void physics_matrix_of(const struct features *, const struct target *, struct physics_matrix *);
/* Returns the share of the maximum resident warps for blocks of `threads` threads. */
double physics_occupancy(const struct target *, int threads, int registers, int64_t shared_bytes);
/* Sets the terms and the members that follow occupancy; the caller has set the first two. */
void physics_terms_of(const struct physics_matrix *, const struct features *, const struct target *,
                      const struct traffic *, const struct mapping *, struct physics *);
/* Sets the features, after the terms. */
void physics_features_of(const struct physics_matrix *, const struct features *, const struct target *,
                         const struct traffic *, const struct mapping *, struct physics *);
/* Returns the share of the traffic that comes from memory if `footprint` bytes are accessed repeatedly: 0 up to 2/3 of
 * the L2, 1 from twice the L2; 1 if cold. */
double physics_memory_share(const struct target *, double footprint);
#ifdef __cplusplus
}
#endif
#endif
