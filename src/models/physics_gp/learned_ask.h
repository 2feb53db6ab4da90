/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates the learned tables of a profile (profile/learned.h). */
#ifndef SPMVCAST_MODELS_LEARNED_ASK_H
#define SPMVCAST_MODELS_LEARNED_ASK_H
#include "models/physics_gp/physics.h"

/* src/models/physics_gp/gp.c */
/* Returns the covariance of two scaled points. */
double gp_covariance(const struct learned_hyper *, const float *a, const float *b);
struct gp_answer {
    double mean, variance;         /* of log(T / physics); the variance includes the noise of a measurement */
    int nnear, near[LEARNED_NEAR]; /* indices of the points with the greatest covariances, greatest first */
};
/* Returns the log of the forecast with the lowest expected squared relative error, (forecast / T - 1)^2, if log T is
 * normal: E[1/T] / E[1/T^2]. The variance is capped at that of the standard deviation GP_CENTRE_DEVIATION. */
#define GP_CENTRE_DEVIATION 0.2
double gp_centre(double mean, double variance);
/* Parts of gp_ask. gp_keep inserts a covariance into the list of the m <= LEARNED_NEAR greatest, greatest first, and
 * returns the new length of the list. gp_explained returns k' C^-1 k for the lower triangle of the covariances of m
 * points with noise, which it overwrites with a Cholesky factor. gp_left returns the variance, at least a quarter of
 * the noise; own: of the point itself, with noise. */
int gp_keep(double *best, int *index, int m, double value, int i);
double gp_explained(double c[LEARNED_NEAR][LEARNED_NEAR], const double *k, int m);
double gp_left(const struct learned_hyper *, double own, double explained);
/* Predicts at z from n points; slot: the index into alpha of each point. */
void gp_ask(const struct learned_hyper *, const struct learned_point *, int64_t n, int slot, const float *z,
            struct gp_answer *);

/* src/models/physics_gp/learned_ask.c. The n configurations are sorted as for learned_find. */
/* Finds a resolved configuration by its own text, else by its general text (config_as_asked). NULL: not found. */
const struct learned_config *learned_find_resolved(const struct learned_config *, int64_t n, const struct config *,
                                                   const struct features *, const struct target *);
/* True if only one part of a composite has entries, so that this part is forecast in its place. Sets the resolved part
 * and *found, its learned configuration (NULL: never measured). */
bool learned_lone_part(const struct learned_config *, int64_t n, const struct config *composite,
                       const struct features *, const struct target *, struct config *part,
                       const struct learned_config **found);
void learned_scale_features(const struct learned *, const double *feature, float z[NFEATURES]);
float learned_scale_feature(const struct learned_scale *, double feature); /* of one */
double learned_excess(const struct learned_scale *,
                      double feature); /* distance from the measured range; <= 0: inside */
#define LEARNED_ROUNDING 1e-6          /* smaller excess is rounding */
/* Returns the greatest distance of a feature from its measured range, and sets *which to that feature; 0 and -1: all
 * features are inside. */
double learned_distance(const struct learned *, const double *feature, int *which);

struct learned_answer {
    double log_us, deviation;      /* of the time in the faster launch state, without the lower bound */
    double t0_us, min_us;          /* empty kernel of the same grid; lower bound (learned_min_us) */
    bool few;                      /* learned_families is below LEARNED_FAMILIES */
    int nnear, near[LEARNED_NEAR]; /* matrices of the nearest points */
};
/* Returns the number of families that the configuration was measured on, or of those that are, as this matrix, mostly read from the L2 or from
 * memory, if these are below LEARNED_FAMILIES. */
int64_t learned_families(const struct learned_config *, int target, double memory_share);
/* Completes an answer of which few and t0_us are set: mean and variance of the log of the time over the variants. */
void learned_answer_set(struct learned_answer *, double mean, double variance, const struct learned_config *,
                        const struct learned_bound *, int target, const struct physics *);
/* Returns the forecast in us in the faster launch state, at least the lower bound, and its interval, which begins there at the
 * earliest. */
double learned_range(const struct learned_answer *, const struct learned_bound *, double *low_us, double *high_us);
/* Computes the forecast in the more frequent launch state and its interval, in s. */
void learned_interval(const struct learned_answer *, const struct learned_bound *, double *time_s, double *low_s,
                      double *high_s);
/* Returns the physics of one variant with coefficients b[NTERMS]; base_us: t0 + floor_us. */
double learned_variant_us(const struct physics *, double base_us, const float *b);
/* Returns a lower bound of the physics of one variant from lower bounds: of the terms other than those of bytes, the
 * megabytes moved and their share from memory. */
struct learned_least {
    int n, at[NTERMS]; /* the terms that are not 0 */
    double term[NTERMS];
};
struct learned_least learned_least_of(const double term[NTERMS]);
double learned_floor_us(const float *b, const struct learned_least *, double base_us, double mb, double memory_share);
/* Return the forecast by physics alone (geometric mean of the variants, without the lower bound), and the lower
 * bound, which no measured time is below: t0_us + floor_us, or least_us + least bytes at the highest rate. t0_us: learned_t0. */
double learned_physics_us(const struct learned *, const struct learned_config *c, const struct learned_bound *,
                          int target, const struct physics *);
double learned_min_us(double t0_us, const struct learned_bound *, const struct physics *);
/* Forecasts one configuration; requires c->families[target] > 0. */
void learned_ask(const struct learned *, const struct learned_config *c, const struct learned_bound *, int target,
                 const struct physics *, struct learned_answer *);

/* Returns the time in us of an empty kernel of a grid, interpolated linearly in log2 blocks between the fitted grids
 * with the nearest number of threads. */
double learned_t0(const struct learned_launch *, int64_t n, const struct grid *);
/* The same in two steps: the fitted grids first..end-1 with the nearest number of threads, then the number of blocks. */
void learned_launch_near(const struct learned_launch *, int64_t n, int threads, int64_t *first, int64_t *end);
double learned_t0_between(const struct learned_launch *, int64_t first, int64_t end, int64_t blocks);
/* Returns the highest rate in bytes/us for a share of traffic from memory (struct physics), interpolated in logarithms
 * between the two measured rates; NaN: none was measured. */
double learned_rate(const struct learned_bound *, double memory_share);
#endif
