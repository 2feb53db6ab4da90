/* SPDX-License-Identifier: BSD-3-Clause */
/* Validates archived forecasts: each row, and the rows together. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "models/forecasts.h"

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
