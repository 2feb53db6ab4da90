/* SPDX-License-Identifier: BSD-3-Clause */
/* Archived forecasts: archives of kind "forecasts". Measured cases, and what models forecast of them that were fitted
 * without them (cross-validation, or families that are sealed). Tables "cases", "forecasts" and "costs"; root attributes
 * state_more_frequent_us, seeds and folds (docs/archive.md). */
#ifndef SPMVCAST_MODELS_FORECASTS_H
#define SPMVCAST_MODELS_FORECASTS_H
#include "archive/table.h"
#include "formats/config.h"
#include "models/costs.h"
#include "models/families.h"
#include "models/model.h"

/* One measured time: a row a matrix, configuration, precision, cache state and way of launching. */
struct case_row {
    char source_id[ID_LEN], matrix[128], family[FAMILY_LEN];
    char config[CONFIG_LEN]; /* as it is comparable between matrices (config_general) */
    char kernel[24], precision[4], cache[8];
    char launch[8];     /* of launch_names() */
    char footprint[12]; /* resident, mixed or streaming */
    int64_t sealed;     /* 1: its family is sealed; of a matrix and of a family all cases are, or none */
    int64_t nnz;
    double measured_us;
    double
        state_us; /* what launch state and session of the measuring process added to measured_us; negative: it took less */
};

/* What one model, fitted on one training set with one seed, forecasts of a case for the fast launch state. */
struct case_forecast {
    int64_t case_index; /* of table cases, from 0 */
    char model[24];
    char training[12]; /* "all": whatever was measured; "generated": generated matrices alone */
    int64_t seed;
    int64_t fold;          /* left out of the fit with the others of this number; -1: a sealed family's */
    int64_t status;        /* enum status */
    float time_us;         /* NaN: refused */
    float low_us, high_us; /* NaN: the model has no interval */
    float distance;        /* natural log of the worst ratio outside what the model was fitted on; 0 inside */
};
/* What a configuration cost on a matrix before its first multiplication, and what a fit without the matrix's family forecasts of it: a
 * row a matrix, configuration and precision. [enum cost]; NaN: not measured, not forecast. */
struct case_cost {
    int64_t case_index; /* one of its cases */
    float measured_us[NCOSTS], forecast_us[NCOSTS];
};
extern const struct schema case_schema, case_forecast_schema, case_cost_schema;

struct forecasts {
    int64_t ncases, nforecasts, ncosts; /* ncosts 0: an archive from before has none */
    struct case_row *cases;
    struct case_forecast *forecasts;
    struct case_cost *costs;
    double state_us; /* what the more frequent launch state adds to a time of the fast one */
};

/* FAIL or what archive_open returns; ARCHIVE_DAMAGED, too, where rows do not fit together: why names table and row. */
int forecasts_load(const char *path, struct forecasts *, char why[ERRLEN]);
/* Floats are rounded to 12 bits of mantissa (one part in 8192) so that they compress. The inputs are archives, by digest.
 * FAIL: rows that forecasts_load would refuse; the archive cannot be written, an input not be read. */
int forecasts_store(const char *path, const struct forecasts *, char *const *inputs, int ninputs, char why[ERRLEN]);
/* FAIL: the archive was not made by this command of this program, as built, from these very inputs; or what forecasts_load returns. */
int forecasts_load_same(const char *path, struct forecasts *, char *const *inputs, int ninputs, char why[ERRLEN]);
void forecasts_free(struct forecasts *);
#endif
