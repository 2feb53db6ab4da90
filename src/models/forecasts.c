/* SPDX-License-Identifier: BSD-3-Clause */
/* Archived forecasts: their tables, written and read. */
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

    if (forecasts_check(f, what) != 0)
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
    if (forecasts_check(f, what) != 0) {
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
