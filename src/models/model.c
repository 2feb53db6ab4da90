/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of models and the code that they share: forecasts, and coefficients in one sorted array of rows. */
#include "models/model.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/strings.h"
#include "formats/config_keys.h"
#include "formats/format.h"

#define MODEL(id) extern const struct model model_##id;
#include "models/models.def"
#undef MODEL

static const struct model *const models[] = {
#define MODEL(id) &model_##id,
#include "models/models.def"
#undef MODEL
    NULL
};

const char model_default[] = "physics-gp", model_planning[] = "guo2014-regimes";

const struct model *model_at(int i) { return i >= 0 && i < (int)(sizeof models / sizeof models[0]) ? models[i] : NULL; }

const struct model *model_find(const char *name)
{
    for (int i = 0; models[i]; i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

const struct model *model_of_profile(const struct profile *p)
{
    return model_find(p->learned ? model_default : model_planning);
}

const char *model_names(void)
{
    static _Thread_local char names[32 * sizeof models / sizeof models[0]];
    if (!*names)
        for (int i = 0; models[i]; i++)
            words_add(names, sizeof names, models[i]->name);
    return names;
}

void forecast_refuse(struct forecast *f, const char *fmt, ...)
{
    va_list ap;
    memset(f, 0, sizeof *f);
    f->time_s = f->low_s = f->high_s = f->distance = NAN;
    f->status = FORECAST_REFUSED;
    va_start(ap, fmt);
    vsnprintf(f->why, sizeof f->why, fmt, ap);
    va_end(ap);
}

void forecast_begin(struct forecast *f)
{
    memset(f, 0, sizeof *f);
    f->low_s = f->high_s = NAN;
}

void forecast_add_term(struct forecast *f, const char *name, double time_s)
{
    if (f->nterms == (int)(sizeof f->terms / sizeof f->terms[0]))
        bug("forecast: more than %d terms", f->nterms);
    f->terms[f->nterms].name = name;
    f->terms[f->nterms++].time_s = time_s;
}

/* Prints six significant digits, but large numbers in full: 15728640, not 1.57286e+07. */
static const char *figure(double v, char text[32])
{
    snprintf(text, 32, fabs(v) >= 1e4 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
    return text;
}

void forecast_box(struct forecast *f, const char *quantity, double value, double low, double high)
{
    if (isnan(low) || isnan(high) || (value >= low && value <= high))
        return;
    /* A quantity of 0 (an empty mode, no strips) counts as one half, so that the logarithm is finite. */
    double v = value > 0.0 ? value : 0.5, distance = v < low ? log(low / v) : log(v / high);
    if (distance <= 0.0)
        distance = 1e-9;
    if (f->status == FORECAST_OK || distance > f->distance) {
        f->distance = distance;
        char found[32], from[32], to[32];
        snprintf(f->why, sizeof f->why, "%s %s is outside the fitted range %s..%s", quantity, figure(value, found),
                 figure(low, from), figure(high, to));
    }
    f->status = FORECAST_EXTRAPOLATED;
}

/* ---------------------------------------------------------------------------------------------------- coefficients */
static const struct column columns[] = {
    COLUMN_TEXT_OF(struct coef_row, model, "model"),
    COLUMN_TEXT_OF(struct coef_row, config, "configuration as fitted; *: all configurations"),
    COLUMN_TEXT_OF(struct coef_row, precision, "f32 or f64"),
    COLUMN_TEXT_OF(struct coef_row, cache, "warm or cold"),
    COLUMN_TEXT_OF(struct coef_row, key, "name of the value within its model"),
    COLUMN_OF(struct coef_row, index, COLUMN_I64, "", "position among the values of the same key"),
    COLUMN_OF(struct coef_row, value, COLUMN_F64, "", "value, in the row's unit"),
    COLUMN_TEXT_OF(struct coef_row, unit, "unit of value"),
    COLUMN_OF(struct coef_row, low, COLUMN_F64, "", "lower end of the fitted range of the key; NaN: none"),
    COLUMN_OF(struct coef_row, high, COLUMN_F64, "", "upper end of the fitted range of the key; NaN: none"),
    COLUMN_TEXT_OF(struct coef_row, launch, "graph or stream; missing: graph"),
};
const struct schema coef_schema = SCHEMA_OF(struct coef_row, "coefficients", columns);

void coefs_add(struct coefs *c, const char *model, const char *config, const struct target *t, const char *key,
               int64_t index, double value, const char *unit, double low, double high)
{
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->row = xrealloc(c->row, (unsigned long)c->room * sizeof *c->row);
    }
    struct coef_row *r = &c->row[c->n++];
    memset(r, 0, sizeof *r);
    TEXT_SET(r->model, model);
    TEXT_SET(r->config, config);
    TEXT_SET(r->precision, precision_name(t->precision));
    TEXT_SET(r->cache, cache_name(t->cache));
    TEXT_SET(r->launch, launch_name(t->launch));
    TEXT_SET(r->key, key);
    TEXT_SET(r->unit, unit);
    r->index = index;
    r->value = value;
    r->low = low;
    r->high = high;
}

/* Compares by (model, config, precision, cache, launch) and, if with_key, by key. */
static int compare_prefix(const struct coef_row *a, const struct coef_row *b, bool with_key)
{
    int d = strcmp(a->model, b->model);
    if (!d)
        d = strcmp(a->config, b->config);
    if (!d)
        d = strcmp(a->precision, b->precision);
    if (!d)
        d = strcmp(a->cache, b->cache);
    if (!d)
        d = strcmp(a->launch, b->launch);
    if (!d && with_key)
        d = strcmp(a->key, b->key);
    return d;
}

static int compare_rows(const void *pa, const void *pb)
{
    const struct coef_row *a = pa, *b = pb;
    int d = compare_prefix(a, b, true);
    return d ? d : (a->index > b->index) - (a->index < b->index);
}

void coefs_sort(struct coefs *c)
{
    int64_t sorted = 1; /* the rows of a profile usually are sorted */
    while (sorted < c->n && compare_rows(&c->row[sorted - 1], &c->row[sorted]) <= 0)
        sorted++;
    if (sorted < c->n)
        qsort(c->row, (size_t)c->n, sizeof *c->row, compare_rows);
}

/* Returns the index of the first row not less than `want`, or, with `after`, of the first row greater than `want`. */
static int64_t bound(const struct coefs *c, const struct coef_row *want, bool with_key, bool after)
{
    int64_t low = 0, high = c->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int d = compare_prefix(&c->row[middle], want, with_key);
        if (d < 0 || (after && d == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct coef_row *coefs_find(const struct coefs *c, const char *model, const char *config, const struct target *t,
                                  const char *key, int64_t *n)
{
    struct coef_row want = { .index = 0 };
    TEXT_SET(want.model, model);
    TEXT_SET(want.config, config);
    TEXT_SET(want.precision, precision_name(t->precision));
    TEXT_SET(want.cache, cache_name(t->cache));
    TEXT_SET(want.launch, launch_name(t->launch));
    if (key)
        TEXT_SET(want.key, key);
    int64_t first = bound(c, &want, key != NULL, false);
    *n = bound(c, &want, key != NULL, true) - first;
    return *n ? &c->row[first] : NULL;
}

double coefs_value(const struct coefs *c, const char *model, const char *config, const struct target *t,
                   const char *key, int64_t index)
{
    int64_t n;
    const struct coef_row *r = coefs_find(c, model, config, t, key, &n);
    for (int64_t i = 0; i < n; i++)
        if (r[i].index == index)
            return r[i].value;
    return NAN;
}

void coefs_add_fit(struct coefs *c, const char *model, const char *config, const struct target *t, double *errors,
                   int64_t cells, int64_t unused)
{
    double median = stats_median(errors, cells); /* sorts */
    coefs_add(c, model, config, t, "cells", 0, (double)cells, "", NAN, NAN);
    coefs_add(c, model, config, t, "cells_unused", 0, (double)unused, "", NAN, NAN);
    coefs_add(c, model, config, t, "fit_error_median", 0, median, "1", NAN, NAN);
    coefs_add(c, model, config, t, "fit_error_max", 0, cells ? errors[cells - 1] : NAN, "1", NAN, NAN);
}

bool coefs_have(const struct coefs *c, const char *model)
{
    for (int64_t i = 0; i < c->n; i++)
        if (strcmp(c->row[i].model, model) == 0)
            return true;
    return false;
}

void coefs_free(struct coefs *c)
{
    free(c->row);
    memset(c, 0, sizeof *c);
}

/* -------------------------------------------------------------------------------------------------- configurations */
/* Sets each key, including those of parts, to "auto" if "auto" gives the value that the key has. */
static struct config general_of(const struct config *resolved, const struct features *f, const struct target *t)
{
    char ruled[CONFIG_LEN], whole[CONFIG_LEN], why[ERRLEN];
    struct config general = *resolved, again;

    config_print(resolved, whole);
    for (int i = 0; i < general.n; i++) {
        const struct param *p = config_param(&general, general.set[i].key);
        const struct setting before = general.set[i];

        if (!p || p->type == PARAM_KERNEL || !strstr(p->legal, "|auto"))
            continue;
        TEXT_SET(general.set[i].value, "auto");
        ruled[0] = '\0';
        if (config_resolve(&general, f, t, &again, why) == 0)
            config_print(&again, ruled);
        if (strcmp(ruled, whole) != 0)
            general.set[i] = before;
    }
    return general;
}

void config_general(const struct config *resolved, const struct features *f, const struct target *t,
                    char text[CONFIG_LEN])
{
    const struct config general = general_of(resolved, f, t);
    config_print(&general, text);
}

void config_as_asked(const struct config *resolved, const char *asked, const struct features *f, const struct target *t,
                     char text[CONFIG_LEN])
{
    struct config general = general_of(resolved, f, t), parsed;
    char why[ERRLEN];
    const bool known = config_parse(asked, &parsed, why) == 0;
    for (int i = 0; i < general.n && known; i++)
        for (int k = 0; k < parsed.n; k++)
            if (strcmp(general.set[i].value, "auto") == 0 && strcmp(general.set[i].key, parsed.set[k].key) == 0)
                general.set[i] = parsed.set[k];
    config_print(&general, text);
}
