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
#ifndef SPMVCAST_PROFILE_LEARNED_H
#define SPMVCAST_PROFILE_LEARNED_H
#include "archive/archive.h"
#include "base/target.h"
#include "formats/config.h"
#include "profile/families.h"
#include "runs/rows.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Terms (in us, >= 0, before multiplication by coefficients) and features of the learned part, listed in
 * learned.def. */
enum physics_term {
#define PHYSICS_TERM(name) TERM_##name,
#define PHYSICS_FEATURE(name, log)
#include "profile/learned.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
    NTERMS
};
enum physics_feature {
#define PHYSICS_TERM(name)
#define PHYSICS_FEATURE(name, log) FEATURE_##name,
#include "profile/learned.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
    NFEATURES
};
extern const char *const physics_term_names[NTERMS];
extern const char *const physics_feature_names[NFEATURES];
extern const bool physics_feature_is_log[NFEATURES];

enum { LEARNED_VARIANTS = 3, LEARNED_TARGETS = 3, LEARNED_NEAR = 12, LEARNED_CLIP = 6 };
/* Returns the index of a target among those of one precision: 0 warm in a graph, 1 cold in a graph, 2 warm in a stream;
 * -1: cold in a stream, which is never timed. */
int learned_target(enum cache, enum launching);
struct target learned_target_at(int index, enum precision); /* inverse of learned_target; sets no device */

struct learned_scale { /* of one feature: z = (x - mean) / sd, clipped at +-LEARNED_CLIP; low..high: measured range */
    char feature[32];
    double mean, sd, low, high;
};
struct learned_launch { /* time of an empty kernel of one fitted grid */
    int64_t threads;
    double log2_blocks, t0_us;
};
struct learned_bound { /* of one target: precision, cache, launch */
    int64_t precision, cache, launch;
    double floor_us, state_us; /* state_us: time that the more frequent launch state adds */
    double least_us;           /* floor_us + time of the shortest empty kernel: no product takes less */
    double factor; /* half-width of the 90 % interval of log T, in standard deviations; NaN: not calibrated */
    double bytes_per_us
        [2]; /* highest measured rate, least bytes / (T - least_us), from the L2 and from memory; NaN: none */
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
    char config[CONFIG_LEN], kernel[24];
    int64_t precision;
    int64_t registers, shared_bytes;   /* registers per thread, shared bytes per thread block */
    int64_t first, n;                  /* its rows among the points */
    int64_t families[LEARNED_TARGETS]; /* number measured; below LEARNED_FAMILIES, forecasts are extrapolated */
    /* [target][mostly from the L2, from memory]: number of families measured; below LEARNED_FAMILIES, forecasts there are extrapolated, and
     * their intervals wider by this standard deviation of log(T / pooled physics) of the kernel */
    int64_t class_families[LEARNED_TARGETS * 2];
    double class_deviation[LEARNED_TARGETS * 2];
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

enum { LEARNED_TABLES = 6 + NPRECISIONS };
extern const struct schema *const learned_schemas[LEARNED_TABLES]; /* in the order in which they are written */
int learned_store(struct archive *, const struct learned *, char why[ERRLEN]);
/* Reads the tables. *out is NULL if the profile has none (it is older, or too little was measured). Returns what
 * archive_get returns. Free with learned_free. */
int learned_load(struct archive *, struct learned **out, char why[ERRLEN]);
void learned_free(struct learned *);
const struct learned_hyper *learned_hyper_of(const struct learned *, const char *kernel, int variant);
const struct learned_bound *learned_bound_of(const struct learned *, const struct target *);
/* Finds one of n configurations, of a profile or of a running fit, sorted by text, then precision. NULL: none. */
const struct learned_config *learned_find(const struct learned_config *, int64_t n, const char *text, enum precision);
#ifdef __cplusplus
}
#endif
#endif
