/* SPDX-License-Identifier: BSD-3-Clause */
/* Section "kernels": our kernels against the library, from the tables of spmv-speed (report_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_parts.h"
#include "report/report_payoff.h"
#include "speed/speed.h"
#include "table/textout.h"

enum { MATRIX_ROWS = 300, KERNEL_ROWS = 120, LAYOUT_ROWS = 60 };

struct report_kernels {
    struct contests contests;
    struct strlist any;
    struct table summary, matrices, kernels, extremes, conversions;
};

/* Both sides are compared within an hour, as in docs/speed.md: times of different sessions differ by some percent. */
enum { ONE_RUN_S = 3600 };

static void take_table(const struct contests *c, const struct speed_table *t, struct table *to)
{
    table_begin(to, t->columns);
    t->print(c, to);
}

struct report_kernels *report_kernels_open(struct report *r)
{
    struct report_kernels *k = xcalloc(1, sizeof *k);
    const struct speed_choice choice = {
        .role = "matrix", .precisions = &k->any, .caches = &k->any, .within_s = ONE_RUN_S
    };

    contests_read(&k->contests, &r->runs, r->has_profile ? &r->q.profile : NULL, &choice);
    take_table(&k->contests, &speed_summary, &k->summary);
    take_table(&k->contests, &speed_matrices, &k->matrices);
    take_table(&k->contests, &speed_kernels, &k->kernels);
    take_table(&k->contests, &speed_extremes, &k->extremes);
    take_table(&k->contests, &speed_conversions, &k->conversions);
    return k;
}

void report_kernels_free(struct report_kernels *k)
{
    if (!k)
        return;
    contests_free(&k->contests);
    table_free(&k->summary);
    table_free(&k->matrices);
    table_free(&k->kernels);
    table_free(&k->extremes);
    table_free(&k->conversions);
    free(k);
}

/* ---- the answer ---- */

/* Returns the row of table matrices with the highest speedup in this column; -1: none. */
static long highest(const struct table *s, const char *column, const char *precision, const char *cache)
{
    long best = -1;

    for (long row = 0; row < s->nrows; row++)
        if (table_is(s, row, "precision", precision) && table_is(s, row, "cache", cache)
            && !isnan(table_real(s, row, column))
            && (best < 0 || table_real(s, row, column) > table_real(s, best, column)))
            best = row;
    return best;
}

/* The row of table summary for all classes: of the precision and cache state asked for, else the first. */
static long headline(const struct report *r, const struct table *summary)
{
    const long row =
        report_row(summary, "class", "all", "precision", r->precision, "cache", r->cache, (const char *)NULL);

    return row >= 0 ? row : report_row(summary, "class", "all", (const char *)NULL);
}

/* States the gain of each footprint class: it depends on the working set more than on anything else. */
static void answer_classes(struct report *r, const struct table *s, const char *precision, const char *cache)
{
    struct strlist list = { 0 };

    for (int i = RESIDENT; i <= STREAMING; i++) {
        const char *class = footprint_name((enum footprint)i);
        const long row = report_row(s, "class", class, "precision", precision, "cache", cache, (const char *)NULL);
        if (row < 0 || isnan(table_real(s, row, "ours_speedup")))
            continue;
        char *one = xasprintf("%s times on %s %s %s", table_number(s, row, "ours_speedup").text,
                              table_number(s, row, "compared").text, class,
                              table_real(s, row, "compared") > 1 ? "matrices" : "matrix");
        strlist_add(&list, one);
        free(one);
    }
    if (list.n > 1) {
        char *text = strlist_join(&list, ", ");
        page_text(r->page, "By footprint class: %s.", text);
        free(text);
    }
    strlist_free(&list);
}

/* Returns the library kernels that were measured: "cusparse-csr, cusparse-coo" (malloc'd). */
static char *library_kernels(const struct contests *c)
{
    struct strlist list = { 0 };

    for (int i = 0; kernel_at(i); i++)
        for (int64_t k = 0; k < c->nrows && kernel_at(i)->library; k++)
            if (strcmp(c->row[k]->kernel, kernel_at(i)->name) == 0) {
                strlist_add(&list, kernel_at(i)->name);
                break;
            }
    char *text = strlist_join(&list, ", ");
    strlist_free(&list);
    return text;
}

void report_kernels_answer(struct report *r, const struct report_kernels *k)
{
    const struct table *s = &k->summary;
    const long row = headline(r, s);
    const char *precision = table_text(s, row, "precision"), *cache = table_text(s, row, "cache");
    const long most = highest(&k->matrices, "ours_speedup", precision, cache);

    page_heading(r->page, "How fast our kernels are");
    if (most < 0) {
        page_answer(r->page, "The archives hold times of our kernels on %s, but none of cuSPARSE to compare with.",
                    counted((int64_t)table_real(s, row, "matrices"), "matrix").text);
        return;
    }
    page_answer(
        r->page,
        "Choosing the best of our kernels for each matrix is %s times as fast as the CSR product of cuSPARSE: the geometric "
        "mean over %s (%s, %s caches). The gain is between %s times (%s) and %s times (%s); our best is at "
        "least as fast on %s %% of the matrices.",
        table_number(s, row, "ours_speedup").text, counted((int64_t)table_real(s, row, "compared"), "matrix").text,
        precision, cache, table_number(s, row, "ours_least").text, table_text(s, row, "ours_least_matrix"),
        table_number(&k->matrices, most, "ours_speedup").text, table_text(&k->matrices, most, "matrix"),
        table_number(s, row, "ours_faster_percent").text);
    answer_classes(r, s, precision, cache);
    char *library = library_kernels(&k->contests);
    page_text(
        r->page,
        "Against the best kernel of cuSPARSE (%s) it is %s times as fast, at least %s times "
        "(%s). With CSR kernels alone, which need no conversion, it is %s times as fast as the CSR product of cuSPARSE.",
        library, table_number(s, row, "best_speedup").text, table_number(s, row, "best_least").text,
        table_text(s, row, "best_least_matrix"), table_number(s, row, "csr_speedup").text);
    free(library);
}

/* ---- figures ---- */

struct lines {
    int n;
    struct points points[8];
    char *name[8];
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A speedup and the matrix it was measured on. */
struct named {
    double value;
    const char *matrix;
};

static void add_sorted(struct lines *l, const struct table *s, const char *column, const char *precision,
                       const char *cache, char *name)
{
    struct named *v = xcalloc((unsigned long)s->nrows + 1, sizeof *v);
    struct points *p = &l->points[l->n];
    long n = 0;

    for (long row = 0; row < s->nrows; row++)
        if (table_is(s, row, "precision", precision) && table_is(s, row, "cache", cache)
            && !isnan(table_real(s, row, column)))
            v[n++] = (struct named){ table_real(s, row, column), table_text(s, row, "matrix") };
    qsort(v, (size_t)n, sizeof *v, ascending);
    for (long i = 0; i < n; i++)
        points_add(p, (double)(i + 1), v[i].value, v[i].matrix);
    free(v);
    if (n > 0)
        l->name[l->n++] = name;
    else
        free(name);
}

static void figure_speedups(struct report *r, const struct report_kernels *k)
{
    struct lines l = { 0 };
    struct series series[8];
    struct table behind = { 0 };

    for (int precision = NPRECISIONS - 1; precision >= 0; precision--) {
        const char *p = precision_name(precision);
        add_sorted(&l, &k->matrices, "ours_speedup", p, r->cache, xasprintf("%s, over cuSPARSE CSR", p));
        add_sorted(&l, &k->matrices, "best_speedup", p, r->cache, xasprintf("%s, over the best of cuSPARSE", p));
    }
    for (int i = 0; i < l.n; i++)
        series[i] = points_series(&l.points[i], l.name[i], MARK_POINTS, i);
    const struct chart chart = {
        .title = "Gain of our best kernel, matrices sorted by gain",
        .about =
            "Time of cuSPARSE divided by the time of our fastest kernel, one point per matrix, in ascending order.",
        .x = { .label = "matrices, sorted by gain", .low = NAN, .high = NAN },
        .y = { .label = "time of cuSPARSE / time of ours", .log = true, .low = NAN, .high = NAN },
        .nseries = l.n,
        .series = series,
        .level = 1,
        .level_name = "as fast as cuSPARSE"
    };
    report_part(&behind, &k->matrices, MATRIX_ROWS, "`spmv-speed --table matrices`", "cache", r->cache,
                (const char *)NULL);
    if (l.n > 0)
        report_figure(r, &chart, "Above 1, ours is faster. Each point is a matrix; point at it for its name.", &behind,
                      "matrix nnz=nonzeros class precision ours_us=ours~(us) ours_config=our~configuration "
                      "cusparse_csr_us=cuSPARSE~CSR~(us) cusparse_us=best~of~cuSPARSE~(us) ours_speedup=over~CSR "
                      "best_speedup=over~the~best ours_gbs=GB/s");
    else
        page_text(r->page, "There are no times of cuSPARSE with %s caches to compare with.", r->cache);
    for (int i = 0; i < l.n; i++) {
        points_free(&l.points[i]);
        free(l.name[i]);
    }
    table_free(&behind);
}

static const struct column wins_columns[] = {
    TEXT_COLUMN("class", "footprint class of the matrices: resident, mixed or streaming"),
    TEXT_COLUMN("kernel", "kernel"),
    INT_COLUMN("matrices", "", "matrices with a time of any of our kernels"),
    INT_COLUMN("best", "", "matrices on which the kernel is the fastest of ours"),
    REAL_COLUMN("best_percent", "%", "matrices on which the kernel is the fastest of ours"),
    REAL_COLUMN("loss_percent", "%", "time lost if it were the only kernel, over the best of ours; geometric mean"),
    REAL_COLUMN("worst_percent", "%", "largest such loss on a matrix"),
    TEXT_COLUMN("worst_matrix", "matrix of the largest loss"),
    COLUMNS_END,
};

/* Winners: the rows of table kernels of whole kernels that are the best somewhere. */
static void figure_winners(struct report *r, const struct report_kernels *k)
{
    struct table all = { 0 }, wins = { 0 };

    report_part(&all, &k->kernels, KERNEL_ROWS, "`spmv-speed --table kernels`", "asked", "any", "precision",
                r->precision, "cache", r->cache, (const char *)NULL);
    table_begin(&wins, wins_columns);
    for (long row = 0; row < all.nrows; row++) {
        if (table_is(&all, row, "class", "all") || !(table_real(&all, row, "best") > 0))
            continue;
        const long i = table_add(&wins);
        for (int c = 0; c < wins.ncolumns; c++)
            table_copy_cell(&wins, i, wins.column[c].name, &all, row, wins.column[c].name);
    }
    table_copy_notes(&wins, &k->kernels);
    report_plot(
        r, &wins, "bars x=kernel y=best_percent by=class", "Which kernel is the best of ours, by footprint class",
        "kernel", "share of the matrices of the class (%)",
        "Share of the matrices of each footprint class on which the kernel is our fastest. The table behind shows what is lost "
        "if it is the only kernel.",
        "class kernel matrices best best_percent=best~(%) loss_percent=loss~if~alone~(%) "
        "worst_percent=worst~loss~(%) worst_matrix=on");
    table_free(&all);
    table_free(&wins);
}

static const struct column least_columns[] = {
    TEXT_COLUMN("format", "format: the layout's name without its parameters"),
    TEXT_COLUMN("layout", "layout of that format that is the fastest to build"),
    INT_COLUMN("matrices", "", "matrices on which the layout was measured"),
    TEXT_COLUMN("place", "where it is built: GPU, or host (without the copy)"),
    REAL_COLUMN("us", "us", "time to build it from CSR; median over matrices"),
    REAL_COLUMN("spmvs", "", "the same / time of the best cusparse-csr; median over matrices"),
    REAL_COLUMN("p10", "", "10th percentile over matrices of spmvs"),
    REAL_COLUMN("p90", "", "90th percentile over matrices of spmvs"),
    COLUMNS_END,
};

/* The layout of each kind (the text before ':') whose build takes the least time. */
static void figure_conversions(struct report *r, const struct report_kernels *k)
{
    struct table all = { 0 }, least = { 0 };

    report_part(&all, &k->conversions, 1000, "", "precision", r->precision, "cache", r->cache, (const char *)NULL);
    table_begin(&least, least_columns);
    for (long row = 0; row < all.nrows; row++) {
        const bool device = !isnan(table_real(&all, row, "device_cusparse"));
        const char *from = device ? "device" : "host", *layout = table_text(&all, row, "layout");
        char *format = xasprintf("%.*s", (int)strcspn(layout, ":"), layout), column[5][32];
        static const char *const of[] = { "cusparse", "us", "cusparse_p10", "cusparse_p90" }, *const to[] = {
            "spmvs", "us", "p10", "p90"
        };
        for (int c = 0; c < 4; c++)
            snprintf(column[c], sizeof column[c], "%s_%s", from, of[c]);
        long i = report_row(&least, "format", format, (const char *)NULL);
        if (!isnan(table_real(&all, row, column[0]))
            && (i < 0 || table_real(&all, row, column[0]) < table_real(&least, i, "spmvs"))) {
            i = i < 0 ? table_add(&least) : i;
            table_set(&least, i, "format", format);
            table_set(&least, i, "layout", layout);
            table_copy_cell(&least, i, "matrices", &all, row, "matrices");
            table_set(&least, i, "place", device ? "GPU" : "host");
            for (int c = 0; c < 4; c++)
                table_copy_cell(&least, i, to[c], &all, row, column[c]);
        }
        free(format);
    }
    table_copy_notes(&least, &k->conversions);
    report_plot(
        r, &least, "points x=format y=spmvs low=p10 high=p90 log=y sort=up", "Cost of conversion from CSR", "format",
        "build / product of cuSPARSE CSR",
        "How many products of cuSPARSE CSR take as long as building the format from CSR: median and 10th to 90th percentile over "
        "matrices, of the parameters that are the fastest to build; on the GPU where there is such a build, else on the "
        "host without the copy.",
        "format layout=parameters matrices place us=build~(us) spmvs=products~of~cuSPARSE~CSR p10 p90");
    table_free(&all);
    table_free(&least);
}

void report_kernels_section(struct report *r, const struct report_kernels *k)
{
    struct table long_conversions = { 0 };

    page_section(r->page, "kernels", "Our kernels against cuSPARSE");
    page_text(
        r->page,
        "Measured on %s. A gain is the time of cuSPARSE divided by the time of our fastest kernel on the same matrix; 2 means twice "
        "as fast. Conversion is not included here; it follows below.",
        r->name);
    figure_speedups(r, k);
    page_table(r->page, &k->summary,
               "class precision cache compared=matrices csr_speedup=our~CSR~over~cuSPARSE~CSR "
               "ours_speedup=ours~over~cuSPARSE~CSR ours_least=least ours_least_matrix=on "
               "ours_faster_percent=faster~(%) best_speedup=ours~over~the~best~of~cuSPARSE best_least=least~of~these "
               "ours_gbs=ours~(GB/s) cusparse_gbs=best~of~cuSPARSE~(GB/s) "
               "ours_bandwidth_percent=share~of~the~bandwidth~(%)",
               "Gains by footprint class, precision and cache state (geometric means)", false);
    page_figures_begin(r->page);
    figure_winners(r, k);
    figure_conversions(r, k);
    page_figures_end(r->page);
    payoff_figure(r, &k->contests);
    page_table(
        r->page, &k->extremes,
        "precision cache end place matrix class rows nnz best_speedup ours_us ours_config cusparse_us cusparse_config",
        "The best and the worst matrices, against the best of cuSPARSE", true);
    report_part(&long_conversions, &k->conversions, LAYOUT_ROWS, "`spmv-speed --table conversions`", "precision",
                r->precision, "cache", r->cache, (const char *)NULL);
    page_table(r->page, &long_conversions,
               "layout matrices host_us=host~(us) host_spmvs=in~own~products device_us=GPU~(us) "
               "device_spmvs=in~its~own~products prepare_us=preparation~(us)",
               "Cost of conversion and preparation of every layout (medians)", true);
    table_free(&long_conversions);
}
