/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of archived forecasts, and their validation: each row, and the rows together. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "models/forecasts.h"

static const struct column case_columns[] = {
    COLUMN_TEXT_OF(struct case_row, source_id, "matrix_id, or recipe_id of a recipe"),
    COLUMN_TEXT_OF(struct case_row, matrix, "Group/Name or the recipe"),
    COLUMN_TEXT_OF(struct case_row, family, "family of the matrix; all matrices of a family are in one fold"),
    COLUMN_TEXT_OF(struct case_row, config, "configuration, in the form comparable between matrices"),
    COLUMN_TEXT_OF(struct case_row, kernel, "kernel of the configuration"),
    COLUMN_WORD_OF(struct case_row, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct case_row, cache, cache_words, 8, "warm or cold"),
    COLUMN_WORD_OF(struct case_row, launch, launch_words, 8,
                   "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    COLUMN_TEXT_OF(struct case_row, footprint, "resident, mixed or streaming"),
    COLUMN_OF(struct case_row, sealed, COLUMN_I64, "",
              "1: the family is sealed, excluded from all fits and choices; 0: it is not"),
    COLUMN_OF(struct case_row, nnz, COLUMN_I64, "", "entries of the matrix"),
    COLUMN_OF(struct case_row, measured_us, COLUMN_F64, "us", "measured time"),
    COLUMN_OF(struct case_row, state_us, COLUMN_F64, "us",
              "part of measured_us due to launch state and session of the measuring process; may be negative"),
    COLUMN_OF(struct case_row, one_part, COLUMN_I64, "",
              "1: a composite with all nonzeros in one part, which is never recommended; 0: it is not"),
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
    const struct wordtext precision = word_text(&precision_words, c->precision),
                          cache = word_text(&cache_words, c->cache), launch = word_text(&launch_words, c->launch);
    const struct {
        const char *column, *value, *words; /* words: allowed values; NULL: any but "" */
    } text[] = {
        { "source_id", c->source_id, NULL },
        { "matrix", c->matrix, NULL },
        { "family", c->family, NULL },
        { "config", c->config, NULL },
        { "kernel", c->kernel, NULL },
        { "precision", precision.text, precision_names() },
        { "cache", cache.text, cache_names() },
        { "launch", launch.text, launch_names() },
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
    if (c->one_part != 0 && c->one_part != 1 && c->one_part != INT64_MIN)
        return wrong(why, case_schema.name, row, "one_part %" PRId64 ", expected 0 or 1", c->one_part);
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
        order = TARGET_COMPARE(x, y);
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
                           y->matrix, y->config, precision_name(y->precision), cache_name(y->cache),
                           launch_name(y->launch), x - f->cases);
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

int forecasts_check(const struct forecasts *f, char why[ERRLEN])
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
