/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "conversions": cost of building a layout from CSR on the host (without the copy) and on the device, and of preparing
 * the kernel of its fastest configuration; in us, and in products of that configuration on the same matrix and of the
 * best cusparse-csr. Layouts are distinguished by their layout keys as requested; configurations that differ only in launch
 * keys share a build. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/strings.h"
#include "speed/speed.h"

enum step { HOST, DEVICE, PREPARE, NSTEPS };
struct cost {
    double us[NSTEPS], time_us, baseline_us;
};
struct costs {
    char layout[CONFIG_LEN];
    int64_t n;
    struct cost *one, now; /* now: costs in the current contest; its time_us is INFINITY if not measured */
};
struct layouts {
    int64_t n;
    struct costs *one;
    int64_t not_understood;
};

static struct costs *costs_of(struct layouts *l, const char *layout)
{
    for (int64_t i = 0; i < l->n; i++)
        if (strcmp(l->one[i].layout, layout) == 0)
            return &l->one[i];
    l->one = xrealloc(l->one, sizeof *l->one * (unsigned long)(l->n + 1));
    struct costs *c = &l->one[l->n++];
    *c = (struct costs){ .now.time_us = INFINITY };
    TEXT_SET(c->layout, layout);
    return c;
}

/* Returns a, or b if a is NaN; a negative b is noise and counts as NaN. */
static double first_of(double a, double b) { return !isnan(a) ? a : b < 0 ? NAN : b; }

static void gather(struct layouts *l, const struct run_row *r)
{
    const struct kernel *k = kernel_find(r->kernel);
    char layout[CONFIG_LEN];

    if (!k || k->library)
        return;
    const struct config *asked = config_known(r->asked, NULL);
    if (!asked) {
        l->not_understood++;
        return;
    }
    config_layout_key(asked, layout);
    struct cost *now = &costs_of(l, layout)->now;
    if (isinf(now->time_us))
        now->us[HOST] = now->us[DEVICE] = now->us[PREPARE] = NAN;
    now->us[HOST] = first_of(now->us[HOST], r->convert_us);
    now->us[DEVICE] = first_of(now->us[DEVICE], r->convert_device_us);
    if (r->time_us < now->time_us) {
        now->time_us = r->time_us;
        now->us[PREPARE] = first_of(NAN, r->prepare_us);
    }
}

static void count(struct layouts *l, const struct contests *c, const struct contest *one)
{
    for (int64_t i = one->first; i < one->end; i++)
        gather(l, c->row[i]);
    for (int64_t i = 0; i < l->n; i++) {
        struct costs *own = &l->one[i];
        if (isinf(own->now.time_us))
            continue;
        own->now.baseline_us = contest_time_us(one, SIDE_BASELINE);
        own->one = xrealloc(own->one, sizeof *own->one * (unsigned long)(own->n + 1));
        own->one[own->n++] = own->now;
        own->now.time_us = INFINITY;
    }
}

/* ---- printing */

static double in_us(const struct cost *c, enum step p) { return c->us[p]; }
static double in_own(const struct cost *c, enum step p) { return c->us[p] / c->time_us; }
static double in_baseline(const struct cost *c, enum step p) { return c->us[p] / c->baseline_us; }

static const struct unit {
    double (*in)(const struct cost *, enum step);
    const char *column[3];
} units[] = { { in_us, { "us_p10", "us", "us_p90" } },
              { in_own, { "spmvs_p10", "spmvs", "spmvs_p90" } },
              { in_baseline, { "cusparse_p10", "cusparse", "cusparse_p90" } } };
enum { NUNITS = sizeof units / sizeof units[0] };

static void put_quantiles(struct table *out, const struct costs *costs, enum step p, const struct unit *unit)
{
    static const double quantiles[] = { 0.1, 0.5, 0.9 };
    double *v = xmalloc(sizeof *v * (unsigned long)(costs->n + 1));
    int64_t n = 0;

    for (int64_t i = 0; i < costs->n; i++) {
        v[n] = unit->in(&costs->one[i], p);
        n += !isnan(v[n]);
    }
    stats_sort(v, n);
    for (int q = 0; q < 3; q++)
        table_put_real(out, unit->column[q], stats_quantile(v, n, quantiles[q]), 4);
    free(v);
}

static int compare_layouts(const void *a, const void *b)
{
    return strcmp(((const struct costs *)a)->layout, ((const struct costs *)b)->layout);
}

static void put_layout(struct table *out, const struct costs *costs, const struct run_row *row, int64_t none[NSTEPS])
{
    static const char *const prefixes[NSTEPS] = { [HOST] = "host_", [DEVICE] = "device_", [PREPARE] = "prepare_" };
    int64_t there[NSTEPS] = { 0 };

    for (int64_t i = 0; i < costs->n; i++)
        for (int p = 0; p < NSTEPS; p++)
            there[p] += !isnan(costs->one[i].us[p]);
    table_put_text(out, "layout", costs->layout);
    table_put_target(out, row->precision, row->cache);
    table_put_int(out, "matrices", costs->n);
    for (int p = 0; p < NSTEPS; p++) {
        table_prefix(out, prefixes[p]);
        table_put_int(out, "n", there[p]);
        for (int u = 0; u < NUNITS; u++)
            put_quantiles(out, costs, (enum step)p, &units[u]);
        none[p] += costs->n - there[p];
    }
    table_row_end(out);
}

static void print_conversions(const struct contests *c, struct table *out)
{
    int64_t none[NSTEPS] = { 0 }, not_understood = 0;

    textout_head(out);
    for (int64_t first = 0, end; first < c->n; first = end) {
        struct layouts l = { 0 };
        end = contests_target_end(c, first);
        for (int64_t i = first; i < end; i++)
            count(&l, c, &c->one[i]);
        if (l.n > 0)
            qsort(l.one, (size_t)l.n, sizeof *l.one, compare_layouts);
        for (int64_t i = 0; i < l.n; i++) {
            put_layout(out, &l.one[i], c->one[first].row, none);
            free(l.one[i].one);
        }
        free(l.one);
        not_understood += l.not_understood;
    }
    table_note(
        out,
        "host: build on all cores, without the copy to the device; device: build from CSR on the device; prepare: preparation of the fastest "
        "configuration; spmvs: cost / time of the layout's fastest configuration; cusparse: cost / time of the best cusparse-csr");
    struct strlist reasons = { 0 };
    strlist_add_count(&reasons, none[HOST], "host builds (built on the device instead)");
    strlist_add_count(&reasons, none[DEVICE], "device builds (not supported, or an older archive)");
    strlist_add_count(&reasons, none[PREPARE], "preparations (older archive)");
    char *list = strlist_join(&reasons, ", ");
    if (*list)
        table_note(out, "without a time: %s", list);
    free(list);
    strlist_free(&reasons);
    if (not_understood > 0)
        table_note(out, "left out: %s with an unknown configuration", counted(not_understood, "row").text);
    contests_note(c, out);
}

#define COST_COLUMNS(step, what)                                                                             \
    INT_COLUMN(step "_n", "", "matrices with a time of " what),                                              \
        REAL_COLUMN(step "_us_p10", "us", "time of " what "; 10th percentile over matrices"),                \
        REAL_COLUMN(step "_us", "us", "time of " what "; median over matrices"),                             \
        REAL_COLUMN(step "_us_p90", "us", "time of " what "; 90th percentile over matrices"),                \
        REAL_COLUMN(step "_spmvs_p10", "", "the same / time of its fastest configuration; 10th percentile"), \
        REAL_COLUMN(step "_spmvs", "", "time of " what " / time of its fastest configuration; median"),      \
        REAL_COLUMN(step "_spmvs_p90", "", "the same / time of its fastest configuration; 90th percentile"), \
        REAL_COLUMN(step "_cusparse_p10", "", "the same / time of the best cusparse-csr; 10th percentile"),  \
        REAL_COLUMN(step "_cusparse", "", "time of " what " / time of the best cusparse-csr; median"),       \
        REAL_COLUMN(step "_cusparse_p90", "", "the same / time of the best cusparse-csr; 90th percentile")

static const struct column columns[] = {
    TEXT_COLUMN("layout", "layout as requested: format and its parameters"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("matrices", "", "matrices on which the layout was measured"),
    COST_COLUMNS("host", "the build from CSR on the host"),
    COST_COLUMNS("device", "the build from CSR on the device"),
    COST_COLUMNS("prepare", "the kernel's preparation"),
    COLUMNS_END,
};

const struct speed_table speed_conversions = {
    .name = "conversions",
    .about = "cost of building each layout from CSR; medians, 10th and 90th percentiles over matrices",
    .columns = columns,
    .view = "layout precision cache host_us host_spmvs device_us device_spmvs prepare_us prepare_spmvs",
    .configs = (const char *const[]){ "layout", NULL },
    .print = print_conversions,
};
