/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of one configuration and target, arranged so that the Gaussian process predicts fast (single precision, vector
 * instructions). It agrees with gp_ask to about 1e-5. Immutable: any number of threads may ask at once. */
#ifndef SPMVCAST_MODELS_GP_POINTS_H
#define SPMVCAST_MODELS_GP_POINTS_H
#include "models/physics_gp/learned_ask.h"

struct gp_points;

/* hyper: of each variant, which must outlive the points; slot: index into alpha of variant 0, the others follow. The
 * caller owns the result. */
struct gp_points *gp_points_of(const struct learned_hyper *const hyper[LEARNED_VARIANTS], const struct learned_point *,
                               int64_t n, int slot);
void gp_points_free(struct gp_points *);
/* Returns the mean of one variant at z. */
double gp_points_mean(const struct gp_points *, int variant, const float z[NFEATURES]);
/* Returns a lower bound of the variance at any z. */
double gp_points_least_variance(const struct gp_points *);
/* Returns the mean over the variants of its variance. */
double gp_points_variance(const struct gp_points *, const float z[NFEATURES]);
#endif
