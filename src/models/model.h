/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance models: each is fitted to run archives, stored as coefficient rows, and forecasts one configuration's
 * time from features. A literal model keeps its paper's name; an adapted one has another (docs/adding-a-model.md). */
#ifndef SPMVCAST_MODELS_MODEL_H
#define SPMVCAST_MODELS_MODEL_H
#include "base/target.h"
#include "formats/config.h"
#include "matrix/features.h"
#include "models/families.h"
#include "runs/rows.h"
#ifdef __cplusplus
extern "C" {
#endif

enum status { FORECAST_OK, FORECAST_EXTRAPOLATED, FORECAST_REFUSED };
struct term {
    const char *name;
    double time_s;
}; /* name: static */
struct forecast {
    double time_s, low_s, high_s; /* low, high: NaN if the model has no calibrated interval */
    enum status status;
    double distance;  /* natural log of the worst ratio outside the fitted box; 0 inside */
    char why[ERRLEN]; /* refused: the reason; extrapolated: the quantity and how far it is outside */
    bool in_training; /* the model was fitted to this matrix or one of its pattern, so this does not test it; see why */
    char note[ERRLEN]; /* --explain: text in addition to the terms; "": none */
    int nterms;
    struct term terms[10]; /* --explain: they add up to time_s, except those whose name says otherwise */
};

/* Coefficients: rows of the profile's table "coefficients". */
struct coef_row {
    char model[32], config[CONFIG_LEN], precision[4], cache[8];
    char key[48];
    int64_t index;
    double value;
    char unit[16];
    double low, high; /* range of validity of the quantity that key names; NaN: none */
    char launch[8];   /* "graph" or "stream"; graph if the file lacks the column */
};
extern const struct schema coef_schema;

/* All coefficients of a profile, sorted by (model, config, precision, cache, launch, key, index). */
struct coefs {
    int64_t n, room;
    struct coef_row *row;
};
void coefs_add(struct coefs *, const char *model, const char *config, const struct target *, const char *key,
               int64_t index, double value, const char *unit, double low, double high);
void coefs_sort(struct coefs *);
/* Finds the *n rows of (model, config, precision, cache, launch[, key]); NULL and *n = 0: none. key NULL: all keys. */
const struct coef_row *coefs_find(const struct coefs *, const char *model, const char *config, const struct target *,
                                  const char *key, int64_t *n);
void coefs_free(struct coefs *);
/* Returns the value of one row; NaN: none. */
double coefs_value(const struct coefs *, const char *model, const char *config, const struct target *, const char *key,
                   int64_t index);
/* Adds the report of a fit, printed by spmv-fit: keys "cells" (measured times used), "fit_error_median" and
 * "fit_error_max" (|forecast / measured - 1| over them), "cells_unused" (measured, but not in the model's grid).
 * Reorders errors. */
void coefs_add_fit(struct coefs *, const char *model, const char *config, const struct target *, double *errors,
                   int64_t cells, int64_t unused);

/* Writes the general form of a configuration, in which times of different matrices are comparable: a key prints as
 * "auto" if "auto" gives its value for this matrix (hyb:k=7,... becomes hyb:k=auto,... if 7 is the rule's K). */
void config_general(const struct config *resolved, const struct features *, const struct target *,
                    char text[CONFIG_LEN]);
/* The same, but keys requested with a value keep it: csr-merge:items=7 was measured with 7 on every matrix, whether or
 * not "auto" gives 7 there. asked: the configuration as requested, from a row; "" or unknown: same as config_general.
 * Look up a resolved configuration by its own text first, then by its general one. */
void config_as_asked(const struct config *resolved, const char *asked, const struct features *, const struct target *,
                     char text[CONFIG_LEN]);

struct learned;
struct times_config;
struct measured_time;

/* A profile: one device, its coefficients, and the measured times that rival "nearest" searches. */
struct profile {
    char name[64], path[512], device_key[160], date[32], host_cpu[96], cusparse[32], driver[32];
    struct geometry device;
    struct coefs coefs;
    /* facts of the measured matrices (features zeroed), by source_id; their times: times.h */
    struct runs measured;
    struct {
        int64_t nconfigs, n;
        struct times_config *config;
        struct measured_time *time;
    } times;
    struct learned *learned;  /* of physics-gp (models/learned.h); NULL: none */
    struct families families; /* of all sources that it was fitted on, including the measured ones */
    /* Matrix of the next forecasts, set by the caller; "": unknown. "nearest" leaves out it and its family. */
    struct {
        char matrix[128], group[64], recipe[RECIPE_LEN], pattern_id[ID_LEN];
    } query;
};

struct block_cost;

struct model {
    const char *name, *about, *source;
    bool literal; /* as printed in a paper */
    bool rival;   /* a plain rival, included in every table */
    /* Fits every configuration in runs (indexed, of the target's device) for the target's precision, cache state and
     * launch (row_time_us), using rows of role benchmark ("nearest": examples, run_row_is_example). Adds coefficients
     * and calls coefs_add_fit. Returns 0, or FAIL if there is nothing to fit (why). NULL: fitted elsewhere (physics-gp:
     * fit/learn.h). */
    int (*fit)(const struct runs *, const struct target *, struct coefs *, char why[ERRLEN]);
    /* The kernels that fit is for; spmv-fit reports their configurations if they stay unfitted. NULL: all but composites
     * and WORK_OTHER. */
    bool (*covers)(const struct kernel *);
    /* Forecasts one configuration and always fills the forecast: if it cannot, status refused and why. config is
     * resolved, except that a composite's k may be "auto", the rule's K for these features. A rival that always picks
     * one library's kernels ("cusparse") refuses all others, so its pick is the least of its forecasts, as for any
     * model. */
    void (*predict)(const struct profile *, const struct features *, const struct config *, const struct target *,
                    struct forecast *);
    /* For the planner: prepares E(i, j) for blocks of strips with a general configuration (config_general), whose
     * "auto" is resolved per block. Returns NULL on failure (why). Member NULL: the model does not support plans. */
    struct block_cost *(*blocks_open)(const struct profile *, const struct sketch *, const struct config *,
                                      const struct target *, char why[ERRLEN]);
    /* block_time only guides the search: the blocks found are forecast again by predict. */
    bool blocks_guide;
    /* Returns seconds of strips first..last, inclusive; INFINITY: refused or not applicable. */
    double (*block_time)(struct block_cost *, int first, int last);
    /* Returns a finite lower bound of block_time that never decreases when a block grows; the planner prunes with it
     * without changing the result. NULL: no such bound, the planner evaluates every block. */
    double (*block_floor)(struct block_cost *, int first, int last);
    void (*blocks_close)(struct block_cost *);
    /* Returns the launch part of every block's time, which overlaps if blocks run side by side. NULL: unknown. */
    double (*block_launch)(struct block_cost *);
};

const struct model *model_at(int i); /* NULL past the end; order of models.def */
const struct model *model_find(const char *name);
const char *model_names(void);      /* "a|b|c" of all, for option tables */
extern const char model_default[];  /* "physics-gp" */
extern const char model_planning[]; /* "guo2014-regimes": used if a profile has no learned forecasts */

/* src/models/profile.c */
/* Both return 0, FAIL or what archive_open and archive_get return (profile_store: for its inputs). */
int profile_load(const char *path, struct profile *, char why[ERRLEN]);
int profile_store(const char *path, const struct profile *, char *const *inputs, int ninputs, char why[ERRLEN]);
void profile_free(struct profile *);
/* Returns FAIL, with instructions in why, if the profile has no coefficient, measured time or learned forecast for that
 * way of launching. Profiles fitted by older programs have none for streams. */
int profile_has_launch(const struct profile *, enum launching, char why[ERRLEN]);

/* src/models/bandwidth.c. Returns bytes/s for a working set of `footprint` bytes (footprint_bytes), interpolated
 * between the regimes and excluding the time of an empty kernel. NaN: not fitted for that precision and cache state. */
double profile_bandwidth(const struct profile *, const struct target *, int64_t footprint);
/* Returns the time of an empty kernel in s; NaN: not fitted. */
double profile_launch(const struct profile *, const struct target *);
/* Returns the least time in s that the device allows, launch + least bytes / bandwidth; NaN: unknown. */
double profile_least_time(const struct profile *, const struct features *, const struct config *,
                          const struct target *);

/* src/models/exec.c: blocks as branches of a graph. Adds coefficients of model "exec", config "*", from the fork
 * benchmark: keys fork_s (any branching at all) and branch_s (each branch after the first). Only for GRAPH. */
void exec_fit(const struct runs *, const struct target *, struct coefs *);
struct branching {
    double fork_s, branch_s;
};
/* Returns false if not measured on that device. */
bool profile_branching(const struct profile *, const struct target *, struct branching *);
/* Returns max(longest block, launch + sum of (T - launch)) + fork + (n - 1) branch for n blocks; T if n = 1. */
double exec_parallel(const struct branching *, const double *time_s, const double *launch_s, int n);

/* Sets status refused, times NaN, and why. */
void forecast_refuse(struct forecast *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void forecast_begin(struct forecast *); /* zeroes; intervals NaN, status ok */
void forecast_add_term(struct forecast *, const char *name, double time_s);
/* Marks the forecast extrapolated if a quantity is outside low..high (NaN: no bound); distance and why describe the
 * worst quantity. */
void forecast_box(struct forecast *, const char *quantity, double value, double low, double high);
#ifdef __cplusplus
}
#endif
#endif
