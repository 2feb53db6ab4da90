/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting of model physics-gp (models/learned.h) and its cross-validation. Linear algebra by LAPACK, the length scales by NLopt. */
#ifndef SPMVCAST_FIT_LEARN_H
#define SPMVCAST_FIT_LEARN_H
#include "models/families.h"
#include "models/learned.h"
#include "models/model.h"

/* One measured time with what a forecast knows of it. */
struct learn_case {
    int matrix; /* index into runs->matrices */
    int config; /* as measured; index into learn_data.config */
    int effective; /* the one that serves: of a composite with one part without entries the other part's; -1: never measured */
    int target;      /* learned_target */
    double us;       /* measured, in the faster launch state */
    double state_us; /* what was taken off */
    double best_us;  /* least `us` of its contest: matrix, precision, target */
    double t0_measured_us;
    char measured[32];
    int session;      /* that measured it (learn_sessions.c) */
    double noise_us2; /* variance of its time, as far as the session's repeated cases tell; 0: not known */
    struct grid grid;
    double least_bytes, memory_share;
    float term[NTERMS], feature[NFEATURES];
};
/* configuration and precision: learned_config without what is fitted */
struct learn_data {
    const struct runs *runs;
    int *family;  /* [runs->nmatrices] index into family_name */
    bool *sealed; /* [runs->nmatrices] */
    int nfamilies;
    const char **family_name;
    struct geometry device;
    int64_t n, nconfigs;
    struct learn_case *at; /* by config, target, matrix */
    struct learned_config *config;
    double state_us[2]; /* of a launch state over the faster: 0, and of the slower one (0: one state only) */
    bool slower_more_frequent;
    int64_t repeated;         /* cases measured more than once: their time is the mean */
    double repeat_difference; /* mean |first - last| / mean of them, in the faster launch state; NaN: none */
    int64_t left_out; /* rows that count but are no case: unknown configuration, bytes or grid not known, no entries */
    char example[ERRLEN];
};
/* Reads every row that counts, of examples (run_row_is_example) and of other recipes that many configurations were measured on.
 * FAIL: nothing (why). The runs are indexed, without parts. */
int learn_data_make(const struct runs *, const struct families *, const struct geometry *, struct learn_data *,
                    char why[ERRLEN]);
void learn_data_free(struct learn_data *);

/* Fits to the matrices in use[runs->nmatrices]. FAIL: too few families (why). *out malloc'd. */
int learn_fit(const struct learn_data *, const bool *use, struct learned **out, char why[ERRLEN]);

/* log T (faster launch state) of a case and its deviation; false: nothing is fitted for it. */
bool learn_ask(const struct learn_data *, const struct learned *, const struct learn_case *, double *log_us,
               double *deviation);

/* src/fit/nnls.c: min |A b - y|^2 + ridge |b|^2, b >= 0, from A'A [m][m] and A'y (Lawson and Hanson 1974, algorithm NNLS);
 * m <= NNLS_MOST. */
enum { NNLS_MOST = 64 };
void nnls(int m, const double *ata, const double *aty, double *b);
/* src/fit/learn_physics.c: coefficients b >= 0 of the terms listed, by relative least squares with Huber's weights. */
struct physics_fit {
    int n;
    const struct learn_case *const *at;
    const double *base_us; /* [n] t0 + floor */
    const double *weight;  /* [n] */
};
void learn_physics(const struct physics_fit *, const bool *use_term, double b[NTERMS]);
double learn_physics_us(const struct learn_case *, double base_us, const float *b);
/* src/fit/learn_hyper.c: the hyper-parameters with the greatest marginal likelihood of groups of points z and residuals r. */
struct hyper_group {
    int n;
    const float (*z)[NFEATURES];
    const double *r, *noise; /* noise: variance beside the fitted one */
};
void learn_hyper(const struct hyper_group *, int ngroups, double prior, struct learned_hyper *);
#endif
