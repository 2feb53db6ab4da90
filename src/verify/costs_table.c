/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "costs": errors of forecast build, copy and preparation times, and of two plain rivals: the kernel's median time, and
 * nonzeros x the kernel's median time per nonzero. Archived forecasts are by fits without the matrix's family; the rivals' medians
 * are of the same times that they are scored on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/strings.h"
#include "formats/format.h"
#include "verify/scores.h"

struct cost_time {
    const struct case_row *row;
    double measured_us, forecast_us;
};

static int by_matrix(const void *a, const void *b)
{
    return strcmp(((const struct cost_time *)a)->row->source_id, ((const struct cost_time *)b)->row->source_id);
}

/* By kernel, then matrix. */
static int compare(const void *a, const void *b)
{
    const struct case_row *x = ((const struct cost_time *)a)->row, *y = ((const struct cost_time *)b)->row;
    const int order = strcmp(x->kernel, y->kernel);
    return order ? order : strcmp(x->source_id, y->source_id);
}

static double median_error(const struct cost_time *s, int64_t n, double constant_us, double us_per_nonzero)
{
    double *error = xmalloc(sizeof *error * (unsigned long)(n + 1));
    for (int64_t i = 0; i < n; i++)
        error[i] = 100 * fabs((constant_us + us_per_nonzero * (double)s[i].row->nnz) / s[i].measured_us - 1);
    const double median = stats_median(error, n);
    free(error);
    return median;
}

static void print_kernel(struct table *out, enum cost cost, const char *set, const char *kernel,
                         const struct cost_time *s, int64_t n)
{
    double *error = xmalloc(sizeof *error * (unsigned long)(n + 1)), *us = xmalloc(sizeof *us * (unsigned long)(n + 1)),
           *rate = xmalloc(sizeof *rate * (unsigned long)(n + 1)), sum = 0;
    int64_t known = 0, matrices = 0;
    for (int64_t i = 0; i < n; i++) {
        us[i] = s[i].measured_us;
        rate[i] = s[i].measured_us / (double)s[i].row->nnz;
        matrices += i == 0 || strcmp(s[i].row->source_id, s[i - 1].row->source_id) != 0;
        if (isnan(s[i].forecast_us))
            continue;
        error[known] = 100 * fabs(s[i].forecast_us / s[i].measured_us - 1);
        sum += error[known++];
    }
    table_put_text(out, "cost", cost_names[cost]);
    table_put_text(out, "kernel", kernel);
    table_put_text(out, "set", set);
    table_put_int(out, "matrices", matrices);
    table_put_int(out, "times", n);
    table_put_int(out, "without", n - known);
    table_put_us(out, "median_us", stats_median(us, n), 4);
    stats_sort(error, known);
    table_put_real(out, "mean_percent", known > 0 ? sum / (double)known : NAN, 3);
    table_put_real(out, "median_percent", stats_quantile(error, known, 0.5), 3);
    table_put_real(out, "p90_percent", stats_quantile(error, known, 0.9), 3);
    table_put_real(out, "constant_percent", median_error(s, n, stats_median(us, n), 0), 3);
    table_put_real(out, "per_nonzero_percent", median_error(s, n, 0, stats_median(rate, n)), 3);
    table_row_end(out);
    free(error);
    free(us);
    free(rate);
}

static bool wanted(const struct scores *s, const struct case_row *row, int sealed)
{
    const struct score_choice *c = s->choice;
    return row->sealed == sealed && strlist_wants(c->precisions, precision_name(row->precision))
           && (strcmp(c->set, "all") == 0 || (strcmp(c->set, "sealed") == 0) == (sealed == 1));
}

/* Does this cost apply to the kernel? Kernels that use plain CSR build nothing. */
static bool counts(enum cost cost, const struct case_row *row)
{
    const struct kernel *k = kernel_find(row->kernel);
    return (cost != COST_BUILD && cost != COST_DEVICE_BUILD) || !k || k->layout != kernel_baseline()->layout;
}

static void print_cost(const struct scores *s, struct table *out, enum cost cost, int sealed)
{
    struct cost_time *sample = xmalloc(sizeof *sample * (unsigned long)(s->archive.ncosts + 1));
    int64_t n = 0;
    for (int64_t i = 0; i < s->archive.ncosts; i++) {
        const struct case_cost *c = &s->archive.costs[i];
        const struct case_row *row = &s->archive.cases[c->case_index];
        if (wanted(s, row, sealed) && c->measured_us[cost] > 0 && counts(cost, row))
            sample[n++] = (struct cost_time){ row, (double)c->measured_us[cost], (double)c->forecast_us[cost] };
    }
    qsort(sample, (size_t)n, sizeof *sample, by_matrix);
    if (n > 0)
        print_kernel(out, cost, score_set_name(sealed), "all", sample, n);
    qsort(sample, (size_t)n, sizeof *sample, compare);
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && strcmp(sample[end].row->kernel, sample[first].row->kernel) == 0; end++)
            ;
        print_kernel(out, cost, score_set_name(sealed), sample[first].row->kernel, sample + first, end - first);
    }
    free(sample);
}

static const struct column columns[] = {
    TEXT_COLUMN("cost", "build (on the host), upload (copy), device_build (on the device) or prepare"),
    TEXT_COLUMN("kernel", "kernel, or all"),
    TEXT_COLUMN("set",
                "crossvalidated; sealed: matrices that took part in no fit and no choice; unseen: of run archives"),
    INT_COLUMN("matrices", "", "matrices with a measured time of this cost"),
    INT_COLUMN("times", "", "measured times: a configuration on a matrix each"),
    INT_COLUMN("without", "", "measured times without a forecast"),
    REAL_COLUMN("median_us", "us", "median of the measured times"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1|"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1|"),
    REAL_COLUMN("p90_percent", "%", "90th percentile of |forecast / measured - 1|"),
    REAL_COLUMN("constant_percent", "%", "median error if the median time were always forecast"),
    REAL_COLUMN("per_nonzero_percent", "%", "median error if the median time per nonzero were always forecast"),
    COLUMNS_END,
};

void costs_table(const struct scores *s, struct table *out)
{
    if (s->archive.ncosts == 0)
        die("%s has no costs of conversion and preparation, because an older spmv-fit wrote it; regenerate it with spmv-fit "
            "--crossvalidate (make crossvalidate)",
            s->path);
    table_begin(out, columns);
    char *view = xasprintf("cost kernel%s matrices times median_us median_percent p90_percent constant_percent "
                           "per_nonzero_percent",
                           scores_of_both_sets(s) ? " set" : "");
    textout_view(out, view);
    free(view);
    table_note(out, "%s: %s", s->path, counted(s->archive.ncosts, "configuration").text);
    table_note(
        out,
        "table: costs; build: building the layout from CSR on the host; upload: copy to the device; device_build: building it "
        "from CSR on the device; prepare: preparation before the kernel's first launch");
    table_note(
        out,
        "errors: |forecast / measured - 1| per configuration and matrix; constant_percent: median error of a rival "
        "that always forecasts the kernel's median time; per_nonzero_percent: the same with the median time per nonzero");
    textout_head(out);
    for (int sealed = 0; sealed < SCORE_SETS; sealed++)
        for (int cost = 0; cost < NCOSTS; cost++)
            print_cost(s, out, (enum cost)cost, sealed);
    table_note(out, "without: times without a forecast (no family in the fit was measured with that configuration)");
}
