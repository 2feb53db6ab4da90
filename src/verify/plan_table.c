/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "plans": forecast and measured times of executed plans, and the gain over the best single configuration, which is
 * measured in the same archive. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "formats/format.h"
#include "verify/verify_tables.h"

static const struct column plans_columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("exec", "serial: blocks one after another; parallel: blocks as branches of a graph"),
    TEXT_COLUMN("model", "model that made the plan"),
    INT_COLUMN("blocks", "", "blocks of the plan"),
    TEXT_COLUMN("configs", "kernels of the blocks in order, e.g. ell + csr-vector"),
    TEXT_COLUMN("outcome", "ok, noisy, wrong, na, oom or crashed"),
    REAL_COLUMN("forecast_us", "us", "forecast time of the plan; none: it was made for the other cache state"),
    REAL_COLUMN("time_us", "us", "measured time of the plan"),
    REAL_COLUMN("error_percent", "%", "forecast / measured - 1, with its sign"),
    REAL_COLUMN("forecast_single_us", "us", "forecast time of the best single configuration"),
    REAL_COLUMN("single_us", "us", "measured time of the fastest single configuration of our kernels"),
    TEXT_COLUMN("single", "fastest measured single configuration of our kernels"),
    REAL_COLUMN("forecast_gain_percent", "%", "forecast of the time saved: 1 - forecast_us / forecast_single_us"),
    REAL_COLUMN("gain_percent", "%", "measured time saved by the plan: 1 - time_us / single_us"),
    REAL_COLUMN("cusparse_csr_us", "us", "measured time of the fastest cusparse-csr"),
    TEXT_COLUMN("reason", "why there is no time, or what is wrong with the time"),
    COLUMNS_END,
};

struct tally {
    int64_t n, plans, split, ok, other, gained,
        nerrors; /* n: rows; a plan has one in each cache state in which it was timed */
    double *error;
};

/* Returns the row of the fastest single configuration on the plan's source, target and device: of our kernels or, with `library`, of
 * the baseline cusparse-csr; NULL: none. */
static const struct run_row *best_single(const struct runs *runs, const struct run_row *plan, bool library)
{
    const struct run_row *best = NULL;

    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct kernel *k = kernel_find(r->kernel); /* NULL: a row of a plan */
        if (k && (library ? k->baseline : !k->library) && strcmp(r->outcome, "ok") == 0 && r->time_us > 0
            && strcmp(r->source_id, plan->source_id) == 0 && r->precision == plan->precision && r->cache == plan->cache
            && strcmp(r->device_key, plan->device_key) == 0 && (!best || r->time_us < best->time_us))
            best = r;
    }
    return best;
}

/* "ell + csr-vector": kernels of the blocks in order, consecutive duplicates removed. */
static void name_blocks(const struct runs *runs, const struct plan_row *p, char *text, size_t bytes)
{
    char last[32] = "";
    size_t at = 0;

    text[0] = 0;
    for (int64_t i = 0; i < runs->nblocks; i++) {
        char kernel[32];
        if (strcmp(runs->blocks[i].plan_id, p->plan_id) != 0)
            continue;
        const char *config = runs->blocks[i].config;
        snprintf(kernel, sizeof kernel, "%.*s", (int)config_kernel_length(config, strlen(config)), config);
        if (strcmp(kernel, last) != 0 && at < bytes)
            at += (size_t)snprintf(text + at, bytes - at, "%s%s", at ? " + " : "", kernel);
        memcpy(last, kernel, sizeof last);
    }
}

/* first: the plan has no earlier row */
static void put_plan(struct table *out, const struct runs *runs, const struct run_row *r, const struct plan_row *p,
                     bool first, struct tally *t)
{
    const bool ok = strcmp(r->outcome, "ok") == 0;
    const struct run_row *single = best_single(runs, r, false), *library = best_single(runs, r, true);
    const double us = ok ? r->time_us : NAN, forecast_us = p->cache != r->cache ? NAN : p->time_us,
                 single_us = single ? single->time_us : NAN;
    char blocks[160];

    name_blocks(runs, p, blocks, sizeof blocks);
    table_put_text(out, "matrix", r->matrix);
    table_put_int(out, "rows", p->rows);
    table_put_int(out, "nnz", p->nnz);
    table_put_target(out, r->precision, r->cache);
    table_put_text(out, "exec", p->exec);
    table_put_text(out, "model", p->model);
    table_put_int(out, "blocks", p->blocks);
    table_put_text(out, "configs", blocks);
    table_put_text(out, "outcome", r->outcome);
    table_put_us(out, "forecast_us", forecast_us, 4);
    table_put_us(out, "time_us", us, 4);
    table_put_real(out, "error_percent", 100 * (forecast_us / us - 1), 3);
    table_put_us(out, "forecast_single_us", forecast_us > 0 ? p->single_us : NAN, 4);
    table_put_us(out, "single_us", single_us, 4);
    table_put_text(out, "single", single ? single->config : "");
    table_put_real(out, "forecast_gain_percent", 100 * (1 - forecast_us / p->single_us), 3);
    table_put_real(out, "gain_percent", 100 * (1 - us / single_us), 3);
    table_put_us(out, "cusparse_csr_us", library ? library->time_us : NAN, 4);
    table_put_text(out, "reason", r->reason);
    table_row_end(out);
    t->n++;
    t->plans += first;
    t->ok += ok;
    t->split += p->blocks > 1;
    t->gained += p->blocks > 1 && us < single_us;
    if (ok && !isnan(forecast_us))
        t->error[t->nerrors++] = fabs(forecast_us / us - 1);
}

/* Selects the columns that a terminal shows. */
static void view(struct table *out, const struct run_row *const *row, int64_t n)
{
    bool precision = false, cache = false, failed = false;

    for (int64_t i = 0; i < n; i++) {
        precision = precision || row[i]->precision != row[0]->precision;
        cache = cache || row[i]->cache != row[0]->cache;
        failed = failed || strcmp(row[i]->outcome, "ok") != 0;
    }
    char *columns = xasprintf("matrix%s%s exec%s time_us gain_percent error_percent configs",
                              precision ? " precision" : "", cache ? " cache" : "", failed ? " outcome" : "");
    textout_view(out, columns);
    textout_shorter(out, "single", config_brief);
    free(columns);
}

static int by_name(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    int d = word_compare(&precision_words, x->precision, y->precision);

    d = d ? d : -word_compare(&cache_words, x->cache, y->cache);
    d = d ? d : strcmp(x->matrix, y->matrix);
    return d ? d : strcmp(x->config, y->config);
}

void plans_print(char *const *paths, int npaths, const char *device, const struct strlist *precisions,
                 const struct strlist *caches, const char *more, bool json)
{
    struct runs runs = { 0 };
    struct tally t = { 0 };
    char why[ERRLEN];

    for (int i = 0; i < npaths; i++) {
        const int status = runs_load(paths[i], &runs, why);
        if (status)
            die_code(archive_exit(status), "%s", why);
    }
    if (device)
        runs_one_device(&runs, device);
    runs_leave_parts(&runs);
    const struct run_row **row = xcalloc((unsigned long)runs.nrows + 1, sizeof *row);
    int64_t n = 0;
    for (int64_t i = 0; i < runs.nrows; i++) {
        const struct run_row *r = &runs.rows[i];
        if (strcmp(r->role, "plan") == 0 && strlist_wants(precisions, precision_name(r->precision))
            && strlist_wants(caches, cache_name(r->cache)))
            row[n++] = r;
        else
            t.other++;
    }
    if (n == 0)
        die("no executed plan in these archives (%s); run `spmv-execute` first",
            counted(t.other, "row of other roles").text);
    qsort(row, (size_t)n, sizeof *row, by_name);
    t.error = xcalloc((unsigned long)n, sizeof *t.error);
    struct table *out = textout_begin(json, plans_columns);
    view(out, row, n);
    for (int64_t i = 0; i < n; i++) {
        const struct plan_row *p = runs_plan_of(&runs, row[i]);
        if (!p)
            die("%s is damaged: row %s is missing in table plan", paths[0], row[i]->config);
        bool first = true;
        for (int64_t k = 0; k < i && first; k++)
            first = strcmp(row[k]->config, row[i]->config) != 0;
        put_plan(out, &runs, row[i], p, first, &t);
    }
    table_note(out,
               "%s of %s, %" PRId64 " measured ok; %" PRId64 " of more than one block, %" PRId64
               " of those faster than the best single configuration",
               counted(t.n, "row").text, counted(t.plans, "plan").text, t.ok, t.split, t.gained);
    stats_sort(t.error, (int)t.nerrors);
    if (t.nerrors)
        table_note(
            out,
            "|forecast / measured - 1| of %s with the cache state of the plan: median %.3g %%, 90th percentile %.3g %%, worst %.3g %%",
            counted(t.nerrors, "row").text, 100 * stats_quantile(t.error, (int)t.nerrors, 0.5),
            100 * stats_quantile(t.error, (int)t.nerrors, 0.9), 100 * t.error[t.nerrors - 1]);
    if (more)
        table_note(out, "%s", more);
    textout_end(out);
    free(t.error);
    free(row);
    runs_free(&runs);
}
