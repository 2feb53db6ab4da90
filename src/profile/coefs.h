/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of models, in one sorted array of rows. */
#ifndef SPMVCAST_PROFILE_COEFS_H
#define SPMVCAST_PROFILE_COEFS_H
#include "archive/schema.h"
#include "base/target.h"
#include "formats/config.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Coefficients: rows of the profile's table "coefficients". */
struct coef_row {
    char model[32], config[CONFIG_LEN];
    int64_t precision, cache, launch; /* launch: GRAPH if the archive lacks the column */
    char key[48];
    int64_t index;
    double value;
    char unit[16];
    double low, high; /* fitted range of the quantity that `key` depends on; NaN: none */
};
extern const struct schema coef_schema;

/* All coefficients of a profile, sorted by (model, config, precision, cache, launch, key, index). A run are the rows that differ in the
 * last two only. */
struct coefs {
    int64_t n, room, nruns;
    struct coef_row *row;
    int64_t *run; /* [nruns]: the first row of each, set by coefs_sort */
};
void coefs_add(struct coefs *, const char *model, const char *config, const struct target *, const char *key,
               int64_t index, double value, const char *unit, double low, double high);
void coefs_sort(struct coefs *);
/* Returns the first of the *n rows of (model, config, precision, cache, launch[, key]); NULL and *n = 0: there are
 * none. key NULL: rows of all keys. */
const struct coef_row *coefs_find(const struct coefs *, const char *model, const char *config, const struct target *,
                                  const char *key, int64_t *n);
/* Returns the whole number that a value of a row is; 0 for values that no fit stores: NaN, or beyond 2^53. */
int64_t coefs_whole(double value);
bool coefs_have(const struct coefs *, const char *model); /* any coefficient of the model? */
void coefs_free(struct coefs *);
/* Returns the value of one row; NaN: there is no such row. */
double coefs_value(const struct coefs *, const char *model, const char *config, const struct target *, const char *key,
                   int64_t index);
/* Adds the report of a fit, which spmv-fit prints: keys "cells" (number of measured times used), "fit_error_median" and
 * "fit_error_max" (of |forecast / measured - 1| over these times) and "cells_unused" (measured, but not in the model's
 * grid). Sorts `errors`. */
void coefs_add_fit(struct coefs *, const char *model, const char *config, const struct target *, double *errors,
                   int64_t cells, int64_t unused);
#ifdef __cplusplus
}
#endif
#endif
