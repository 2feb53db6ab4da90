/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up costs of a configuration, before its first product: building its layout from CSR on the host, copying
 * the layout to the device, building it on the device from CSR there, and preparing the kernel (lists of pieces, break
 * points, a library's preprocessing). Each cost is a sum of coefficients >= 0 times the terms of costs.def, fitted by
 * spmv-fit to measured rows (fit/costs_fit.h): builds and copies per layout, preparation per configuration.
 * Coefficients are rows of model "cost", one set per precision; they are stored with cache warm and launch graph,
 * because the costs depend on neither. */
#ifndef SPMVCAST_MODELS_COSTS_H
#define SPMVCAST_MODELS_COSTS_H
#include "profile/profile.h"
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
extern const char cost_model[];             /* "cost", the model of cost coefficients */
bool coef_is_cost(const struct coef_row *); /* true for model "cost", and "convert" in older profiles */

/* Computes the terms of one cost of a resolved configuration. FAIL: the features do not determine the bytes of the
 * layout. */
int cost_terms(enum cost, const struct features *, const struct config *, const struct target *,
               double term[NCOST_TERMS]);
/* cost_terms in two steps, for all costs of one configuration. */
struct cost_facts {
    int64_t storage_bytes;
    bool composite;
    bool several, refers; /* composites: several parts have entries; only one part has, and it uses CSR unchanged */
    bool cuts;            /* the kernel or a part cuts rows */
    double pieces;        /* of the cut rows */
};
int cost_facts_of(const struct features *, const struct config *, const struct target *, struct cost_facts *);
void cost_terms_of(enum cost, const struct cost_facts *, const struct features *, double term[NCOST_TERMS]);
/* Writes the key under which the coefficients of a cost are stored: the layout key of the general configuration, or,
 * for COST_PREPARE, the general configuration itself. */
void cost_key(enum cost, const struct config *resolved, const struct features *, const struct target *,
              char key[CONFIG_LEN]);
struct target cost_target(const struct target *); /* the target under which cost coefficients are stored */
/* Gets the coefficients of the terms of a cost, 0 where there is none. Returns false if there are none at all. */
bool cost_coefficients(const struct coefs *, enum cost, const char *key, const struct target *,
                       double coefficient[NCOST_TERMS]);
/* Returns the cost in seconds; NaN: no coefficients. */
double cost_of(const struct coefs *, enum cost, const char *key, const struct target *, const double term[NCOST_TERMS]);

/* Computes all costs in seconds; NaN: never measured, or there is no build on the device. If the copy of a layout was
 * never measured, the coefficients for all layouts ("*") are used. Older profiles hold starts and rates of builds and
 * copies (model "convert") and no preparations. */
void profile_costs(const struct profile *, const struct features *, const struct config *, const struct target *,
                   double cost_s[NCOSTS]);
/* True if the profile has preparation costs; older profiles have none. */
bool profile_has_preparations(const struct profile *);

/* ---- conversion ---- */
enum matrix_location { ON_GPU, ON_HOST, NMATRIX_LOCATIONS }; /* where the CSR arrays are; ON_GPU: also on the host */
extern const char matrix_locations[];                        /* "gpu|host" */
const char *matrix_location_name(enum matrix_location);
enum matrix_location matrix_location_find(const char *name); /* one of matrix_locations */

/* Returns the seconds from CSR in the given location to a layout on the device; NaN: never measured. A layout that uses
 * CSR unchanged (`csr`) costs nothing on the device and the copy of CSR (csr_upload_s) from the host. Any other layout
 * is built on the device (from the host: after that copy) if such a build exists, else on the host and then copied;
 * from the host the cheaper of these two counts. own_memory false: host and device share memory, so nothing is
 * copied. */
double costs_convert(const double cost_s[NCOSTS], bool csr, enum matrix_location, double csr_upload_s, bool own_memory);
#ifdef __cplusplus
}
#endif
#endif
