/* SPDX-License-Identifier: BSD-3-Clause */
/* The learned part of a profile, used by model physics-gp. It is fitted by spmv-fit (fit/learn.h), stored in the tables
 * learned_* and read as a whole. Times are in us, in the device's faster launch state.
 *
 * For one configuration and one target (precision, cache, launch):
 *   log T = mean over the variants of [ log(t0 + floor + sum_k b_k term_k) + g(z) ], shifted down by gp_centre
 * t0: time of an empty kernel of the same grid; floor: lower bound of the measured T - t0; b_k >= 0; z: scaled
 * features; g: a Gaussian process whose covariance is a Matern 5/2 term with one length scale per feature plus a weak
 * linear term; it has a weight alpha_i per measured matrix. Rasmussen and Williams, Gaussian Processes for
 * Machine Learning, 2006, equations 2.25, 4.17. */
#ifndef SPMVCAST_MODELS_LEARNED_H
#define SPMVCAST_MODELS_LEARNED_H
#include "archive/archive.h"
#include "base/target.h"
#include "models/families.h"
#include "models/physics_gp/physics.h"
#include "runs/rows.h"

enum { LEARNED_VARIANTS = 3, LEARNED_TARGETS = 3, LEARNED_NEAR = 12, LEARNED_CLIP = 6 };
/* Returns the index of a target among those of one precision: 0 warm in a graph, 1 cold in a graph, 2 warm in a stream;
 * -1: cold in a stream, which is never timed. */
int learned_target(enum cache, enum launching);

struct learned_scale { /* of one feature: z = (x - mean) / sd, clipped at +-LEARNED_CLIP; low..high: measured range */
    char feature[32];
    double mean, sd, low, high;
};
struct learned_launch { /* time of an empty kernel of one fitted grid */
    int64_t threads;
    double log2_blocks, t0_us;
};
struct learned_bound { /* of one target: precision, cache, launch */
    char precision[4], cache[8], launch[8];
    double floor_us, state_us; /* state_us: time that the more frequent launch state adds */
    double factor;          /* half-width of the 90 % interval of log T, in standard deviations; NaN: not calibrated */
    double bytes_per_us[2]; /* highest measured rate, least bytes / (T - t0), from the L2 and from memory; NaN: none */
    int64_t cases, matrices, families;
    /* median and 90 % quantile of |forecast / measured - 1| over families left out of inner fits; NaN: not calibrated */
    double error_median, error_p90;
};
struct learned_hyper { /* of one kernel and variant; scale 0: the variant ignores the feature */
    char kernel[24];
    int64_t variant;
    double scale[NFEATURES], amplitude, linear, noise;
};
struct learned_config {
    char config[CONFIG_LEN], kernel[24], precision[4];
    int64_t registers, shared_bytes;   /* registers per thread, shared bytes per thread block */
    int64_t first, n;                  /* its rows among the points */
    int64_t families[LEARNED_TARGETS]; /* number measured; below LEARNED_FAMILIES the kernel's pooled physics is used */
    double deviation[LEARNED_TARGETS]; /* standard deviation of log(T / physics), if pooled physics is used */
    float b[LEARNED_TARGETS * LEARNED_VARIANTS * NTERMS];
};
struct learned_point {
    int64_t matrix; /* index in learned.matrix */
    float z[NFEATURES], alpha[LEARNED_TARGETS * LEARNED_VARIANTS];
};
struct learned_matrix {
    char source_id[ID_LEN], pattern_id[ID_LEN], matrix[128], group[64], family[FAMILY_LEN];
};
enum { LEARNED_FAMILIES = 8 };

struct learned {
    struct learned_scale scale[NFEATURES];
    int64_t nlaunch, nbounds, nhypers, nconfigs, nmatrices, npoints[NPRECISIONS];
    struct learned_launch *launch; /* by threads, then blocks */
    struct learned_bound *bound;
    struct learned_hyper *hyper;   /* by kernel, then variant */
    struct learned_config *config; /* by config, then precision */
    struct learned_matrix *matrix;
    struct learned_point *point[NPRECISIONS];
};

/* src/models/physics_gp/learned.c */
enum { LEARNED_TABLES = 8 };
extern const struct schema *const learned_schemas[LEARNED_TABLES]; /* in the order in which they are written */
int learned_store(struct archive *, const struct learned *, char why[ERRLEN]);
/* Reads the tables. *out is NULL if the profile has none (it is older, or too little was measured). Returns what
 * archive_get returns. Free with learned_free. */
int learned_load(struct archive *, struct learned **out, char why[ERRLEN]);
void learned_free(struct learned *);
const struct learned_hyper *learned_hyper_of(const struct learned *, const char *kernel, int variant);
const struct learned_bound *learned_bound_of(const struct learned *, const struct target *);
/* Returns the time in us of an empty kernel of a grid, interpolated linearly in log2 blocks between the fitted grids
 * with the nearest number of threads. */
double learned_t0(const struct learned_launch *, int64_t n, const struct grid *);
/* The same in two steps: the fitted grids first..end-1 with the nearest number of threads, then the number of blocks. */
void learned_launch_near(const struct learned_launch *, int64_t n, int threads, int64_t *first, int64_t *end);
double learned_t0_between(const struct learned_launch *, int64_t first, int64_t end, int64_t blocks);
/* Returns the highest rate in bytes/us for a share of traffic from memory (struct physics), interpolated in logarithms
 * between the two measured rates; NaN: none was measured. */
double learned_rate(const struct learned_bound *, double memory_share);

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

/* src/models/physics_gp/learned_ask.c. The n configurations, of a profile or of a running fit, are sorted by text, then
 * precision. */
struct target learned_target_at(int index, enum precision); /* inverse of learned_target; sets no device */
const struct learned_config *learned_find(const struct learned_config *, int64_t n, const char *text, enum precision);
/* Finds a resolved configuration by its own text, else by its general text (config_as_asked). NULL: not found. */
const struct learned_config *learned_find_resolved(const struct learned_config *, int64_t n, const struct config *,
                                                   const struct features *, const struct target *);
/* True if only one part of a composite has entries, so that this part is forecast in its place. Sets the resolved part
 * and *found, its learned configuration (NULL: never measured). */
bool learned_lone_part(const struct learned_config *, int64_t n, const struct config *composite,
                       const struct features *, const struct target *, struct config *part,
                       const struct learned_config **found);
void learned_scale_features(const struct learned *, const double *feature, float z[NFEATURES]);
/* Returns the greatest distance of a feature from its measured range, and sets *which to that feature; 0 and -1: all
 * features are inside. */
double learned_distance(const struct learned *, const double *feature, int *which);

struct learned_answer {
    double log_us, deviation;      /* of the time in the faster launch state, without the lower bound */
    double t0_us, least_us;        /* empty kernel; lower bound: t0_us + least bytes at the highest rate */
    bool pooled;                   /* measured on too few families, so the pooled physics of the kernel was used */
    int nnear, near[LEARNED_NEAR]; /* matrices of the nearest points */
};
/* Completes an answer of which pooled and t0_us are set: mean and variance of the log of the time over the variants. */
void learned_answer_set(struct learned_answer *, double mean, double variance, const struct learned_bound *,
                        const struct physics *);
/* Computes the forecast in the more frequent launch state and its interval, in s. */
void learned_interval(const struct learned_answer *, const struct learned_bound *, double *time_s, double *low_s,
                      double *high_s);
/* Returns the physics of one variant with coefficients b[NTERMS]; base_us: t0 + floor_us. */
double learned_variant_us(const struct physics *, double base_us, const float *b);
/* Returns a lower bound of the physics of one variant from lower bounds: of the terms other than those of bytes (in
 * term, which has 0 for these), the megabytes moved and their share from memory. */
double learned_floor_us(const float *b, const double term[NTERMS], double base_us, double mb, double memory_share);
/* Return the forecast by physics alone (geometric mean of the variants, without the lower bound), and the lower
 * bound. */
double learned_physics_us(const struct learned *, const struct learned_config *c, const struct learned_bound *,
                          int target, const struct physics *);
double learned_least_us(const struct learned *, const struct learned_bound *, const struct physics *);
/* Forecasts one configuration; requires c->families[target] > 0. */
void learned_ask(const struct learned *, const struct learned_config *c, const struct learned_bound *, int target,
                 const struct physics *, struct learned_answer *);
#endif
