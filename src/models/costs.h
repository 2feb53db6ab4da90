/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration costs before its first multiplication: building its layout from CSR on the host, copying that to the device,
 * building it on the device from CSR there, and preparing the kernel (lists of pieces, break points, a library's preprocessing).
 * Each is a sum of coefficients >= 0 times the terms of costs.def, fitted by spmv-fit to measured rows (fit/costs_fit.h): builds and
 * copies by layout, preparation by configuration. Coefficients are rows of model "cost", precision by precision, for warm caches and
 * graphs, since neither has a part in it. */
#ifndef SPMVCAST_MODELS_COSTS_H
#define SPMVCAST_MODELS_COSTS_H
#include "models/model.h"
#ifdef __cplusplus
extern "C" {
#endif

enum cost { COST_BUILD, COST_UPLOAD, COST_DEVICE_BUILD, COST_PREPARE, NCOSTS };
extern const char *const cost_names[NCOSTS]; /* "build", "upload", "device_build", "prepare" */

enum cost_term {
#define COST_TERM(name, unit) COST_TERM_##name,
#include "models/costs.def"
#undef COST_TERM
    NCOST_TERMS
};
extern const char *const cost_term_names[NCOST_TERMS], *const cost_term_units[NCOST_TERMS];
extern const char cost_model[];             /* "cost": no model of times */
bool coef_is_cost(const struct coef_row *); /* of this, or of the "convert" of profiles from before */

/* The terms of one cost. config is resolved. FAIL: the layout's bytes are not known from features. */
int cost_terms(enum cost, const struct features *, const struct config *, const struct target *,
               double term[NCOST_TERMS]);
/* What coefficients of that cost are named by: the layout key of the general configuration, or that itself for COST_PREPARE. */
void cost_key(enum cost, const struct config *resolved, const struct features *, const struct target *,
              char key[CONFIG_LEN]);
struct target cost_target(const struct target *); /* that coefficients are stored under */
/* NaN: no coefficients. */
double cost_of(const struct coefs *, enum cost, const char *key, const struct target *, const double term[NCOST_TERMS]);

/* Seconds; NaN: never measured (device_build also where there is no such build). The copy of a layout that was never measured is
 * that of all layouts. Profiles from before have starts and rates of builds and copies (model "convert"), and no preparations. */
void profile_costs(const struct profile *, const struct features *, const struct config *, const struct target *,
                   double cost_s[NCOSTS]);
/* Does the profile tell what preparing a kernel takes? Those made before do not. */
bool profile_has_preparations(const struct profile *);

/* ---- what they come to ---- */
enum matrix_place {
    ON_GPU,
    ON_HOST,
    NPLACES_OF_MATRIX
};                                 /* where the CSR arrays are; on the device the host has them, too */
extern const char matrix_places[]; /* "gpu|host" */
const char *matrix_place_name(enum matrix_place);
enum matrix_place matrix_place_find(const char *name); /* one of matrix_places */

/* Seconds from CSR there to a layout on the device. What uses CSR as it is (`csr`): nothing, or the copy of CSR (csr_upload_s). Else
 * the build on the device, where there is one, after that copy if need be, or on the host and copied: the lesser from CSR on the host.
 * own_memory: the device has memory of its own; without, nothing is copied. NaN: never measured. */
double costs_convert(const double cost_s[NCOSTS], bool csr, enum matrix_place, double csr_upload_s, bool own_memory);
#ifdef __cplusplus
}
#endif
#endif
