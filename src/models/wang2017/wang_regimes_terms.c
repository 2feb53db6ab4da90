/* SPDX-License-Identifier: BSD-3-Clause */
/* wang2017-regimes: the terms of its formula (wang_regimes.h). */
#include <math.h>
#include <stdlib.h>
#include "models/wang2017/wang_regimes.h"

/* Values at sites, as logarithms, with their slopes in log R below the smallest and above the largest of one P, and in
 * log P above the largest. */
struct surface {
    int n;
    double p[SITES], rows[SITES], value[SITES], low[SITES];
    double below, above, longer;
};

/* Interpolates v between the n ascending points x; *inside: false outside. */
static double between(const double *x, const double *y, int n, double v)
{
    int i = 0;
    while (i + 2 < n && x[i + 1] <= v)
        i++;
    return n == 1 ? y[0] : y[i] + (y[i + 1] - y[i]) * (v - x[i]) / (x[i + 1] - x[i]);
}

/* Value at `rows` from the sites first .. end - 1, of one P. */
static double column_at(const struct surface *s, int first, int end, double rows)
{
    double x[SITES];
    const int n = end - first;
    for (int i = 0; i < n; i++)
        x[i] = log(s->rows[first + i]);
    const double v = log(rows);
    if (v <= x[0])
        return s->value[first] + s->below * (v - x[0]);
    if (v >= x[n - 1])
        return s->value[end - 1] + s->above * (v - x[n - 1]);
    return between(x, s->value + first, n, v);
}

static int column_end(const struct surface *s, int first)
{
    int end = first + 1;
    while (end < s->n && s->p[end] == s->p[first])
        end++;
    return end;
}

static double surface_at(const struct surface *s, double p, double rows)
{
    int first = 0, end = column_end(s, 0);
    if (p <= s->p[0])
        return column_at(s, first, end, rows);
    for (; end < s->n; first = end, end = column_end(s, first)) {
        const double next = s->p[end];
        if (p >= next)
            continue;
        const double w = log(p / s->p[first]) / log(next / s->p[first]);
        return (1.0 - w) * column_at(s, first, end, rows) + w * column_at(s, end, column_end(s, end), rows);
    }
    return column_at(s, first, end, rows) + s->longer * log(p / s->p[first]);
}

static void add(struct surface *s, const struct wang_site *site, double value)
{
    s->p[s->n] = site->p;
    s->rows[s->n] = site->rows;
    s->value[s->n++] = value;
}

/* More rows than measured take proportionally longer; fewer take as long as the least (one wave), or proportionally
 * less if the working set is streamed from memory. */
double wang_constant(const struct wang_sites *sites, enum regime r, bool band, double p, double rows)
{
    struct surface s = { .below = r == REGIME_STREAMING ? 1.0 : 0.0, .above = 1.0, .longer = 1.0 };
    for (int i = 0; i < sites->n; i++)
        if (!band || !isnan(sites->at[i].band_s))
            add(&s, &sites->at[i], log(band ? sites->at[i].band_s : sites->at[i].random_s));
    return s.n ? exp(surface_at(&s, p, rows)) : NAN;
}

double wang_ratio(const struct wang_sites *sites, double p, double rows, double u, double *u_high)
{
    struct surface s = { .below = 0.0, .above = 0.0, .longer = 0.0 }, high = s;
    for (int i = 0; i < sites->n; i++) {
        const struct wang_site *site = &sites->at[i];
        double x[LEVELS_MAX + 1] = { 0.0 }, y[LEVELS_MAX + 1] = { 0.0 };
        for (int k = 0; k < site->n; k++) {
            x[k + 1] = site->u[k];
            y[k + 1] = log(site->ratio[k]);
        }
        if (site->n == 0)
            continue;
        add(&s, site, between(x, y, site->n + 1, fmin(u, x[site->n])));
        add(&high, site, x[site->n]);
    }
    *u_high = s.n ? surface_at(&high, p, rows) : 0.0;
    return s.n ? exp(surface_at(&s, p, rows)) : 1.0;
}

void wang_range_add(const struct wang_sites *sites, double p, struct wang_range *range)
{
    double before = -INFINITY, after = INFINITY;
    for (int i = 0; i < sites->n; i++) {
        const double at = sites->at[i].p;
        range->p_low = fmin(range->p_low, at);
        range->p_high = fmax(range->p_high, at);
        before = at <= p ? fmax(before, at) : before;
        after = at >= p ? fmin(after, at) : after;
    }
    for (int i = 0; i < sites->n; i++) {
        const struct wang_site *s = &sites->at[i];
        if (s->p != before && s->p != after)
            continue;
        range->rows_low = fmin(range->rows_low, s->rows);
        range->rows_high = fmax(range->rows_high, s->rows);
    }
}

/* Sectors of x per row that 32 rows touch if their columns are random: each misses a sector with the chance 1 - 1/n. */
static double random_sectors(double mean, double cols, enum precision precision)
{
    const double sectors = fmax(cols * (double)precision_bytes(precision) / 32.0, 1.0);
    return sectors * -expm1(32.0 * mean * log1p(-1.0 / fmax(sectors, 1.0 + 1e-9))) / 32.0;
}

struct wang_matrix wang_matrix_of(const struct wang_regimes *g, const struct features *f)
{
    struct wang_matrix m = {
        .p = g->config.kernel->work == WORK_PADDED ? (double)f->row_max : f->row_mean,
        .mean = f->row_mean,
        .rows = (double)f->rows,
        .u = f->row_mean > 0.0 ? f->row_sd / f->row_mean : 0.0,
        .v = 1.0,
        .bytes = footprint_bytes(f->rows, f->cols, f->nnz, g->target.precision),
    };
    const double cols = (double)f->cols, found = (double)f->sectors[g->target.precision][SECTORS_32] / m.rows,
                 low = regimes_band_sectors(m.mean, cols / m.rows, cols, g->target.precision),
                 high = random_sectors(m.mean, cols, g->target.precision);
    if (high > 1.05 * low)
        m.v = fmin(fmax((found - low) / (high - low), 0.0), 1.0);
    return m;
}

double wang_work(const struct wang_regimes *g, enum regime r, const struct wang_matrix *m, double *u_high)
{
    const struct wang_sites *s = &g->regime[r];
    const double random_s = wang_constant(s, r, false, m->p, m->rows),
                 band_s = m->v < 1.0 ? wang_constant(s, r, true, m->p, m->rows) : NAN,
                 constant_s = isnan(band_s) ? random_s : (1.0 - m->v) * band_s + m->v * random_s;
    return constant_s * wang_ratio(s, m->mean, m->rows, m->u, u_high);
}
