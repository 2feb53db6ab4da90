/* SPDX-License-Identifier: BSD-3-Clause */
/* Archived forecasts, written and read. */
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
    if (f->ncases > 0)
        configs_complete(f->cases->config, f->ncases, sizeof *f->cases);
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
