/* SPDX-License-Identifier: BSD-3-Clause */
/* Break-even of measured configurations (report_payoff.h). */
#include "report/report_payoff.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "models/cells.h"

/* Conversion from CSR on the device, and preparation, in us. NaN: not measured. */
static double setup_us(const struct run_row *r)
{
    const struct kernel *k = kernel_find(r->kernel);
    double cost[NCOSTS];
    const bool csr = k && k->layout == layout_find("csr");
    const double prepare = r->prepare_us > 0 ? r->prepare_us : isnan(r->prepare_us) ? NAN : 0;

    row_costs_us(r, cost);
    return k ? costs_convert(cost, csr, ON_GPU, 0, true) + prepare : NAN;
}

/* Products after which `ours` has taken less time in total; 0: at once; NaN: never. */
static double products(const struct run_row *ours, const struct run_row *library)
{
    const double gain = library->time_us - ours->time_us, more = setup_us(ours) - setup_us(library);

    if (isnan(more) || !(gain > 0))
        return NAN;
    return more <= 0 ? 0 : ceil(more / gain);
}

/* The same against every configuration of cuSPARSE's CSR with a known set-up: those without preprocessing are cheaper for few
 * products. */
static double products_against_all(const struct contests *c, const struct contest *one, const struct run_row *ours)
{
    double most = NAN;

    for (int64_t i = one->first; i < one->end; i++) {
        const struct kernel *k = kernel_find(c->row[i]->kernel);
        if (!k || !k->baseline || isnan(setup_us(c->row[i])))
            continue;
        const double n = products(ours, c->row[i]);
        if (isnan(n))
            return NAN;
        most = fmax(n, most);
    }
    return most;
}

static void payoff_of(const struct contests *c, const struct contest *one, struct payoff *p)
{
    const struct run_row *ours = one->best[SIDE_OURS];

    *p = (struct payoff){ NAN, NAN, NULL };
    if (!ours)
        return;
    p->fastest = products_against_all(c, one, ours);
    for (int64_t i = one->first; i < one->end; i++) {
        const struct kernel *k = kernel_find(c->row[i]->kernel);
        const double n = k && !k->library ? products_against_all(c, one, c->row[i]) : NAN;
        if (!isnan(n) && !(n >= p->earliest)) {
            p->earliest = n;
            p->first = c->row[i];
        }
    }
}

static void add_row(struct table *s, const struct contest *one, const struct payoff *p)
{
    const long i = table_add(s);

    table_set(s, i, "matrix", one->row->matrix);
    table_set(s, i, "class", one->row->footprint);
    table_set(s, i, "fastest", one->best[SIDE_OURS] ? one->best[SIDE_OURS]->config : "");
    if (!isnan(p->fastest))
        table_set_int(s, i, "fastest_products", (long long)p->fastest);
    table_set(s, i, "earliest", p->first ? p->first->config : "");
    if (!isnan(p->earliest))
        table_set_int(s, i, "earliest_products", (long long)p->earliest);
}

enum { FASTEST, EARLIEST, NCHOICES };
/* Break-evens over matrices, sorted, and the table behind the figure. */
struct payoffs {
    long all, n[NCHOICES];
    double *v[NCHOICES];
    struct table table;
};

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    TEXT_COLUMN("class", "footprint class: resident, mixed or streaming"),
    TEXT_COLUMN("fastest", "fastest configuration of our kernels"),
    INT_COLUMN("fastest_products", "", "products after which it pays off against cusparse-csr; none: never"),
    TEXT_COLUMN("earliest", "configuration of our kernels that pays off first"),
    INT_COLUMN("earliest_products", "", "products after which that pays off; 0: at once; none: never"),
    COLUMNS_END,
};

static void find_payoffs(const struct report *r, const struct contests *c, struct payoffs *p)
{
    for (int k = 0; k < NCHOICES; k++)
        p->v[k] = xmalloc(sizeof **p->v * (unsigned long)(c->n + 1));
    const int precision = precision_parse(r->precision), cache = cache_parse(r->cache);
    table_begin(&p->table, columns);
    for (int64_t i = 0; i < c->n; i++) {
        const struct contest *one = &c->one[i];
        struct payoff of;
        if (one->row->precision != precision || one->row->cache != cache || !one->best[SIDE_OURS]
            || !one->best[SIDE_BASELINE])
            continue;
        payoff_of(c, one, &of);
        add_row(&p->table, one, &of);
        p->all++;
        const double found[NCHOICES] = { of.fastest, of.earliest };
        for (int k = 0; k < NCHOICES; k++)
            if (!isnan(found[k]))
                p->v[k][p->n[k]++] = found[k];
    }
    for (int k = 0; k < NCHOICES; k++)
        stats_sort(p->v[k], p->n[k]);
    char *note =
        xasprintf("%ld of %s: the fastest pays off; %ld: any does; the others never, or costs were not measured",
                  p->n[FASTEST], counted(p->all, "matrix").text, p->n[EARLIEST]);
    table_note(&p->table, "%s", note);
    free(note);
}

static void draw_payoffs(struct report *r, const struct payoffs *p)
{
    static const char *const names[NCHOICES] = { "the configuration with the fastest product",
                                                 "the configuration that pays off first" };
    struct points points[NCHOICES] = { 0 };
    struct series series[NCHOICES];

    for (int k = 0; k < NCHOICES; k++) {
        for (long i = 0; i < p->n[k]; i++) /* from 1 on: at once counts as 1 */
            points_add(&points[k], fmax(p->v[k][i], 1), 100 * (double)(i + 1) / (double)p->all, NULL);
        series[k] = points_series(&points[k], names[k], MARK_LINE, k);
    }
    const struct chart chart = {
        .title = "When our kernels pay off",
        .about = "Share of the matrices on which our kernels have taken less time in total than cuSPARSE CSR after N "
                 "products.",
        .x = { .label = "products N", .log = true, .low = NAN, .high = NAN },
        .y = { .label = "share of matrices (%)", .low = 0, .high = 100 },
        .nseries = NCHOICES,
        .series = series,
        .level = NAN
    };
    report_figure(
        r, &chart,
        "Share of the matrices on which the total time, conversion and preparation included, is below that of "
        "cuSPARSE CSR with and without preprocessing, after N products.",
        &p->table,
        "matrix class fastest=fastest~product fastest_products=pays~off~after "
        "earliest=pays~off~first earliest_products=after");
    for (int k = 0; k < NCHOICES; k++)
        points_free(&points[k]);
}

/* Returns "at once" or "after at most 3 products": within the median of the break-evens (malloc'd). */
static char *half_text(const struct payoffs *p, int choice)
{
    const double n = ceil(stats_quantile(p->v[choice], p->n[choice], 0.5));

    return n > 0 ? xasprintf("after at most %s", counted((int64_t)n, "product").text) : xstrdup("at once");
}

void payoff_figure(struct report *r, const struct contests *c)
{
    struct payoffs p = { 0 };

    find_payoffs(r, c, &p);
    if (p.n[FASTEST] > 0) {
        char *fastest = half_text(&p, FASTEST), *earliest = half_text(&p, EARLIEST);
        page_text(
            r->page,
            "A conversion is worth it only if the matrix is multiplied often enough (%s, %s caches, matrix in CSR on "
            "the GPU). The configuration with the fastest product pays off against cuSPARSE CSR on %ld of %s, on half "
            "of these %s; some configuration of ours pays off on %ld, on half of these %s.",
            r->precision, r->cache, p.n[FASTEST], counted(p.all, "matrix").text, fastest, p.n[EARLIEST], earliest);
        free(fastest);
        free(earliest);
        draw_payoffs(r, &p);
    } else if (p.all > 0)
        page_text(r->page, "No fastest configuration pays off against cuSPARSE CSR, or its costs were not measured.");
    for (int k = 0; k < NCHOICES; k++)
        free(p.v[k]);
    table_free(&p.table);
}
