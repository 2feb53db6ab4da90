/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs of the learned forecasts for one multiplication: physics terms and features of a matrix and a configuration,
 * from the matrix's features, the layout's traffic, the kernel's grid, mapping and registers. None of them is
 * measured. */
#ifndef SPMVCAST_MODELS_PHYSICS_H
#define SPMVCAST_MODELS_PHYSICS_H
#include "formats/format.h"
#include "formats/mapping.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Terms (us, before multiplication by coefficients, all >= 0) and features of the learned part: physics.def. */
enum physics_term {
#define PHYSICS_TERM(name) TERM_##name,
#define PHYSICS_FEATURE(name)
#include "models/physics.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
    NTERMS
};
enum physics_feature {
#define PHYSICS_TERM(name)
#define PHYSICS_FEATURE(name) FEATURE_##name,
#include "models/physics.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
    NFEATURES
};
extern const char *const physics_term_names[NTERMS];
extern const char *const physics_feature_names[NFEATURES];

/* No multiplication is faster than this. Keeps logarithms finite if the measured times are only noise. */
#define PHYSICS_LEAST_US 1e-3

struct physics {
    struct grid grid;
    double occupancy;    /* resident warps over the most possible */
    double least_bytes;  /* traffic_least */
    double memory_share; /* share of the traffic that comes from memory, not the L2: 0..1 */
    double term[NTERMS];
    double feature[NFEATURES];
};

/* Computes terms and features; the matrix must have entries. registers per thread and shared bytes per block as
 * compiled; registers 0: unknown. FAIL: features do not determine the layout's bytes or the kernel's grid (why). */
int physics_of(const struct features *, const struct config *resolved, const struct target *, int registers,
               int64_t shared_bytes, struct physics *, char why[ERRLEN]);
/* Returns the share of the traffic that comes from memory if `footprint` bytes are accessed repeatedly: 0 below 2/3 of
 * the L2, 1 above twice the L2; 1 if cold. */
double physics_memory_share(const struct target *, double footprint);
#ifdef __cplusplus
}
#endif
#endif
