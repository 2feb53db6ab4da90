/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes: fits the curves of one configuration to the benchmark cells of a run archive.
 * All errors are relative: residuals are log(model / measured), with large ones weighted down (soft L1 at 5 %). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "models/cells.h"
#include "models/guo2014/regimes.h"

/* Cells of one length needed to fit two unknowns; steps of the Gauss-Newton method. */
enum { CELLS_TO_FIT = 3, STEPS = 60 };
static const double soft = 0.05, least_s = 50e-9;
static const double powers[] = { 1.0, 1.5, 2.0, 3.0, 4.0, 6.0 };

/* A cell of constant row length p. whole: its rows times regimes_busiest. */
struct point {
    double p, rows, cols, whole, time_s, sectors;
    int64_t bytes;
    bool band;
};
struct points {
    int64_t n;
    struct point *v;
};

static int by_length(const void *pa, const void *pb)
{
    const struct point *a = pa, *b = pb;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->rows > b->rows) - (a->rows < b->rows);
}

/* Finds the cells of constant row length of one configuration; their times are without t0. Sets t0 and the ranges of g.
 * *unused: number of benchmark rows that are no such cells. */
static void points_find(const struct runs *runs, const char *config, struct regimes *g, struct points *all,
                        int64_t *unused)
{
    all->n = 0;
    all->v = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *all->v);
    g->t0_s = INFINITY;
    g->rows_low = INFINITY;
    g->rows_high = g->bytes_high = 0.0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *m;
        if (!row_counts(r, &g->target, "benchmark") || strcmp(r->config, config) != 0)
            continue;
        const struct features *f = runs_features(runs, r->source_id, &m);
        if (!f || f->row_min != f->row_max || f->row_max < 1 || !m->place[0]) {
            ++*unused;
            continue;
        }
        struct point p = { .p = (double)f->row_max,
                           .rows = (double)f->rows,
                           .cols = (double)f->cols,
                           .time_s = row_time_us(r, &g->target) * 1e-6,
                           .sectors = (double)f->sectors[g->target.precision][SECTORS_32],
                           .bytes = r->footprint_bytes,
                           .band = strcmp(m->place, "band") == 0 };
        p.whole = p.rows * regimes_busiest(g, f);
        all->v[all->n++] = p;
        g->t0_s = fmin(g->t0_s, r->t0_us * 1e-6);
        g->rows_low = fmin(g->rows_low, p.rows);
        g->rows_high = fmax(g->rows_high, p.rows);
        g->bytes_high = fmax(g->bytes_high, (double)p.bytes);
    }
    g->t0_s += 1e-6 * launch_more_us(runs, &g->target, config);
    for (int64_t i = 0; i < all->n; i++)
        all->v[i].time_s = fmax(all->v[i].time_s - g->t0_s, least_s);
    if (all->n)
        qsort(all->v, (size_t)all->n, sizeof *all->v, by_length);
}

static double join(double load, double path, double q)
{
    double large = fmax(load, path);
    return large * pow(pow(load / large, q) + pow(path / large, q), 1.0 / q);
}

/* Fits the two unknowns of one length, the cost of a row at full load and the path, in logs by damped Gauss-Newton. */
static void fit_length(const struct point *v, int64_t n, double q, double *row_s, double *path_s)
{
    double a = log(v[n - 1].time_s / v[n - 1].whole), b = INFINITY;
    for (int64_t i = 0; i < n; i++)
        b = fmin(b, log(0.9 * v[i].time_s));
    for (int step = 0; step < STEPS; step++) {
        double haa = 1e-6, hab = 0.0, hbb = 1e-6, ga = 0.0, gb = 0.0;
        for (int64_t i = 0; i < n; i++) {
            double load = exp(a) * v[i].whole, path = exp(b), r = log(join(load, path, q) / v[i].time_s);
            double share = 1.0 / (1.0 + pow(path / load, q)), w = 1.0 / sqrt(1.0 + r * r / (soft * soft));
            haa += w * share * share;
            hab += w * share * (1.0 - share);
            hbb += w * (1.0 - share) * (1.0 - share);
            ga += w * share * r;
            gb += w * (1.0 - share) * r;
        }
        double det = haa * hbb - hab * hab;
        if (!(det > 0.0))
            break;
        double da = -(hbb * ga - hab * gb) / det, db = -(haa * gb - hab * ga) / det, most = fmax(fabs(da), fabs(db));
        double shorter = most > 0.5 ? 0.5 / most : 1.0;
        a += shorter * da;
        b += shorter * db;
        if (most < 1e-9)
            break;
    }
    *row_s = exp(a);
    *path_s = exp(b);
}

/* Fits only the path of a length with too few cells (of few, very long rows): the time of the smallest cell without its
 * load, which is extrapolated in proportion from the last length with a known cost. */
static void path_alone(const struct point *v, double q, struct regime_fit *fit)
{
    double load = curve_row(&fit->row, v[0].p) * v[0].whole;
    double rest = v[0].time_s > 1.05 * load ? pow(pow(v[0].time_s, q) - pow(load, q), 1.0 / q) : least_s;
    if (fit->row.n)
        curve_add(&fit->path, v[0].p, rest);
}

/* Fits both curves for one q. A length with too few cells gets only a row cost, or with `lone` only a path, and only if it
 * is longer than every length with enough cells. Sets errors to |model / measured - 1| of lengths with enough cells, and returns their
 * number. */
static int64_t fit_curves(const struct point *v, int64_t n, double q, bool lone, double t0_s, struct regime_fit *fit,
                          double *errors)
{
    int64_t used = 0, full = 0;
    memset(fit, 0, sizeof *fit);
    fit->q = q;
    /* `full` ends just after the last cell of the longest length with enough cells */
    for (int64_t i = 0; i + CELLS_TO_FIT <= n; i++)
        if (v[i].p == v[i + CELLS_TO_FIT - 1].p)
            full = i + CELLS_TO_FIT;
    /* Only the first KNOTS lengths are used; a grid with more would be far finer than the curves need. */
    for (int64_t i = 0, end; i < n && fit->row.n < KNOTS && fit->path.n < KNOTS; i = end) {
        double row_s, path_s;
        for (end = i + 1; end < n && v[end].p == v[i].p; end++)
            ;
        if (end - i < CELLS_TO_FIT) {
            if (lone && i >= full)
                path_alone(&v[i], q, fit);
            else if (!lone)
                curve_add(&fit->row, v[i].p, v[end - 1].time_s / v[end - 1].whole);
            continue;
        }
        fit_length(&v[i], end - i, q, &row_s, &path_s);
        curve_add(&fit->row, v[i].p, row_s);
        curve_add(&fit->path, v[i].p, path_s);
        for (int64_t k = i; k < end; k++)
            errors[used++] = fabs((t0_s + join(row_s * v[k].whole, path_s, q)) / (t0_s + v[k].time_s) - 1.0);
    }
    return used;
}

/* Chooses the q with the lowest sum of median and 90th percentile of the errors. Returns the number of errors. */
static int64_t fit_regime(const struct point *v, int64_t n, bool lone, double t0_s, struct regime_fit *best,
                          double *errors)
{
    double least = INFINITY, *trial = xmalloc((unsigned long)(n + 1) * sizeof *trial);
    int64_t used = 0;
    memset(best, 0, sizeof *best);
    best->q = 1.0;
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        struct regime_fit fit;
        int64_t m = fit_curves(v, n, powers[i], lone, t0_s, &fit, trial);
        stats_sort(trial, m);
        double score = m ? stats_quantile(trial, m, 0.5) + stats_quantile(trial, m, 0.9) : 0.0;
        if (score >= least)
            continue;
        least = score;
        *best = fit;
        used = m;
        memcpy(errors, trial, (size_t)m * sizeof *trial);
    }
    free(trial);
    return used;
}

static int by_x(const void *pa, const void *pb)
{
    const double *a = pa, *b = pb;
    return (a[0] > b[0]) - (a[0] < b[0]);
}

/* Fits the time per sector of x beyond those of a band, from cells of random placement: the median per octave of x
 * bytes. */
static void fit_gather(const struct point *v, int64_t n, const struct regimes *g, struct regime_fit *fit)
{
    double(*pair)[2] = xmalloc((unsigned long)(n + 1) * sizeof *pair),
    *value = xmalloc((unsigned long)(n + 1) * sizeof *value);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        double path = curve_path(&fit->path, v[i].p), base = curve_row(&fit->row, v[i].p) * v[i].whole;
        double band = v[i].rows * regimes_band_sectors(v[i].p, v[i].cols / v[i].rows, v[i].cols, g->target.precision);
        if (path > 0.7 * v[i].time_s || v[i].sectors <= 1.05 * band)
            continue;
        double load = pow(fmax(pow(v[i].time_s, fit->q) - pow(path, fit->q), 0.0), 1.0 / fit->q);
        pair[m][0] = round(log2(v[i].cols * (double)precision_bytes(g->target.precision)));
        pair[m++][1] = (load - base) / (v[i].sectors - band);
    }
    if (m)
        qsort(pair, (size_t)m, sizeof *pair, by_x);
    for (int64_t i = 0, end; i < m; i = end) {
        for (end = i; end < m && pair[end][0] == pair[i][0]; end++)
            value[end - i] = pair[end][1];
        curve_add(&fit->gather, pair[i][0], fmax(stats_median(value, end - i), 0.0));
    }
    free(pair);
    free(value);
}

/* Selects the cells of one regime, in a `band` or not; cold has one set, of all cells. Returns their number. */
static int64_t points_of(const struct points *all, const struct regimes *g, enum regime r, bool band, struct point *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < all->n; i++) {
        const struct point *p = &all->v[i];
        /* columns of the literal grid; wider cells only measure gathers of x */
        const double own = fmax(p->rows, 2.0 * p->p);
        enum footprint f = footprint_class(&g->target.device, p->bytes);
        if (p->band != band || (band && p->cols > 2.0 * own))
            continue;
        if (g->target.cache == COLD || (r == REGIME_RESIDENT ? f == RESIDENT : f == STREAMING))
            out[n++] = *p;
    }
    return n;
}

int regimes_fit_config(const struct runs *runs, const struct target *t, const char *config, struct regimes *g,
                       double *errors, int64_t *used, int64_t *unused, char why[ERRLEN])
{
    struct points all;
    *used = *unused = 0;
    memset(g, 0, sizeof *g);
    g->target = *t;
    const struct config *known = config_known(config, why);
    if (!known)
        return FAIL;
    g->config = *known;
    points_find(runs, config, g, &all, unused);
    struct point *some = xmalloc((unsigned long)(all.n + 1) * sizeof *some);
    for (int r = 0; r < NREGIMES; r++) {
        int64_t n = points_of(&all, g, (enum regime)r, true, some);
        if (g->target.cache == COLD && r != REGIME_RESIDENT) {
            g->regime[r] = g->regime[REGIME_RESIDENT];
            break;
        }
        *used += fit_regime(some, n, r == REGIME_RESIDENT, g->t0_s, &g->regime[r], errors + *used);
        n = points_of(&all, g, (enum regime)r, false, some);
        fit_gather(some, n, g, &g->regime[r]);
    }
    free(some);
    free(all.v);
    if (g->regime[REGIME_RESIDENT].row.n == 0 && g->regime[REGIME_STREAMING].row.n == 0)
        return fail(
            why, "%s: no row length of the benchmark grid has %d measured cells; measure them with spmv-profile -m all",
            config, CELLS_TO_FIT);
    return 0;
}
