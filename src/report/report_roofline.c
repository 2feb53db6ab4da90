/* SPDX-License-Identifier: BSD-3-Clause */
/* Rooflines of section "device": rates that measured configurations reach, by working set (report_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "report/report_parts.h"
#include "speed/speed.h"
#include "table/textout.h"

enum { DOTS = 1200, DOT_ROWS = 150, CONFIG_ROWS = 250 };

enum group { CUSPARSE_CSR, CUSPARSE_OTHER, OUR_CSR, OUR_OTHER, NROOF_GROUPS };
static const char *const group_names[NROOF_GROUPS] = { "cuSPARSE CSR", "other formats of cuSPARSE", "our CSR kernels",
                                                       "our other formats" };

static enum group group_of(const struct kernel *k)
{
    if (k->library)
        return k->baseline ? CUSPARSE_CSR : CUSPARSE_OTHER;
    return k->layout == layout_find("csr") ? OUR_CSR : OUR_OTHER;
}

static double gbs(const struct run_row *r) { return row_useful_bytes(r) / r->time_us / 1e3; }
static double gflops(const struct run_row *r, const struct features *f)
{
    return 2 * (double)f->nnz / r->time_us / 1e3;
}

/* ---- points: the fastest configuration of each kernel on each matrix ---- */

struct dot {
    const struct run_row *row;
    const struct contest *contest;
    enum group group;
};

static int64_t find_dots(const struct contests *c, struct dot *dot)
{
    int64_t n = 0;

    for (int64_t k = 0; k < c->n; k++)
        for (int64_t i = c->one[k].first, first = n; i < c->one[k].end; i++) {
            const struct run_row *r = c->row[i];
            const struct kernel *kernel = kernel_find(r->kernel);
            int64_t at = first;
            if (!kernel || r->least_bytes <= 0)
                continue;
            while (at < n && strcmp(dot[at].row->kernel, r->kernel) != 0)
                at++;
            if (at == n)
                dot[n++] = (struct dot){ r, &c->one[k], group_of(kernel) };
            else if (r->time_us < dot[at].row->time_us)
                dot[at].row = r;
        }
    return n;
}

static void add_bandwidth(const struct report *r, const struct contests *c, struct points *line)
{
    const struct target t =
        report_target(r, (enum precision)precision_parse(r->precision), (enum cache)cache_parse(r->cache), GRAPH);

    for (int k = 10; k <= 34; k++) {
        const double rate = c->rate_gbs[footprint_class(&t.device, INT64_C(1) << k)][t.cache];
        points_add(line, ldexp(1, k), rate > 0 ? rate : NAN, NULL);
    }
}

/* The range of working sets of the dots, so that the line of the bandwidth does not widen the axis. */
static void range_of(const struct dot *dot, int64_t n, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (int64_t i = 0; i < n; i++) {
        *low = fmin(*low, (double)dot[i].row->footprint_bytes);
        *high = fmax(*high, (double)dot[i].row->footprint_bytes);
    }
    *low = pow(10, floor(log10(*low)));
    *high = pow(10, ceil(log10(*high)));
}

/* Points of each group, the line of the bandwidth, and the table behind. */
struct roof {
    struct points rate[NROOF_GROUPS], flops[NROOF_GROUPS], line;
    struct table table;
};

static const struct column roof_columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    TEXT_COLUMN("configuration", "fastest configuration of a kernel on the matrix"),
    INT_COLUMN("working_set_bytes", "B", "size of CSR, x and y"),
    REAL_COLUMN("gbs", "GB/s", "least bytes moved (at most CSR's) / time"),
    REAL_COLUMN("gflops", "GFLOP/s", "2 x nonzeros / time"),
    COLUMNS_END,
};

static void fill_roof(struct roof *f, const struct dot *dot, int64_t n)
{
    table_begin(&f->table, roof_columns);
    for (int64_t i = 0; i < n; i++) {
        const struct run_row *r = dot[i].row;
        const double bytes = (double)r->footprint_bytes, flops = gflops(r, dot[i].contest->features);
        if (report_sampled(i, n, DOTS)) {
            char *label = xasprintf("%s, %s", r->matrix, r->kernel);
            points_add(&f->rate[dot[i].group], bytes, gbs(r), label);
            points_add(&f->flops[dot[i].group], bytes, flops, NULL);
            free(label);
        }
        if (report_sampled(i, n, DOT_ROWS)) {
            const long row = table_add(&f->table);
            table_set(&f->table, row, "matrix", r->matrix);
            table_set(&f->table, row, "configuration", r->config);
            table_set_int(&f->table, row, "working_set_bytes", (long long)r->footprint_bytes);
            table_set_real(&f->table, row, "gbs", gbs(r), 4);
            table_set_real(&f->table, row, "gflops", flops, 4);
        }
    }
    char *note =
        xasprintf("%s, the fastest configuration of each kernel on each matrix; drawn: about %d, in this table: "
                  "%ld, at equal steps; the others: the archives",
                  counted(n, "point").text, n < DOTS ? (int)n : DOTS, f->table.nrows);
    table_note(&f->table, "%s", note);
    free(note);
}

static void draw_roof(struct report *r, const struct roof *f, const struct axis *x)
{
    struct series rate[NROOF_GROUPS + 1], flops[NROOF_GROUPS];
    int n = 0;

    for (int g = NROOF_GROUPS - 1; g >= 0; g--)
        if (f->rate[g].n > 0) {
            rate[n] = points_series(&f->rate[g], group_names[g], MARK_POINTS, g);
            flops[n++] = points_series(&f->flops[g], group_names[g], MARK_POINTS, g);
        }
    rate[n] = points_series(&f->line, "the highest rate of the footprint class", MARK_LINE, NROOF_GROUPS);
    const struct chart roof = { .title = "Achieved bandwidth",
                                .about =
                                    "Bytes over time of each kernel's fastest configuration on each matrix, against "
                                    "the working set.",
                                .x = *x,
                                .y = { .label = "least bytes / time (GB/s)", .log = true, .low = NAN, .high = NAN },
                                .nseries = n + 1,
                                .series = rate,
                                .level = NAN };
    const struct chart flop = { .title = "Achieved operations",
                                .about = "Two operations per nonzero over time, against the working set.",
                                .x = *x,
                                .y = { .label = "2 nonzeros / time (Gflop/s)", .log = true, .low = NAN, .high = NAN },
                                .nseries = n,
                                .series = flops,
                                .level = NAN };
    page_figures_begin(r->page);
    report_figure(r, &roof,
                  "Least bytes that the format moves / time. Left, the launch bounds the time; right, the memory does. "
                  "Padding does not count: a kernel may skip it.",
                  &f->table, NULL);
    report_figure(r, &flop, "Operations per second of the same points.", &f->table, NULL);
    page_figures_end(r->page);
}

static void draw_dots(struct report *r, const struct contests *c, const struct dot *dot, int64_t n)
{
    struct roof f = { 0 };
    struct points line = { 0 };
    double low, high;

    range_of(dot, n, &low, &high);
    fill_roof(&f, dot, n);
    add_bandwidth(r, c, &line);
    for (long i = 0; i < line.n; i++)
        if (line.x[i] >= low && line.x[i] <= high)
            points_add(&f.line, line.x[i], line.y[i], NULL);
    draw_roof(r, &f,
              &(struct axis){ .label = "working set: CSR, x and y (bytes)", .log = true, .low = low, .high = high });
    for (int g = 0; g < NROOF_GROUPS; g++) {
        points_free(&f.rate[g]);
        points_free(&f.flops[g]);
    }
    points_free(&f.line);
    points_free(&line);
    table_free(&f.table);
}

/* ---- every configuration ---- */

static int compare_asked(const void *a, const void *b)
{
    return strcmp((*(const struct run_row *const *)a)->asked, (*(const struct run_row *const *)b)->asked);
}

static void add_config(struct table *s, const struct contests *c, const struct run_row **row, int64_t n)
{
    double *rate = xmalloc(sizeof *rate * (unsigned long)(n + 1)), most_gflops = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct features *f = runs_features(c->runs, row[i]->source_id, NULL);
        if (row[i]->least_bytes > 0)
            rate[known++] = gbs(row[i]);
        if (f)
            most_gflops = fmax(most_gflops, gflops(row[i], f));
    }
    stats_sort(rate, known);
    const long i = table_add(s);
    table_set(s, i, "configuration", row[0]->asked[0] ? row[0]->asked : row[0]->config);
    table_set_int(s, i, "matrices", (long long)n);
    table_set_real(s, i, "median_gbs", stats_quantile(rate, known, 0.5), 4);
    table_set_real(s, i, "highest_gbs", stats_quantile(rate, known, 1), 4);
    table_set_real(s, i, "highest_gflops", most_gflops, 4);
    free(rate);
}

static const struct column configs_columns[] = {
    TEXT_COLUMN("configuration", "configuration as requested"),
    INT_COLUMN("matrices", "", "matrices on which it was measured"),
    REAL_COLUMN("median_gbs", "GB/s", "least bytes moved (at most CSR's) / time; median over matrices"),
    REAL_COLUMN("highest_gbs", "GB/s", "highest of these rates"),
    REAL_COLUMN("highest_gflops", "GFLOP/s", "highest 2 x nonzeros / time"),
    COLUMNS_END,
};

static void write_configs(struct report *r, const struct contests *c)
{
    const int64_t n = c->n > 0 ? c->one[c->n - 1].end : 0;
    const struct run_row **row = xmalloc(sizeof *row * (unsigned long)(n + 1));
    struct table s = { 0 }, shown = { 0 };

    memcpy(row, c->row, sizeof *row * (unsigned long)n);
    qsort(row, (size_t)n, sizeof *row, compare_asked);
    table_begin(&s, configs_columns);
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && strcmp(row[first]->asked, row[end]->asked) == 0; end++)
            ;
        add_config(&s, c, row + first, end - first);
    }
    report_part(&shown, &s, CONFIG_ROWS, "the archives", (const char *)NULL);
    page_table(
        r->page, &shown,
        "configuration matrices median_gbs=median~(GB/s) highest_gbs=highest~(GB/s) highest_gflops=highest~(Gflop/s)",
        "Rates of every configuration over the matrices it was measured on", true);
    table_free(&shown);
    table_free(&s);
    free(row);
}

static bool has_target(const struct report *r)
{
    const int precision = precision_parse(r->precision), cache = cache_parse(r->cache);
    for (int64_t i = 0; i < r->runs.nrows; i++) {
        const struct run_row *row = &r->runs.rows[i];
        if (strcmp(row->role, "matrix") == 0 && strcmp(row->outcome, "ok") == 0 && row->time_us > 0
            && row->precision == precision && row->cache == cache && !row->part[0]
            && runs_features(&r->runs, row->source_id, NULL))
            return true;
    }
    return false;
}

void report_roofline(struct report *r)
{
    struct strlist precisions = { 0 }, caches = { 0 };
    struct contests c;

    page_heading(r->page, "Rates that the kernels reach");
    if (!has_target(r)) {
        page_text(r->page, "The archives have no times with %s and %s caches.", r->precision, r->cache);
        return;
    }
    strlist_add(&precisions, r->precision);
    strlist_add(&caches, r->cache);
    contests_read(&c, &r->runs, r->has_profile ? &r->q.profile : NULL,
                  &(struct speed_choice){ "matrix", &precisions, &caches, 0, 0, 0, NULL });
    struct dot *dot = xcalloc((unsigned long)c.one[c.n - 1].end + 1, sizeof *dot);
    const int64_t n = find_dots(&c, dot);
    page_text(r->page, "All rates are for %s values and %s caches.", r->precision, r->cache);
    if (n > 0)
        draw_dots(r, &c, dot, n);
    write_configs(r, &c);
    free(dot);
    contests_free(&c);
    strlist_free(&precisions);
    strlist_free(&caches);
}
