/* SPDX-License-Identifier: BSD-3-Clause */
/* Archived forecasts: validates, writes and reads their rows. */
#include "models/forecasts.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/hash.h"
#include "base/strings.h"

static const struct column case_columns[] = {
    COLUMN_TEXT_OF(struct case_row, source_id, "matrix_id, or recipe_id of a recipe"),
    COLUMN_TEXT_OF(struct case_row, matrix, "Group/Name or the recipe"),
    COLUMN_TEXT_OF(struct case_row, family, "family of the matrix; all matrices of a family are in one fold"),
    COLUMN_TEXT_OF(struct case_row, config, "configuration, in the form comparable between matrices"),
    COLUMN_TEXT_OF(struct case_row, kernel, "kernel of the configuration"),
    COLUMN_TEXT_OF(struct case_row, precision, "f32 or f64"),
    COLUMN_TEXT_OF(struct case_row, cache, "warm or cold"),
    COLUMN_TEXT_OF(struct case_row, launch, "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    COLUMN_TEXT_OF(struct case_row, footprint, "resident, mixed or streaming"),
    COLUMN_OF(struct case_row, sealed, COLUMN_I64, "",
              "1: the family is sealed, excluded from all fits and choices; 0: it is not"),
    COLUMN_OF(struct case_row, nnz, COLUMN_I64, "", "entries of the matrix"),
    COLUMN_OF(struct case_row, measured_us, COLUMN_F64, "us", "measured time"),
    COLUMN_OF(struct case_row, state_us, COLUMN_F64, "us",
              "part of measured_us due to launch state and session of the measuring process; may be negative"),
};
const struct schema case_schema = SCHEMA_OF(struct case_row, "cases", case_columns);

static const struct column forecast_columns[] = {
    COLUMN_OF(struct case_forecast, case_index, COLUMN_I64, "", "index of the row of table cases, from 0"),
    COLUMN_TEXT_OF(struct case_forecast, model, "model"),
    COLUMN_TEXT_OF(struct case_forecast, training, "training set: all matrices, or generated ones only"),
    COLUMN_OF(struct case_forecast, seed, COLUMN_I64, "", "seed of the folds and of the fit"),
    COLUMN_OF(struct case_forecast, fold, COLUMN_I64, "", "fold left out of the fit; -1: sealed family"),
    COLUMN_OF(struct case_forecast, status, COLUMN_I64, "", "0: ok, 1: extrapolated, 2: refused"),
    COLUMN_OF(struct case_forecast, time_us, COLUMN_F32, "us", "forecast for the fast launch state; NaN: refused"),
    COLUMN_OF(struct case_forecast, low_us, COLUMN_F32, "us", "lower end of the interval; NaN: none"),
    COLUMN_OF(struct case_forecast, high_us, COLUMN_F32, "us", "upper end of the interval; NaN: none"),
    COLUMN_OF(struct case_forecast, distance, COLUMN_F32, "",
              "natural log of the worst ratio outside the fitted range; 0 inside"),
};
const struct schema case_forecast_schema = SCHEMA_OF(struct case_forecast, "forecasts", forecast_columns);

static const struct column cost_columns[] = {
    COLUMN_OF(struct case_cost, case_index, COLUMN_I64, "",
              "index of a row of table cases, from 0, with the matrix, configuration and precision"),
    COLUMN_ARRAY_OF(
        struct case_cost, measured_us, COLUMN_F32, NCOSTS, "us",
        "measured costs: build on the host, copy to the device, build on the device, preparation; NaN: not measured"),
    COLUMN_ARRAY_OF(struct case_cost, forecast_us, COLUMN_F32, NCOSTS, "us",
                    "the same costs, forecast by a fit without the family of the matrix; NaN: no forecast"),
};
const struct schema case_cost_schema = SCHEMA_OF(struct case_cost, "costs", cost_columns);

/* ---- validation ---- */

static int wrong(char why[ERRLEN], const char *table, int64_t row, const char *fmt, ...) PRINTF_LIKE(4, 5);
static int wrong(char why[ERRLEN], const char *table, int64_t row, const char *fmt, ...)
{
    char what[ERRLEN];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail(why, "table %s, row %" PRId64 ": %.400s", table, row, what);
}

static int check_case(const struct case_row *c, int64_t row, char why[ERRLEN])
{
    const struct {
        const char *column, *value, *words; /* words: allowed values; NULL: any but "" */
    } text[] = {
        { "source_id", c->source_id, NULL },
        { "matrix", c->matrix, NULL },
        { "family", c->family, NULL },
        { "config", c->config, NULL },
        { "kernel", c->kernel, NULL },
        { "precision", c->precision, precision_names() },
        { "cache", c->cache, cache_names() },
        { "launch", c->launch, launch_names() },
        { "footprint", c->footprint, "resident|mixed|streaming" },
    };

    for (int i = 0; i < (int)(sizeof text / sizeof text[0]); i++) {
        if (!*text[i].value)
            return wrong(why, case_schema.name, row, "missing %s", text[i].column);
        if (text[i].words && !words_have(text[i].words, text[i].value))
            return wrong(why, case_schema.name, row, "%s '%s', expected %s", text[i].column, text[i].value,
                         text[i].words);
    }
    if (c->sealed != 0 && c->sealed != 1)
        return wrong(why, case_schema.name, row, "sealed %" PRId64 ", expected 0 or 1", c->sealed);
    if (!(c->measured_us > 0) || !isfinite(c->measured_us))
        return wrong(why, case_schema.name, row, "measured_us %g, expected a positive time", c->measured_us);
    if (!isfinite(c->state_us) || !(c->state_us < c->measured_us))
        return wrong(why, case_schema.name, row, "state_us %g, expected less than measured_us %g", c->state_us,
                     c->measured_us);
    return 0;
}

static int check_forecast(const struct case_forecast *f, int64_t row, int64_t ncases, char why[ERRLEN])
{
    const char *table = case_forecast_schema.name;

    if (f->case_index < 0 || f->case_index >= ncases)
        return wrong(why, table, row, "case_index %" PRId64 " is out of range; table cases has %" PRId64 " rows",
                     f->case_index, ncases);
    if (!*f->model)
        return wrong(why, table, row, "missing model");
    if (!words_have("all|generated", f->training))
        return wrong(why, table, row, "training '%s', expected all|generated", f->training);
    if (f->status != FORECAST_OK && f->status != FORECAST_EXTRAPOLATED && f->status != FORECAST_REFUSED)
        return wrong(why, table, row, "status %" PRId64 ", expected 0 (ok), 1 (extrapolated) or 2 (refused)",
                     f->status);
    if (f->status == FORECAST_REFUSED)
        return 0;
    if (!(f->time_us > 0) || !isfinite(f->time_us))
        return wrong(why, table, row, "time_us %g, expected a positive time", (double)f->time_us);
    if (isnan(f->low_us) && isnan(f->high_us))
        return 0;
    return f->low_us > 0 && f->high_us >= f->low_us && isfinite(f->high_us)
               ? 0
               : wrong(why, table, row, "low_us %g, high_us %g, expected 0 < low_us <= high_us", (double)f->low_us,
                       (double)f->high_us);
}

static int check_cost(const struct case_cost *c, int64_t row, int64_t ncases, char why[ERRLEN])
{
    if (c->case_index < 0 || c->case_index >= ncases)
        return wrong(why, case_cost_schema.name, row,
                     "case_index %" PRId64 " is out of range; table cases has %" PRId64 " rows", c->case_index, ncases);
    for (int k = 0; k < NCOSTS; k++)
        if (c->measured_us[k] < 0 || isinf(c->measured_us[k]) || c->forecast_us[k] < 0 || isinf(c->forecast_us[k]))
            return wrong(why, case_cost_schema.name, row,
                         "%s: measured_us %g, forecast_us %g, expected times of at least 0", cost_names[k],
                         (double)c->measured_us[k], (double)c->forecast_us[k]);
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct case_row *x = *(const struct case_row *const *)a, *y = *(const struct case_row *const *)b;
    int order = strcmp(x->source_id, y->source_id);

    if (!order)
        order = strcmp(x->precision, y->precision);
    if (!order)
        order = strcmp(x->cache, y->cache);
    if (!order)
        order = strcmp(x->launch, y->launch);
    return order ? order : strcmp(x->config, y->config);
}

static int by_family(const void *a, const void *b)
{
    const struct case_row *x = *(const struct case_row *const *)a, *y = *(const struct case_row *const *)b;
    return strcmp(x->family, y->family);
}

/* Checks that each case occurs once, each matrix has one family, and each family is sealed as a whole or not at all. */
static int check_together(const struct forecasts *f, char why[ERRLEN])
{
    const struct case_row **c = xmalloc(sizeof *c * (unsigned long)(f->ncases + 1));
    int status = 0;

    for (int64_t i = 0; i < f->ncases; i++)
        c[i] = &f->cases[i];
    qsort(c, (size_t)f->ncases, sizeof *c, by_key);
    for (int64_t i = 1; i < f->ncases && !status; i++) {
        const struct case_row *x = c[i - 1], *y = c[i];
        if (by_key(&c[i - 1], &c[i]) == 0)
            status = wrong(why, case_schema.name, y - f->cases, "duplicate case %s, %s, %s, %s, %s; also in row %td",
                           y->matrix, y->config, y->precision, y->cache, y->launch, x - f->cases);
        else if (strcmp(x->source_id, y->source_id) == 0 && strcmp(x->family, y->family) != 0)
            status = wrong(why, case_schema.name, y - f->cases, "%s is in family %s, but in family %s in row %td",
                           y->matrix, y->family, x->family, x - f->cases);
    }
    qsort(c, (size_t)f->ncases, sizeof *c, by_family);
    for (int64_t i = 1; i < f->ncases && !status; i++)
        if (by_family(&c[i - 1], &c[i]) == 0 && c[i - 1]->sealed != c[i]->sealed)
            status = wrong(why, case_schema.name, c[i] - f->cases, "family %s is %s, but %s in row %td", c[i]->family,
                           c[i]->sealed ? "sealed" : "not sealed", c[i]->sealed ? "not sealed" : "sealed",
                           c[i - 1] - f->cases);
    free(c);
    return status;
}

static int check(const struct forecasts *f, char why[ERRLEN])
{
    int status = 0;

    for (int64_t i = 0; i < f->ncases && !status; i++)
        status = check_case(&f->cases[i], i, why);
    for (int64_t i = 0; i < f->nforecasts && !status; i++)
        status = check_forecast(&f->forecasts[i], i, f->ncases, why);
    for (int64_t i = 0; i < f->ncosts && !status; i++)
        status = check_cost(&f->costs[i], i, f->ncases, why);
    if (!status)
        status = check_together(f, why);
    if (!status && (!(f->state_us >= 0) || !isfinite(f->state_us)))
        status = fail(why, "attribute state_more_frequent_us %g, expected a time of at least 0", f->state_us);
    return status;
}

/* ---- writing ---- */

static float rounded(float v)
{
    enum { DROPPED = 23 - 12 };
    uint32_t bits;

    if (!isfinite(v))
        return v;
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + (1U << (DROPPED - 1))) & ~((1U << DROPPED) - 1);
    memcpy(&v, &bits, sizeof v);
    return v;
}

static int put_forecasts(struct archive *a, const struct forecasts *f, char why[ERRLEN])
{
    struct case_forecast *copy = xmalloc(sizeof *copy * (unsigned long)(f->nforecasts + 1));

    for (int64_t i = 0; i < f->nforecasts; i++) {
        struct case_forecast *c = &copy[i];
        *c = f->forecasts[i];
        c->time_us = c->status == FORECAST_REFUSED ? NAN : rounded(c->time_us);
        c->low_us = rounded(c->low_us);
        c->high_us = rounded(c->high_us);
        c->distance = rounded(c->distance);
    }
    const int status = archive_put(a, &case_forecast_schema, copy, f->nforecasts, why);
    free(copy);
    return status;
}

static int put_costs(struct archive *a, const struct forecasts *f, char why[ERRLEN])
{
    struct case_cost *copy = xmalloc(sizeof *copy * (unsigned long)(f->ncosts + 1));

    for (int64_t i = 0; i < f->ncosts; i++) {
        copy[i] = f->costs[i];
        for (int k = 0; k < NCOSTS; k++) {
            copy[i].measured_us[k] = rounded(copy[i].measured_us[k]);
            copy[i].forecast_us[k] = rounded(copy[i].forecast_us[k]);
        }
    }
    const int status = archive_put(a, &case_cost_schema, copy, f->ncosts, why);
    free(copy);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Stores the number of distinct values >= 0 of v as attribute `name`; sorts v. */
static int put_count(struct archive *a, const char *name, int64_t *v, int64_t n, char why[ERRLEN])
{
    char text[24];
    int64_t count = 0;

    qsort(v, (size_t)n, sizeof *v, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        count += v[i] >= 0 && (i == 0 || v[i] != v[i - 1]);
    snprintf(text, sizeof text, "%" PRId64, count);
    return archive_put_text(a, name, text, why);
}

static int put_attributes(struct archive *a, const struct forecasts *f, char why[ERRLEN])
{
    int64_t *v = xmalloc(sizeof *v * (unsigned long)(f->nforecasts + 1));
    char text[40];

    snprintf(text, sizeof text, "%.17g", f->state_us);
    int status = archive_put_text(a, "state_more_frequent_us", text, why);
    for (int64_t i = 0; i < f->nforecasts; i++)
        v[i] = f->forecasts[i].seed;
    if (!status)
        status = put_count(a, "seeds", v, f->nforecasts, why);
    for (int64_t i = 0; i < f->nforecasts; i++)
        v[i] = f->forecasts[i].fold;
    if (!status)
        status = put_count(a, "folds", v, f->nforecasts, why);
    free(v);
    return status;
}

int forecasts_store(const char *path, const struct forecasts *f, char *const *inputs, int ninputs, char why[ERRLEN])
{
    struct archive *a;
    char what[ERRLEN];

    if (check(f, what) != 0)
        return fail(why, "cannot write %s: %.400s", path, what);
    if (archive_create(path, "forecasts", &a, why) != 0)
        return FAIL;
    int status = put_attributes(a, f, why);
    for (int i = 0; i < ninputs && !status; i++)
        status = archive_add_archive(a, inputs[i], why);
    if (!status)
        status = archive_put(a, &case_schema, f->cases, f->ncases, why);
    if (!status)
        status = put_forecasts(a, f, why);
    if (!status && f->ncosts > 0)
        status = put_costs(a, f, why);
    if (!status)
        return archive_commit(a, why);
    archive_abandon(a);
    return status;
}

/* ---- reading ---- */

static int load(struct archive *a, struct forecasts *f, char why[ERRLEN])
{
    char text[40], what[ERRLEN];
    int status = archive_get_text(a, "state_more_frequent_us", text, sizeof text, why);

    if (!status)
        status = archive_get(a, &case_schema, (void **)&f->cases, &f->ncases, why);
    if (!status)
        status = archive_get(a, &case_forecast_schema, (void **)&f->forecasts, &f->nforecasts, why);
    if (!status)
        status = archive_get_any(a, &case_cost_schema, (void **)&f->costs, &f->ncosts, why);
    if (status)
        return status;
    if (parse_real(text, 0, 1e9, &f->state_us) != 0) {
        fail(why, "%s is damaged: invalid attribute state_more_frequent_us '%s'; regenerate it with spmv-fit",
             archive_path(a), text);
        return ARCHIVE_DAMAGED;
    }
    if (check(f, what) != 0) {
        fail(why, "%s is damaged: %.400s; regenerate it with spmv-fit", archive_path(a), what);
        return ARCHIVE_DAMAGED;
    }
    return 0;
}

int forecasts_load(const char *path, struct forecasts *f, char why[ERRLEN])
{
    struct archive *a;

    *f = (struct forecasts){ 0 };
    int status = archive_open(path, "forecasts", &a, why);
    if (status)
        return status;
    status = load(a, f, why);
    archive_close(a);
    if (status)
        forecasts_free(f);
    return status;
}

static int check_same(struct archive *a, char *const *inputs, int ninputs, char why[ERRLEN])
{
    struct provenance_row *step = NULL;
    struct input_row *input = NULL;
    int64_t steps = 0, n = 0;
    char sha256[65];
    int status = archive_get(a, &provenance_schema, (void **)&step, &steps, why);

    if (!status)
        status = archive_get(a, &input_schema, (void **)&input, &n, why);
    if (!status && (steps == 0 || !archive_same_step(&step[steps - 1])))
        status = fail(why, "%s was made by another command or another build of the program", archive_path(a));
    for (int i = 0; i < ninputs && !status; i++) {
        bool there = false;
        status = hash_file(inputs[i], sha256, why);
        for (int64_t k = 0; k < n && !there; k++)
            there = strcmp(input[k].sha256, sha256) == 0;
        if (!status && !there)
            status = fail(why, "%s was not made from this version of %s", archive_path(a), inputs[i]);
    }
    free(step);
    free(input);
    return status;
}

int forecasts_load_same(const char *path, struct forecasts *f, char *const *inputs, int ninputs, char why[ERRLEN])
{
    struct archive *a;

    *f = (struct forecasts){ 0 };
    int status = archive_open(path, "forecasts", &a, why);
    if (status)
        return status;
    status = check_same(a, inputs, ninputs, why);
    if (!status)
        status = load(a, f, why);
    archive_close(a);
    if (status)
        forecasts_free(f);
    return status;
}

void forecasts_free(struct forecasts *f)
{
    free(f->cases);
    free(f->forecasts);
    free(f->costs);
    *f = (struct forecasts){ 0 };
}
