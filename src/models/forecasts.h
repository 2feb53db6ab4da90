/* SPDX-License-Identifier: BSD-3-Clause */
/* Archives of kind "forecasts": measured cases and the forecasts of models fitted without them (cross-validation and
 * sealed families). Tables "cases", "forecasts" and "costs"; root attributes state_more_frequent_us, seeds and folds
 * (docs/archive.md). */
#ifndef SPMVCAST_MODELS_FORECASTS_H
#define SPMVCAST_MODELS_FORECASTS_H
#include "archive/schema.h"
#include "formats/config.h"
#include "models/costs.h"
#include "models/model.h"
#include "profile/families.h"

/* A measured time. There is one row per matrix, configuration, precision, cache state and way of launching. */
struct case_row {
    char source_id[ID_LEN], matrix[128], family[FAMILY_LEN];
    char config[CONFIG_LEN]; /* in the form comparable between matrices (config_general) */
    char kernel[24];
    int64_t precision, cache, launch;
    char footprint[12]; /* resident, mixed or streaming */
    int64_t sealed;     /* 1: its family is sealed; the same for all cases of a matrix and of a family */
    int64_t nnz;
    double measured_us;
    double state_us; /* part of measured_us due to launch state and session of the measuring process; may be negative */
    int64_t one_part; /* 1: a composite with all nonzeros in one part, never recommended; INT64_MIN: not known */
};

/* The forecast of a case, in the fast launch state, by one model fitted to one training set with one seed. */
struct case_forecast {
    int64_t case_index; /* row of table cases, from 0 */
    char model[24];
    char training[12]; /* "all": all measured matrices; "generated": generated ones only */
    int64_t seed;
    int64_t fold;          /* the fold left out of the fit; -1: the case is of a sealed family */
    int64_t status;        /* enum status */
    float time_us;         /* NaN: refused */
    float low_us, high_us; /* NaN: the model has no interval */
    float distance;        /* natural log of the worst ratio outside the fitted range; 0 inside */
};
/* The set-up costs of a configuration on a matrix, measured and forecast by a fit without the family of the matrix.
 * There is one row per matrix, configuration and precision. Arrays are indexed by enum cost; NaN: not measured, or not
 * forecast. */
struct case_cost {
    int64_t case_index; /* a case of the same matrix, configuration and precision */
    float measured_us[NCOSTS], forecast_us[NCOSTS];
};
extern const struct schema case_schema, case_forecast_schema, case_cost_schema;

struct forecasts {
    int64_t ncases, nforecasts, ncosts; /* ncosts 0: an older archive, without costs */
    struct case_row *cases;
    struct case_forecast *forecasts;
    struct case_cost *costs;
    double state_us; /* added to times in the fast launch state for the more frequent state */
};

/* Reads an archive. Returns 0, FAIL or what archive_open returns; ARCHIVE_DAMAGED also for inconsistent rows (`why`
 * names table and row). Free with forecasts_free. */
int forecasts_load(const char *path, struct forecasts *, char why[ERRLEN]);
/* Writes an archive and records the digests of `inputs`, the archives that it was made from. Floats are rounded to 12
 * bits of mantissa (one part in 8192), which compress better. FAIL: forecasts_load would refuse the rows, an input
 * cannot be read, or the archive cannot be written. */
int forecasts_store(const char *path, const struct forecasts *, char *const *inputs, int ninputs, char why[ERRLEN]);
/* src/models/forecasts_check.c: FAIL: a row is wrong, or rows contradict each other (why). */
int forecasts_check(const struct forecasts *, char why[ERRLEN]);
/* Reads an archive if the current command, in the current build, made it from these versions of `inputs`. FAIL: it did
 * not (why); otherwise returns what forecasts_load returns. */
int forecasts_load_same(const char *path, struct forecasts *, char *const *inputs, int ninputs, char why[ERRLEN]);
void forecasts_free(struct forecasts *);
#endif
