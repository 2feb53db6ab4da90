/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients: their table, added, sorted and found. */
#include "profile/coefs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"

static const struct column columns[] = {
    COLUMN_TEXT_OF(struct coef_row, model, "model"),
    COLUMN_TEXT_OF(struct coef_row, config, "configuration as fitted; *: all configurations"),
    COLUMN_WORD_OF(struct coef_row, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct coef_row, cache, cache_words, 8, "warm or cold"),
    COLUMN_TEXT_OF(struct coef_row, key, "name of the value within its model"),
    COLUMN_OF(struct coef_row, index, COLUMN_I64, "", "position among the values of the same key"),
    COLUMN_OF(struct coef_row, value, COLUMN_F64, "", "value, in the row's unit"),
    COLUMN_TEXT_OF(struct coef_row, unit, "unit of value"),
    COLUMN_OF(struct coef_row, low, COLUMN_F64, "", "lower end of the fitted range of the key; NaN: none"),
    COLUMN_OF(struct coef_row, high, COLUMN_F64, "", "upper end of the fitted range of the key; NaN: none"),
    COLUMN_WORD_OF(struct coef_row, launch, launch_words, 8, "graph or stream; missing: graph"),
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
    TARGET_SET(r, t);
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
        d = TARGET_COMPARE(a, b);
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

/* Sets the runs. Returns false if the rows are not sorted. */
static bool find_runs(struct coefs *c)
{
    c->nruns = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const bool first = i == 0 || compare_prefix(&c->row[i - 1], &c->row[i], false) != 0;
        if (i > 0 && compare_rows(&c->row[i - 1], &c->row[i]) > 0)
            return false;
        if (first && (c->nruns & (c->nruns - 1)) == 0) /* there is room for the next power of two */
            c->run = xrealloc(c->run, sizeof *c->run * (unsigned long)(c->nruns > 0 ? 2 * c->nruns : 1));
        if (first)
            c->run[c->nruns++] = i;
    }
    return true;
}

void coefs_sort(struct coefs *c)
{
    if (find_runs(c)) /* the rows of a profile usually are sorted */
        return;
    qsort(c->row, (size_t)c->n, sizeof *c->row, compare_rows);
    find_runs(c);
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
    TARGET_SET(&want, t);
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

int64_t coefs_whole(double value) { return fabs(value) <= 0x1p53 ? (int64_t)value : 0; }

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
    free(c->run);
    memset(c, 0, sizeof *c);
}
