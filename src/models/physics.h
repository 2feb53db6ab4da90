/* SPDX-License-Identifier: BSD-3-Clause */
/* What the learned forecasts know of one multiplication: physics terms and features of a matrix under a configuration, from the
 * matrix's features, the layout's traffic, the kernel's grid and mapping, and its registers. No measured quantity. */
#ifndef SPMVCAST_MODELS_PHYSICS_H
#define SPMVCAST_MODELS_PHYSICS_H
#include "formats/format.h"
#include "formats/mapping.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Terms in us before their coefficients, all >= 0; features that the learned part is a function of: physics.def. */
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

/* No multiplication is faster: keeps logarithms finite where nothing but noise was measured. */
#define PHYSICS_LEAST_US 1e-3

struct physics {
    struct grid grid;
    double occupancy;    /* resident warps of the most possible */
    double least_bytes;  /* traffic_least */
    double memory_share; /* of the traffic that comes from memory, not the L2: 0 .. 1 */
    double term[NTERMS];
    double feature[NFEATURES];
};

/* registers of a thread and shared bytes of a block as compiled; registers 0: not known. FAIL: the layout's bytes or the kernel's
 * grid are not known from features (why). The matrix has entries. */
int physics_of(const struct features *, const struct config *resolved, const struct target *, int registers,
               int64_t shared_bytes, struct physics *, char why[ERRLEN]);
/* Share of the traffic that comes from memory when so many bytes are touched again and again: 0 below 2/3 of the L2, 1 above twice
 * of it; 1 where the cache is cold. */
double physics_memory_share(const struct target *, double footprint);
#ifdef __cplusplus
}
#endif
#endif
