/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance models: each is fitted from a run archive into coefficient rows and forecasts one configuration's time
 * from features. A literal model keeps its paper's name; an adapted one says so. See docs/adding-a-model.md. */
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
    double time_s, low_s, high_s; /* low, high: NaN until spmv-fit calibrates intervals */
    enum status status;
    double distance;   /* natural log of the worst ratio outside the fitted box; 0 inside */
    char why[ERRLEN];  /* refused: why; extrapolated: which quantity, how far */
    bool in_training;  /* the model was fitted to this matrix, or one of its pattern: no test of it; why says so */
    char note[ERRLEN]; /* --explain: more than terms can say; "" */
    int nterms;
    struct term terms[10]; /* --explain: they add up, or say so by name */
};

/* Coefficients: rows of the profile's table "coefficients". */
struct coef_row {
    char model[32], config[CONFIG_LEN], precision[4], cache[8];
    char key[48];
    int64_t index;
    double value;
    char unit[16];
    double low, high; /* range of validity of what `key` speaks of; NaN: none */
    char launch[8];   /* "graph" or "stream"; files without the column: read as graph */
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
/* The run of rows for (model, config, precision, cache, launch[, key]); NULL and *n = 0: none. key NULL: all keys. */
const struct coef_row *coefs_find(const struct coefs *, const char *model, const char *config, const struct target *,
                                  const char *key, int64_t *n);
void coefs_free(struct coefs *);
/* The value of one row; NaN: none. */
double coefs_value(const struct coefs *, const char *model, const char *config, const struct target *, const char *key,
                   int64_t index);
/* What every model tells of a fit, printed by spmv-fit: keys "cells" (measured times it used), "fit_error_median" and
 * "fit_error_max" (|forecast / measured - 1| over them), "cells_unused" (measured, but not of the model's grid).
 * Reorders errors. */
void coefs_add_fit(struct coefs *, const char *model, const char *config, const struct target *, double *errors,
                   int64_t cells, int64_t unused);

/* The configuration under which times of different matrices are comparable: a key that "auto" would set to the value it
 * has for this matrix prints as "auto" (hyb:k=7,... becomes hyb:k=auto,... where 7 is the rule's K). */
void config_general(const struct config *resolved, const struct features *, const struct target *,
                    char text[CONFIG_LEN]);
/* The same, but keys that were asked for by value keep it: what was asked as csr-merge:items=7 was measured with 7 on every
 * matrix, whether or not "auto" gives 7 there. asked: a row's; "" or unknown: config_general. Look a resolved configuration up
 * by its own text first, then by its general one. */
void config_as_asked(const struct config *resolved, const char *asked, const struct features *, const struct target *,
                     char text[CONFIG_LEN]);

struct learned;
struct times_config;
struct measured_time;

/* A profile: one device, its coefficients, and the measured rows that the nearest-matrix rival looks among. */
struct profile {
    char name[64], path[512], device_key[160], date[32], host_cpu[96], cusparse[32], driver[32];
    struct geometry device;
    struct coefs coefs;
    /* facts of the matrices measured (features zeroed), by source_id; their times: times.h */
    struct runs measured;
    struct {
        int64_t nconfigs, n;
        struct times_config *config;
        struct measured_time *time;
    } times;
    struct learned *learned;  /* physics-gp's (models/learned.h); NULL: it has none */
    struct families families; /* of all that it was fitted on; those measured are among them */
    /* Whom the next forecasts are for, set by the caller, "" unknown: "nearest" leaves out the matrix itself and its
     * family. */
    struct {
        char matrix[128], group[64], recipe[RECIPE_LEN], pattern_id[ID_LEN];
    } query;
};

struct block_cost;

struct model {
    const char *name, *about, *source;
    bool literal; /* as printed in a paper */
    bool rival;   /* a plain rival that stands in every table */
    /* Fits every configuration found in runs (indexed; of one device, target's) of role benchmark, "nearest" of examples
     * (run_row_is_example), for target's precision, cache state and launch (row_time_us); adds coefficients and their
     * coefs_add_fit. 0 or FAIL (nothing to fit: why). NULL: fitted elsewhere (physics-gp by fit/learn.h). */
    int (*fit)(const struct runs *, const struct target *, struct coefs *, char why[ERRLEN]);
    /* config is resolved (a composite's k may stay "auto": the rule's K of these features). A rival that always picks
     * one library's kernels ("cusparse") refuses all others, so that its pick is the least of its forecasts like any
     * model's. Always fills the forecast (refused with why where it cannot). */
    void (*predict)(const struct profile *, const struct features *, const struct config *, const struct target *,
                    struct forecast *);
    /* For the planner: E(i, j) for blocks of strips, of a configuration whose "auto" each block resolves for itself
     * (config_general).
     * NULL: the model cannot plan. */
    struct block_cost *(*blocks_open)(const struct profile *, const struct sketch *, const struct config *,
                                      const struct target *, char why[ERRLEN]);
    /* block_time guides the search alone: the blocks of the plan found are forecast again by predict. */
    bool blocks_guide;
    /* strips first..last inclusive; INFINITY: refused, or not applicable */
    double (*block_time)(struct block_cost *, int first, int last);
    /* Never above block_time, finite, and never shrinking when a block grows: what the planner prunes by, exactly. NULL: the
     * model has no such bound, every block is asked for. */
    double (*block_floor)(struct block_cost *, int first, int last);
    void (*blocks_close)(struct block_cost *);
    /* What of every block's time is its launch, which blocks side by side need not wait for. NULL: the model does not
     * tell. */
    double (*block_launch)(struct block_cost *);
};

const struct model *model_at(int i); /* NULL past the end; order of models.def */
const struct model *model_find(const char *name);
const char *model_names(void);      /* "a|b|c" of all, for option tables */
extern const char model_default[];  /* "physics-gp" */
extern const char model_planning[]; /* "guo2014-regimes": instead, where a profile has no learned forecasts */

/* src/models/profile.c */
/* Also what archive_open and archive_get return (ARCHIVE_DAMAGED); so does profile_store, of its inputs. */
int profile_load(const char *path, struct profile *, char why[ERRLEN]);
int profile_store(const char *path, const struct profile *, char *const *inputs, int ninputs, char why[ERRLEN]);
void profile_free(struct profile *);
/* FAIL, with how to make some, where no coefficient, measured time or learned forecast is of that way of launching: what was
 * fitted by older programs has none of streams. */
int profile_has_launch(const struct profile *, enum launching, char why[ERRLEN]);

/* src/models/bandwidth.c: bytes/s of a working set of `footprint` bytes (footprint_bytes), between the regimes
 * interpolated; what an empty kernel takes is apart from it. NaN: not fitted for that precision and cache state. */
double profile_bandwidth(const struct profile *, const struct target *, int64_t footprint);
/* An empty kernel's time; NaN: not fitted. */
double profile_launch(const struct profile *, const struct target *);
/* The least time that the device allows: launch + least bytes / bandwidth. NaN: not fitted, or the bytes are not known. */
double profile_least_time(const struct profile *, const struct features *, const struct config *,
                          const struct target *);

/* src/models/exec.c: blocks as branches of a graph. Coefficients of model "exec", config "*", from the fork benchmark:
 * keys fork_s (any branching at all) and branch_s (each branch after the first). For GRAPH alone. */
void exec_fit(const struct runs *, const struct target *, struct coefs *);
struct branching {
    double fork_s, branch_s;
};
/* false: not measured on that device */
bool profile_branching(const struct profile *, const struct target *, struct branching *);
/* max(longest block, launch + sum of (T - launch)) + fork + (n - 1) branch; T alone where n = 1. [n] */
double exec_parallel(const struct branching *, const double *time_s, const double *launch_s, int n);

/* Evaluation by name of parts is the models' business: composites sum their parts' forecasts (forecast_parts). */
void forecast_refuse(struct forecast *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void forecast_begin(struct forecast *); /* zeroes; intervals NaN, status ok */
void forecast_add_term(struct forecast *, const char *name, double time_s);
/* A quantity outside low..high (NaN: no bound) makes the forecast extrapolated; distance and why speak of the worst
 * one. */
void forecast_box(struct forecast *, const char *quantity, double value, double low, double high);
#ifdef __cplusplus
}
#endif
#endif
