/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits model physics-gp (profile/learned.h) and cross-validates it. LAPACK does the linear algebra, NLopt optimizes length scales. */
#ifndef SPMVCAST_FIT_LEARN_H
#define SPMVCAST_FIT_LEARN_H
#include "models/physics_gp/learned_ask.h"
#include "profile/families.h"
#include "profile/profile.h"

/* One measured time with the inputs of its forecast. */
struct learn_case {
    int matrix; /* index into runs->matrices */
    int config; /* as measured; index into learn_data.config */
    int effective; /* index of the configuration that runs: of a composite with an empty part, the other part; -1: never measured */
    bool one_part;   /* a composite with all nonzeros in one part */
    int target;      /* learned_target */
    double us;       /* measured, in the faster launch state */
    double state_us; /* launch state and session offset already subtracted from `us` */
    int64_t contest; /* number of its contest: matrix, precision, target; below learn_data.ncontests */
    double best_us;  /* minimum `us` of its contest */
    double t0_measured_us;
    char measured[32];
    int session;      /* session that measured it (learn_sessions.c) */
    double noise_us2; /* variance of its time, estimated from repeated cases of the session; 0: unknown */
    struct grid grid;
    double least_bytes, memory_share;
    float term[NTERMS], feature[NFEATURES];
};
struct learn_rate { /* of a row that is no case: what its bytes and time say about the rates of the device */
    int matrix, target;
    int64_t precision;
    struct grid grid;
    double least_bytes, memory_share, us, t0_us;
};
struct learn_data {
    const struct runs *runs;
    int *family;  /* [runs->nmatrices] index into family_name */
    bool *sealed; /* [runs->nmatrices] */
    int nfamilies;
    const char **family_name;
    struct geometry device;
    int64_t n, nconfigs, ncontests;
    struct learn_case *at; /* sorted by config, target, matrix */
    int64_t nrates;
    struct learn_rate *rate;
    struct learned_config *config; /* [nconfigs] configuration and precision, without fitted values */
    double
        state_us[2]; /* time that each launch state adds over the faster one: 0, and the slower one's (0: one state) */
    bool slower_more_frequent;
    int64_t repeated; /* cases measured more than once; their time is the mean */
    double
        repeat_difference; /* mean of |first - last| / mean time of these cases, in the faster launch state; NaN: none */
    int64_t left_out; /* valid rows without a case: unknown configuration, bytes or grid, or a matrix without entries */
    char example[ERRLEN];
};
/* Makes cases from all valid rows of examples (run_row_is_example) and of other recipes on which many configurations were measured.
 * The other rows give rates only. FAIL: no such row (why). The runs must be indexed and have no rows of parts. */
int learn_data_make(const struct runs *, const struct families *, const struct geometry *, struct learn_data *,
                    char why[ERRLEN]);
void learn_data_free(struct learn_data *);

/* Fits to the matrices in use[runs->nmatrices]. *out is malloc'd. FAIL: too few families (why). */
int learn_fit(const struct learn_data *, const bool *use, struct learned **out, char why[ERRLEN]);
/* Warns of targets whose intervals are too wide to be of use, naming the kernel with the widest ones. */
void learn_warn_wide(const struct learn_data *, const struct learned *);

/* Forecasts a case. Returns false if its configuration has no fit. */
bool learn_ask(const struct learn_data *, const struct learned *, const struct learn_case *, struct learned_answer *);

/* src/fit/nnls.c: minimizes |A b - y|^2 + ridge |b|^2 subject to b >= 0, from A'A [m][m], which includes the ridge, and A'y
 * (Lawson and Hanson 1974, algorithm NNLS); m <= NNLS_MAX. */
enum { NNLS_MAX = 64 };
void nnls(int m, const double *ata, const double *aty, double *b);
/* src/fit/learn_physics.c: fits coefficients b >= least of the used terms by relative least squares with Huber weights. */
struct physics_fit {
    int n;
    const struct learn_case *const *at;
    const double *base_us; /* [n] t0 + floor */
    const double *weight;  /* [n] */
    const double *least;   /* [NTERMS] */
};
void learn_physics(const struct physics_fit *, const bool *use_term, double b[NTERMS]);
double learn_physics_us(const struct learn_case *, double base_us, const float *b);
/* src/fit/learn_hyper.c: finds the hyper-parameters with maximum marginal likelihood for groups of points z and residuals r. */
struct hyper_group {
    int n;
    const float (*z)[NFEATURES];
    const double *r, *noise; /* noise: variance in addition to the fitted one */
};
void learn_hyper(const struct hyper_group *, int ngroups, double prior, struct learned_hyper *);
#endif
