/* SPDX-License-Identifier: BSD-3-Clause */
/* The learned part of a profile: what model physics-gp forecasts with. Fitted by spmv-fit (fit/learn.h), stored in tables of its own,
 * read whole. Times in us, in the device's faster launch state.
 *
 * One configuration under one target (precision, cache, launch):
 *   log T = mean over the variants of [ log(t0 + floor + sum_k b_k term_k) + g(z) ], less a share of its variance (gp_centre)
 * t0: an empty kernel of the same grid; floor: a time below which no T - t0 was measured; b_k >= 0; z: scaled features; g: a Gaussian
 * process with a Matern 5/2 covariance of one length scale a feature and a weak linear one, its weights alpha_i given at the measured
 * matrices. Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equations 2.25, 4.17. */
#ifndef SPMVCAST_MODELS_LEARNED_H
#define SPMVCAST_MODELS_LEARNED_H
#include "archive/archive.h"
#include "base/target.h"
#include "models/families.h"
#include "models/physics.h"
#include "runs/rows.h"

enum { LEARNED_VARIANTS = 3, LEARNED_TARGETS = 3, LEARNED_NEAR = 12, LEARNED_CLIP = 6 };
/* Of one precision: warm in a graph, cold in a graph, warm in a stream. -1: none (nothing is timed cold in a stream). */
int learned_target(enum cache, enum launching);

struct learned_scale { /* of feature i: z = (x - mean) / sd, clipped at +-LEARNED_CLIP; x was seen in low .. high */
    char feature[32];
    double mean, sd, low, high;
};
struct learned_launch { /* an empty kernel's time, at the fitted grids */
    int64_t threads;
    double log2_blocks, t0_us;
};
struct learned_bound { /* of one precision, cache, launch */
    char precision[4], cache[8], launch[8];
    double floor_us, state_us; /* state_us: what the more frequent launch state adds */
    double factor;             /* half-width of a 90 % interval over the deviation of log T; NaN: not calibrated */
    double bytes_per_us[2];    /* greatest measured: least bytes / (T - t0), from the L2 and from memory; NaN: none */
    int64_t cases, matrices, families;
    double error_median,
        error_p90; /* |forecast / measured - 1| of families that inner fits had not seen; NaN: not calibrated */
};
struct learned_hyper { /* of one kernel and variant; scale 0: the variant does not look at the feature */
    char kernel[24];
    int64_t variant;
    double scale[NFEATURES], amplitude, linear, noise;
};
struct learned_config {
    char config[CONFIG_LEN], kernel[24], precision[4];
    int64_t registers, shared_bytes;   /* of a thread, of a block, as compiled */
    int64_t first, n;                  /* its points */
    int64_t families[LEARNED_TARGETS]; /* measured; below LEARNED_FAMILIES the kernel's pooled physics serves */
    double deviation[LEARNED_TARGETS]; /* of log(T / physics), where pooled physics serves */
    float b[LEARNED_TARGETS * LEARNED_VARIANTS * NTERMS];
};
struct learned_point {
    int64_t matrix; /* index among the matrices */
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

/* src/models/learned.c */
enum { LEARNED_TABLES = 8 };
extern const struct schema *const learned_schemas[LEARNED_TABLES]; /* as written, in this order */
int learned_store(struct archive *, const struct learned *, char why[ERRLEN]);
/* *out NULL: the profile has none (it is older, or too little was measured). Returns what archive_get does. */
int learned_load(struct archive *, struct learned **out, char why[ERRLEN]);
void learned_free(struct learned *);
const struct learned_hyper *learned_hyper_of(const struct learned *, const char *kernel, int variant);
const struct learned_bound *learned_bound_of(const struct learned *, const struct target *);
/* An empty kernel of that grid: the fitted grid with the nearest number of threads, between blocks by straight lines. */
double learned_t0(const struct learned_launch *, int64_t n, const struct grid *);
/* Share of the traffic that comes from memory follows physics_of; between both rates in logarithms. NaN: none measured. */
double learned_rate(const struct learned_bound *, double memory_share);

/* src/models/gp.c */
/* Covariance of two scaled points. */
double gp_covariance(const struct learned_hyper *, const float *a, const float *b);
struct gp_answer {
    double mean, variance; /* of log(T / physics); variance: from the nearest points, a measurement's noise included */
    int nnear, near[LEARNED_NEAR]; /* points with the greatest covariances, greatest first */
};
/* The log T with the least expected squared relative error (forecast / T - 1)^2, where log T is normal: E[1/T] / E[1/T^2]. The variance
 * counts up to that of a deviation of 20 %. */
double gp_centre(double mean, double variance);
/* slot: which alpha of the points */
void gp_ask(const struct learned_hyper *, const struct learned_point *, int64_t n, int slot, const float *z,
            struct gp_answer *);

/* src/models/learned_ask.c. Configurations are sorted by text, then precision: l->config, or those of a fit to come. */
struct target learned_target_at(int index, enum precision); /* the inverse of learned_target; without a device */
const struct learned_config *learned_find(const struct learned_config *, int64_t n, const char *text, enum precision);
/* By its own text, else by its general one (config_as_asked). */
const struct learned_config *learned_find_resolved(const struct learned_config *, int64_t n, const struct config *,
                                                   const struct features *, const struct target *);
/* Has a composite one part alone with entries? That part serves: resolved, and *found (NULL: never measured). */
bool learned_lone_part(const struct learned_config *, int64_t n, const struct config *composite,
                       const struct features *, const struct target *, struct config *part,
                       const struct learned_config **found);
void learned_scale_features(const struct learned *, const double *feature, float z[NFEATURES]);
/* The greatest excess of a feature over what was seen, and whose; 0 and -1: none. */
double learned_distance(const struct learned *, const double *feature, int *which);

struct learned_answer {
    double log_us, deviation;      /* of the time in the faster launch state, before bounds */
    double t0_us, least_us;        /* launch; launch and least bytes at the greatest rate: no time is below */
    bool pooled;                   /* measured on too few families: physics of the whole kernel */
    int nnear, near[LEARNED_NEAR]; /* matrices of the nearest points */
};
/* Without the Gaussian process, geometric mean of the variants, before bounds; and the bound itself, least_us. */
double learned_physics_us(const struct learned *, const struct learned_config *c, const struct learned_bound *,
                          int target, const struct physics *);
double learned_least_us(const struct learned *, const struct learned_bound *, const struct physics *);
/* c->families[target] > 0. */
void learned_ask(const struct learned *, const struct learned_config *c, const struct learned_bound *, int target,
                 const struct physics *, struct learned_answer *);
#endif
