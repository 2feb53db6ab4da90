/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "errors": errors of each model's forecasts against the measured times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/strings.h"
#include "formats/format.h"
#include "verify/verify_tables.h"

/* ---- groupings */

static const char *by_config(const struct one_case *c) { return c->general; }
static const char *by_kernel(const struct one_case *c) { return c->config.kernel->name; }
static const char *by_layout(const struct one_case *c) { return c->config.kernel->layout->name; }
static const char *by_class(const struct one_case *c) { return c->row->footprint; }
static const char *by_matrix(const struct one_case *c) { return c->row->matrix; }
static const char *by_model(const struct one_case *c)
{
    (void)c;
    return NULL;
}

const char *size_group(int64_t nnz)
{
    static const char *const names[] = { "nnz<1e4", "1e4<=nnz<1e5", "1e5<=nnz<1e6", "1e6<=nnz<1e7", "1e7<=nnz" };
    int i = 0;
    for (int64_t n = nnz; n >= 10000 && i < 4; n /= 10)
        i++;
    return names[i];
}
static const char *by_size(const struct one_case *c) { return size_group(c->features->nnz); }

static const struct grouping groupings[] = {
    { "config", "configuration", by_config },
    { "kernel", "kernel", by_kernel },
    { "layout", "storage format", by_layout },
    { "size", "decades of nonzeros", by_size },
    { "class", "footprint class", by_class },
    { "matrix", "matrix", by_matrix },
    { "model", "model", by_model },
};
enum { GROUPINGS = sizeof groupings / sizeof groupings[0] };

const struct grouping *grouping_find(const char *name)
{
    for (int i = 0; i < GROUPINGS; i++)
        if (strcmp(groupings[i].name, name) == 0)
            return &groupings[i];
    return NULL;
}

const char *grouping_names(void)
{
    static char names[128];
    if (!*names)
        for (int i = 0; i < GROUPINGS; i++)
            words_add(names, sizeof names, groupings[i].name);
    return names;
}

/* ---- errors of one row of the table */

struct sample {
    const char *key;
    double error;
    bool near;
    enum status status;
};

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void print_errors(struct table *out, const struct sample *s, int64_t n, bool near_only)
{
    double *error = xmalloc(sizeof *error * (unsigned long)(n + 1));
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++)
        if (s[i].status != FORECAST_REFUSED && (s[i].near || !near_only))
            error[used++] = s[i].error * 100;
    stats_sort(error, used);
    table_prefix(out, near_only ? "near_" : "");
    table_put_int(out, "cases", used);
    table_put_real(out, "mean_percent", used ? stats_mean(error, used) : NAN, 3);
    table_put_real(out, "median_percent", stats_quantile(error, used, 0.5), 3);
    table_put_real(out, "p90_percent", stats_quantile(error, used, 0.9), 3);
    table_put_real(out, "p99_percent", stats_quantile(error, used, 0.99), 3);
    table_put_real(out, "worst_percent", stats_quantile(error, used, 1), 3);
    table_prefix(out, "");
    free(error);
}

/* The column of groups has the grouping's name, unless another column has it. */
static const char *group_column(const struct grouping *g) { return strcmp(g->name, "model") == 0 ? "group" : g->name; }

static void print_row(struct table *out, const struct model *m, const struct target *t, const struct grouping *g,
                      const char *group, const struct sample *s, int64_t n)
{
    int64_t refused = 0, extrapolated = 0;
    for (int64_t i = 0; i < n; i++) {
        refused += s[i].status == FORECAST_REFUSED;
        extrapolated += s[i].status == FORECAST_EXTRAPOLATED;
    }
    table_put_text(out, "model", m->name);
    table_put_text(out, group_column(g), group);
    table_put_target(out, t->precision, t->cache);
    print_errors(out, s, n, false);
    print_errors(out, s, n, true);
    table_put_int(out, "extrapolated", extrapolated);
    table_put_int(out, "refused", refused);
    table_put_text(out, "launch", launch_name(t->launch));
    table_row_end(out);
}

static void print_target(struct table *out, const struct cases *c, int m, const struct grouping *g, int64_t first,
                         int64_t end)
{
    struct sample *s = xmalloc(sizeof *s * (unsigned long)(end - first));
    int64_t n = end - first;
    for (int64_t i = 0; i < n; i++) {
        const struct one_case *one = &c->one[first + i];
        const struct verdict *v = cases_verdict(c, m, first + i);
        const char *key = g->key(one);
        s[i] = (struct sample){ key ? key : "", fabs(v->time_s - one->measured_s) / one->measured_s, one->near,
                                v->status };
    }
    const struct target *t = &c->one[first].target;
    print_row(out, c->model[m], t, g, "all", s, n);
    qsort(s, (size_t)n, sizeof *s, compare_samples);
    for (int64_t a = 0, b; a < n && s[0].key[0]; a = b) {
        for (b = a + 1; b < n && strcmp(s[b].key, s[a].key) == 0; b++)
            ;
        print_row(out, c->model[m], t, g, s[a].key, s + a, b - a);
    }
    free(s);
}

static const struct column columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("config", "group of cases, or all"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("cases", "", "measured times with a forecast"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1|"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1|"),
    REAL_COLUMN("p90_percent", "%", "90th percentile of |forecast / measured - 1|"),
    REAL_COLUMN("p99_percent", "%", "99th percentile of |forecast / measured - 1|"),
    REAL_COLUMN("worst_percent", "%", "largest |forecast / measured - 1|"),
    INT_COLUMN("near_cases", "", "cases within twice the best time of their matrix"),
    REAL_COLUMN("near_mean_percent", "%", "mean of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("near_median_percent", "%", "median of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("near_p90_percent", "%", "90th percentile of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("near_p99_percent", "%", "99th percentile of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("near_worst_percent", "%", "largest |forecast / measured - 1| of near cases"),
    INT_COLUMN("extrapolated", "", "forecasts outside the range that the model was fitted to"),
    INT_COLUMN("refused", "", "measured times that the model does not forecast"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    COLUMNS_END,
};
enum { GROUP = 1 }; /* the column that is named after the grouping */

void errors_print(const struct cases *c, const struct grouping *g, const char *profile, bool json)
{
    struct column *named = columns_renamed(columns, GROUP, group_column(g));
    struct table *out = textout_begin(json, named);
    char *view =
        xasprintf("model%s%s%s cases median_percent p90_percent near_cases near_median_percent near_p90_percent "
                  "refused extrapolated",
                  strcmp(g->name, "model") == 0 ? "" : " ", strcmp(g->name, "model") == 0 ? "" : g->name,
                  cases_target_columns(c).text);
    textout_view(out, view);
    if (strcmp(g->name, "config") == 0)
        textout_shorter(out, "config", config_brief);
    free(view);
    table_note(out, "%s", profile);
    table_note(
        out,
        "table: errors |forecast - measured| / measured, by %s; near: configurations within 2x of the best of their matrix",
        g->about);
    for (int m = 0; m < c->nmodels; m++)
        for (int64_t first = 0, end; first < c->n; first = end) {
            end = cases_target_end(c, first);
            print_target(out, c, m, g, first, end);
        }
    cases_note(c, out);
    cases_note_models(c, out);
    textout_end(out);
    free(named);
}
