/* SPDX-License-Identifier: BSD-3-Clause */
/* The learned tables of a profile (learned.h): columns, reading, writing and lookup. */
#include "profile/learned.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const physics_term_names[NTERMS] = {
#define PHYSICS_TERM(name) #name,
#define PHYSICS_FEATURE(name, log)
#include "profile/learned.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
};
const char *const physics_feature_names[NFEATURES] = {
#define PHYSICS_TERM(name)
#define PHYSICS_FEATURE(name, log) #name,
#include "profile/learned.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
};
const bool physics_feature_is_log[NFEATURES] = {
#define PHYSICS_TERM(name)
#define PHYSICS_FEATURE(name, log) log,
#include "profile/learned.def"
#undef PHYSICS_TERM
#undef PHYSICS_FEATURE
};

#define SCALE(m, about) COLUMN_OF(struct learned_scale, m, COLUMN_F64, "", about)
static const struct column scale_columns[] = {
    COLUMN_TEXT_OF(struct learned_scale, feature, "feature (profile/learned.def)"),
    SCALE(mean, "mean over the measured real matrices (over recipes if there are none)"),
    SCALE(sd, "standard deviation over the same matrices"),
    SCALE(low, "lowest value of a measured matrix"),
    SCALE(high, "highest value of a measured matrix"),
};
static const struct column launch_columns[] = {
    COLUMN_OF(struct learned_launch, threads, COLUMN_I64, "", "threads per block"),
    COLUMN_OF(struct learned_launch, log2_blocks, COLUMN_F64, "", "base-2 logarithm of the number of blocks"),
    COLUMN_OF(struct learned_launch, t0_us, COLUMN_F64, "us", "time of an empty kernel in the faster launch state"),
};
static const struct column bound_columns[] = {
    COLUMN_WORD_OF(struct learned_bound, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct learned_bound, cache, cache_words, 8, "warm or cold"),
    COLUMN_WORD_OF(struct learned_bound, launch, launch_words, 8, "graph or stream"),
    COLUMN_OF(struct learned_bound, floor_us, COLUMN_F64, "us", "lower bound of the measured T - t0"),
    COLUMN_OF(struct learned_bound, least_us, COLUMN_F64, "us", "floor_us + time of the shortest empty kernel"),
    COLUMN_OF(struct learned_bound, state_us, COLUMN_F64, "us", "time that the more frequent launch state adds"),
    COLUMN_OF(struct learned_bound, factor, COLUMN_F64, "",
              "half-width of the 90 % interval of log T, in standard deviations; NaN: not calibrated"),
    COLUMN_ARRAY_OF(struct learned_bound, bytes_per_us, COLUMN_F64, 2, "B/us",
                    "highest measured rate from the L2, and from memory; NaN: none"),
    COLUMN_OF(struct learned_bound, cases, COLUMN_I64, "", "number of measured times used"),
    COLUMN_OF(struct learned_bound, matrices, COLUMN_I64, "", "number of matrices measured"),
    COLUMN_OF(struct learned_bound, families, COLUMN_I64, "", "number of families measured"),
    COLUMN_OF(struct learned_bound, error_median, COLUMN_F64, "",
              "median of |forecast / measured - 1| over families left out of inner fits"),
    COLUMN_OF(struct learned_bound, error_p90, COLUMN_F64, "",
              "90 % quantile of |forecast / measured - 1| over families left out of inner fits"),
};
static const struct column hyper_columns[] = {
    COLUMN_TEXT_OF(struct learned_hyper, kernel, "kernel"),
    COLUMN_OF(struct learned_hyper, variant, COLUMN_I64, "",
              "0: all terms and features; 1: few terms and features; 2: all terms, few features"),
    COLUMN_ARRAY_OF(struct learned_hyper, scale, COLUMN_F64, NFEATURES, "",
                    "inverse length scale of each feature; 0: not used"),
    COLUMN_OF(struct learned_hyper, amplitude, COLUMN_F64, "", "variance of the Matern 5/2 covariance"),
    COLUMN_OF(struct learned_hyper, linear, COLUMN_F64, "", "variance of the linear covariance"),
    COLUMN_OF(struct learned_hyper, noise, COLUMN_F64, "", "variance of the noise of a measurement"),
};
static const struct column config_columns[] = {
    COLUMN_TEXT_OF(struct learned_config, config, "configuration, in the form comparable between matrices"),
    COLUMN_TEXT_OF(struct learned_config, kernel, "kernel of the configuration"),
    COLUMN_WORD_OF(struct learned_config, precision, precision_words, 4, "f32 or f64"),
    COLUMN_OF(struct learned_config, registers, COLUMN_I64, "", "registers per thread, as compiled; 0: unknown"),
    COLUMN_OF(struct learned_config, shared_bytes, COLUMN_I64, "B", "shared memory per thread block, as compiled"),
    COLUMN_OF(struct learned_config, first, COLUMN_I64, "",
              "first row of the configuration in table learned_points_PRECISION"),
    COLUMN_OF(struct learned_config, n, COLUMN_I64, "", "number of rows of the configuration in that table"),
    COLUMN_ARRAY_OF(struct learned_config, families, COLUMN_I64, LEARNED_TARGETS, "",
                    "number of families measured: warm in a graph, cold in a graph, warm in a stream"),
    COLUMN_ARRAY_OF(struct learned_config, class_families, COLUMN_I64, LEARNED_TARGETS * 2, "",
                    "the same, as [target][mostly from the L2, from memory]"),
    COLUMN_ARRAY_OF(
        struct learned_config, class_deviation, COLUMN_F64, LEARNED_TARGETS * 2, "",
        "standard deviation of log(T / pooled physics) of the kernel there, if fewer than 8 families were measured"),
    COLUMN_ARRAY_OF(struct learned_config, b, COLUMN_F32, LEARNED_TARGETS *LEARNED_VARIANTS *NTERMS, "",
                    "coefficient of each term, as [target][variant][term]"),
};
static const struct column point_columns[] = {
    COLUMN_OF(struct learned_point, matrix, COLUMN_I64, "", "row of table learned_matrices"),
    COLUMN_ARRAY_OF(struct learned_point, z, COLUMN_F32, NFEATURES, "", "scaled features"),
    COLUMN_ARRAY_OF(struct learned_point, alpha, COLUMN_F32, LEARNED_TARGETS *LEARNED_VARIANTS, "",
                    "weight of the point, as [target][variant]; 0: not measured"),
};
static const struct column matrix_columns[] = {
    COLUMN_TEXT_OF(struct learned_matrix, source_id, "matrix_id, or recipe_id of a recipe"),
    COLUMN_TEXT_OF(struct learned_matrix, pattern_id, "SHA-256 of the pattern; recipe_id of a recipe"),
    COLUMN_TEXT_OF(struct learned_matrix, matrix, "Group/Name or the recipe"),
    COLUMN_TEXT_OF(struct learned_matrix, group, "collection that the matrix belongs to"),
    COLUMN_TEXT_OF(struct learned_matrix, family, "family (profile/families.h)"),
};
static const struct schema scale_schema = SCHEMA_OF(struct learned_scale, "learned_features", scale_columns),
                           launch_schema = SCHEMA_OF(struct learned_launch, "learned_launch", launch_columns),
                           bound_schema = SCHEMA_OF(struct learned_bound, "learned_targets", bound_columns),
                           hyper_schema = SCHEMA_OF(struct learned_hyper, "learned_kernels", hyper_columns),
                           config_schema = SCHEMA_OF(struct learned_config, "learned_configs", config_columns),
                           matrix_of_schema = SCHEMA_OF(struct learned_matrix, "learned_matrices", matrix_columns),
                           point_schema[NPRECISIONS] = {
#define PRECISION(number, name, bytes, digits, unit, least) \
    SCHEMA_OF(struct learned_point, "learned_points_" #name, point_columns),
#include "base/precisions.def"
#undef PRECISION
                           };
const struct schema *const learned_schemas[LEARNED_TABLES] = {
    &scale_schema, &launch_schema, &bound_schema, &hyper_schema, &config_schema, &matrix_of_schema,
#define PRECISION(number, name, bytes, digits, unit, least) &point_schema[number],
#include "base/precisions.def"
#undef PRECISION
};

int learned_store(struct archive *a, const struct learned *l, char why[ERRLEN])
{
    int status = archive_put(a, &scale_schema, l->scale, NFEATURES, why);
    status = status ? status : archive_put(a, &launch_schema, l->launch, l->nlaunch, why);
    status = status ? status : archive_put(a, &bound_schema, l->bound, l->nbounds, why);
    status = status ? status : archive_put(a, &hyper_schema, l->hyper, l->nhypers, why);
    status = status ? status : archive_put(a, &config_schema, l->config, l->nconfigs, why);
    status = status ? status : archive_put(a, &matrix_of_schema, l->matrix, l->nmatrices, why);
    for (int p = 0; p < NPRECISIONS && !status; p++)
        status = archive_put(a, &point_schema[p], l->point[p], l->npoints[p], why);
    return status;
}

/* An archive that is older than a precision has no table of it. */
static bool has_precision(const struct learned *l, int p)
{
    for (int64_t i = 0; i < l->nconfigs; i++)
        if (l->config[i].precision == p)
            return true;
    return false;
}

static int check(const struct learned *l, const char *path, char why[ERRLEN])
{
    for (int i = 0; i < NFEATURES; i++)
        if (strcmp(l->scale[i].feature, physics_feature_names[i]) != 0)
            return fail(why, "%s: expected learned feature %s, found %.31s; fit the profile again with spmv-fit", path,
                        physics_feature_names[i], l->scale[i].feature);
    for (int64_t i = 0; i < l->nconfigs; i++) {
        const struct learned_config *c = &l->config[i];
        const int64_t p = c->precision;
        if (p < 0 || c->first < 0 || c->n < 0 || c->first + c->n > l->npoints[p])
            return fail(why, "%s: table learned_configs: missing points of %s; fit the profile again with spmv-fit",
                        path, c->config);
    }
    for (int p = 0; p < NPRECISIONS; p++)
        for (int64_t i = 0; i < l->npoints[p]; i++)
            if (l->point[p][i].matrix < 0 || l->point[p][i].matrix >= l->nmatrices)
                return fail(why, "%s: table %s, row %" PRId64 ": unknown matrix; fit the profile again with spmv-fit",
                            path, point_schema[p].name, i);
    return 0;
}

int learned_load(struct archive *a, struct learned **out, char why[ERRLEN])
{
    struct learned_scale *scale = NULL;
    int64_t n = 0;
    *out = NULL;
    int status = archive_get_any(a, &scale_schema, (void **)&scale, &n, why);
    if (status != 0 || !scale)
        return status;
    struct learned *l = xcalloc(1, sizeof *l);
    if (n != NFEATURES)
        status = fail(why, "%s: expected %d learned features, found %" PRId64 "; fit the profile again with spmv-fit",
                      archive_path(a), NFEATURES, n);
    else
        memcpy(l->scale, scale, sizeof l->scale);
    free(scale);
    status = status ? status : archive_get(a, &launch_schema, (void **)&l->launch, &l->nlaunch, why);
    status = status ? status : archive_get(a, &bound_schema, (void **)&l->bound, &l->nbounds, why);
    status = status ? status : archive_get(a, &hyper_schema, (void **)&l->hyper, &l->nhypers, why);
    if (status == 0 && (status = archive_get(a, &config_schema, (void **)&l->config, &l->nconfigs, why)) != 0)
        snprintf(why + strlen(why), ERRLEN - strlen(why), "; if an older version made it, fit it again with spmv-fit");
    if (status == 0 && l->config)
        configs_complete(l->config->config, l->nconfigs, sizeof *l->config);
    status = status ? status : archive_get(a, &matrix_of_schema, (void **)&l->matrix, &l->nmatrices, why);
    for (int p = 0; p < NPRECISIONS && !status; p++)
        status = (has_precision(l, p) ? archive_get : archive_get_any)(a, &point_schema[p], (void **)&l->point[p],
                                                                       &l->npoints[p], why);
    status = status ? status : check(l, archive_path(a), why);
    if (status != 0)
        learned_free(l);
    else
        *out = l;
    return status;
}

void learned_free(struct learned *l)
{
    if (!l)
        return;
    free(l->launch);
    free(l->bound);
    free(l->hyper);
    free(l->config);
    free(l->matrix);
    for (int p = 0; p < NPRECISIONS; p++)
        free(l->point[p]);
    free(l);
}

int learned_target(enum cache cache, enum launching launch)
{
    return launch == GRAPH ? (cache == WARM ? 0 : 1) : launch == STREAM && cache == WARM ? 2 : -1;
}

struct target learned_target_at(int index, enum precision precision)
{
    return (struct target){ .precision = precision,
                            .cache = index == 1 ? COLD : WARM,
                            .launch = index == 2 ? STREAM : GRAPH };
}

const struct learned_hyper *learned_hyper_of(const struct learned *l, const char *kernel, int variant)
{
    for (int64_t i = 0; i < l->nhypers; i++)
        if (l->hyper[i].variant == variant && strcmp(l->hyper[i].kernel, kernel) == 0)
            return &l->hyper[i];
    return NULL;
}

const struct learned_bound *learned_bound_of(const struct learned *l, const struct target *t)
{
    for (int64_t i = 0; i < l->nbounds; i++)
        if (TARGET_SAME(&l->bound[i], t))
            return &l->bound[i];
    return NULL;
}

const struct learned_config *learned_find(const struct learned_config *config, int64_t n, const char *text,
                                          enum precision precision)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int d = strcmp(config[middle].config, text);
        d = d ? d : word_compare(&precision_words, config[middle].precision, precision);
        if (d == 0)
            return &config[middle];
        if (d < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
