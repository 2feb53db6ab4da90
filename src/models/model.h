/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance models: each is fitted to run archives, stored as coefficient rows, and forecasts one configuration's
 * time from features. A literal model keeps its paper's name; an adapted one has another (docs/adding-a-model.md). */
#ifndef SPMVCAST_MODELS_MODEL_H
#define SPMVCAST_MODELS_MODEL_H
#include "formats/config.h"
#include "matrix/features.h"
#include "profile/profile.h"
#ifdef __cplusplus
extern "C" {
#endif

enum status { FORECAST_OK, FORECAST_EXTRAPOLATED, FORECAST_REFUSED };
struct term {
    const char *name; /* static, not copied */
    double time_s;
};
struct forecast {
    double time_s, low_s, high_s; /* low, high: NaN if the model has no calibrated interval */
    enum status status;
    double distance;   /* natural log of the worst ratio outside the fitted range; 0 inside */
    char why[ERRLEN];  /* refused: the reason; extrapolated: the quantity and its range; in_training: the matrix */
    bool in_training;  /* the model was fitted to this matrix or one of its pattern, so the forecast does not test it */
    char note[ERRLEN]; /* --explain: text printed with the terms; "": none */
    int nterms;
    struct term terms[10]; /* --explain: parts of time_s, which they add up to unless a name says otherwise */
};

struct examples;
struct block_cost;

struct model {
    const char *name, *about, *source;
    bool literal; /* as printed in a paper */
    bool rival;   /* a plain rival, included in every table */
    /* Fitted to examples rather than benchmark cells, so forecasts of training matrices do not test it:
     * spmv-fit --crossvalidate fits it again for each fold. Its forecasts need profile_load_trained. */
    bool trained;
    /* Comma-separated models that must be fitted too; NULL: none. The times of "nearest" tell which configurations
     * the profile has, so all trained models need it. */
    const char *needs;
    /* Fits every configuration in runs (indexed, of the target's device) for the target's precision, cache state and
     * launch (row_time_us), using rows of role benchmark ("nearest": examples, run_row_is_example). Adds coefficients
     * and calls coefs_add_fit. Returns 0, or FAIL if there is nothing to fit (why). NULL: fitted elsewhere (physics-gp:
     * fit/learn.h), or uses the fits of the models that it needs. */
    int (*fit)(const struct runs *, const struct target *, struct coefs *, char why[ERRLEN]);
    /* Whether fit can serve a configuration; spmv-fit lists those that it left unfitted. NULL: all but composites and
     * kernels of WORK_OTHER. */
    bool (*serves)(const struct config *);
    /* Trained models: fits every configuration of the examples whose matrices are in use[runs->nmatrices] (NULL: all)
     * and adds fits (profile/trained.h). Returns 0, or FAIL if there is nothing to fit (why). NULL: fit does all, or the
     * model consists of those that it needs. */
    int (*train)(const struct examples *, const bool *use, struct trained *, char why[ERRLEN]);
    /* Forecasts one configuration and always fills the forecast: if it cannot, status refused and why. config is
     * resolved, except that a composite's k may be "auto", the rule's K for these features. A rival that always picks
     * one library's kernels ("cusparse") refuses all others, so its pick is the least of its forecasts, as for any
     * model. */
    void (*predict)(const struct profile *, const struct features *, const struct config *, const struct target *,
                    struct forecast *);
    /* For the planner: prepares E(i, j) for blocks of strips. "auto" in the configuration is resolved per block.
     * Returns NULL on failure (why). Member NULL: the model does not support plans. */
    struct block_cost *(*blocks_open)(const struct profile *, const struct sketch *, const struct config *,
                                      const struct target *, char why[ERRLEN]);
    /* block_time only guides the search; the blocks found are forecast again by predict */
    bool blocks_guide;
    /* Returns the seconds of strips first..last, inclusive; INFINITY: refused or not applicable. */
    double (*block_time)(struct block_cost *, int first, int last);
    /* Returns a finite lower bound of block_time that never decreases when a block grows. The planner prunes with it,
     * which does not change the result. NULL: no such bound, so the planner evaluates every block. */
    double (*block_floor)(struct block_cost *, int first, int last);
    void (*blocks_close)(struct block_cost *);
    /* Returns the launch part that every block's time contains; launches overlap if blocks run side by side. NULL:
     * unknown. */
    double (*block_launch)(struct block_cost *);
};

/* src/models/models.c */
const struct model *model_at(int i); /* in the order of models.def; NULL past the end */
int model_count(void);
const struct model *model_find(const char *name);
const char *model_names(void);      /* "a|b|c" of all, for option tables */
extern const char model_default[];  /* "physics-gp" */
extern const char model_planning[]; /* "guo2014-regimes": used if a profile has no learned forecasts */
/* Returns the first of these two, "nearest" and the others that the profile has and, with `blocks`, that supports plans. If there is none:
 * model_planning, with `blocks` NULL. Trained models, which need "nearest", are never the first. */
const struct model *model_of_profile(const struct profile *, bool blocks);

/* src/models/bandwidth.c. Returns the bytes/s for a working set of `footprint` bytes (footprint_bytes), without the
 * time of an empty kernel, interpolated between the regimes. NaN: not fitted for that precision and cache state. */
double profile_bandwidth(const struct profile *, const struct target *, int64_t footprint);
/* Returns the time of an empty kernel in s; NaN: not fitted. */
double profile_launch(const struct profile *, const struct target *);
/* Returns the shortest time in s that the device allows: launch + least bytes / bandwidth; NaN: unknown. */
double profile_min_time(const struct profile *, const struct features *, const struct config *, const struct target *);

/* src/models/exec.c: blocks as branches of a graph. Adds the coefficients of model "exec", config "*", from the times
 * of table `branches`: keys fork_s (once, for any branching) and branch_s (for each branch after the first). For
 * targets with launch GRAPH. */
void exec_fit(const struct runs *, const struct target *, struct coefs *);
struct branching {
    double fork_s, branch_s;
};
/* Returns false if the profile has no such coefficients. */
bool profile_branching(const struct profile *, const struct target *, struct branching *);
/* Returns the time of n blocks side by side, max(longest block, launch + sum of (T - launch)) + fork + (n - 1) branch;
 * for n = 1, T. */
double exec_parallel(const struct branching *, const double *time_s, const double *launch_s, int n);

/* src/models/model.c */
/* Forecasts with predict, and refuses a time that is not positive and finite: a profile may hold any coefficients. */
void model_forecast(const struct model *, const struct profile *, const struct features *, const struct config *,
                    const struct target *, struct forecast *);
/* Sets status refused, all times to NaN, and `why`. */
void forecast_refuse(struct forecast *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void forecast_begin(struct forecast *); /* zeroes all but the interval, which is NaN; status ok */
void forecast_add_term(struct forecast *, const char *name, double time_s);
/* Marks the forecast as extrapolated if a quantity is outside low..high (NaN: no bound). `distance` and `why` describe
 * the worst quantity so far. */
void forecast_box(struct forecast *, const char *quantity, double value, double low, double high);
#ifdef __cplusplus
}
#endif
#endif
