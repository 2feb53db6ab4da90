/* SPDX-License-Identifier: BSD-3-Clause */
/* wang2017-regimes: takes the times of one configuration from a run archive. Every square benchmark cell at random
 * columns with constant or drawn rows counts (those of the literal grids too), and of those in a band the constant ones
 * of equal size. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "models/cells.h"
#include "models/wang2017/wang_regimes.h"

static const double least_s = 50e-9, same_u = 1.05;
enum { SITES_MIN = 4 }; /* two P and two R */

/* A cell. p: mean of its distribution; work_s: time less t0. */
struct cell_of {
    double p, rows, u, work_s;
    bool band, drawn;
    int64_t bytes;
    const struct features *features;
};

/* Reads kind, mean and placement from the recipe of a square matrix. Returns false for others. */
static bool cell_read(const struct matrix_row *m, const struct features *f, struct cell_of *c)
{
    struct recipe r;
    char why[ERRLEN];
    if (!*m->recipe || recipe_parse(m->recipe, &r, why) != 0 || r.rows != r.cols || f->nnz < 1)
        return false;
    c->drawn =
        r.kind == RECIPE_NORMAL || r.kind == RECIPE_UNIFORM || r.kind == RECIPE_BINOMIAL || r.kind == RECIPE_LIKE;
    if (r.kind != RECIPE_CONSTANT && !c->drawn)
        return false;
    c->p = r.kind == RECIPE_LIKE ? (double)r.count / (double)r.rows : (double)r.p;
    c->band = strcmp(recipe_placement(&r), "band") == 0;
    c->rows = (double)r.rows;
    c->u = c->drawn ? f->row_sd / f->row_mean : 0.0;
    c->features = f;
    return !(c->band && c->drawn);
}

static int by_size(const void *pa, const void *pb)
{
    const struct cell_of *a = pa, *b = pb;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    if (a->rows != b->rows)
        return a->rows < b->rows ? -1 : 1;
    if (a->drawn != b->drawn)
        return a->drawn ? 1 : -1;
    if (a->band != b->band)
        return a->band ? 1 : -1;
    if (a->u != b->u)
        return a->u < b->u ? -1 : 1;
    return (a->work_s > b->work_s) - (a->work_s < b->work_s);
}

static int64_t cells_read(const struct runs *runs, const char *config, struct wang_regimes *g, struct cell_of *out,
                          int64_t *unused)
{
    int64_t n = 0;
    g->t0_s = INFINITY;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *m;
        if (!row_counts(r, &g->target, "benchmark") || strcmp(r->config, config) != 0)
            continue;
        const struct features *f = runs_features(runs, r->source_id, &m);
        struct cell_of c = { .bytes = r->footprint_bytes, .work_s = row_time_us(r, &g->target) * 1e-6 };
        if (!f || !cell_read(m, f, &c)) {
            ++*unused;
            continue;
        }
        out[n++] = c;
        g->t0_s = fmin(g->t0_s, r->t0_us * 1e-6);
        g->bytes_high = fmax(g->bytes_high, (double)c.bytes);
    }
    g->t0_s += 1e-6 * launch_more_us(runs, &g->target, config);
    for (int64_t i = 0; i < n; i++)
        out[i].work_s = fmax(out[i].work_s - g->t0_s, least_s);
    if (n)
        qsort(out, (size_t)n, sizeof *out, by_size);
    return n;
}

/* Median time of the constant cells first .. end - 1 in a band or at random columns; NaN: none. */
static double median_of(const struct cell_of *c, int64_t first, int64_t end, bool band)
{
    double *time_s = xmalloc((unsigned long)(end - first + 1) * sizeof *time_s);
    int64_t n = 0;
    for (int64_t i = first; i < end; i++)
        if (!c[i].drawn && c[i].band == band)
            time_s[n++] = c[i].work_s;
    const double median = n ? stats_median(time_s, n) : NAN;
    free(time_s);
    return median;
}

static bool in_regime(const struct wang_regimes *g, enum regime r, const struct cell_of *c)
{
    const enum footprint f = footprint_class(&g->target.device, c->bytes);
    return g->target.cache == COLD || (r == REGIME_RESIDENT ? f == RESIDENT : f == STREAMING);
}

static int64_t size_end(const struct cell_of *c, int64_t n, int64_t first)
{
    int64_t end = first + 1;
    while (end < n && c[end].p == c[first].p && c[end].rows == c[first].rows)
        end++;
    return end;
}

/* Sites are the sizes with constant rows at random columns; other cells of one size may differ in bytes a little, so
 * the regime is that of the first. */
static void sites_make(const struct wang_regimes *g, enum regime r, const struct cell_of *c, int64_t n,
                       struct wang_sites *out)
{
    out->n = 0;
    for (int64_t i = 0, end; i < n && out->n < SITES; i = end) {
        end = size_end(c, n, i);
        const double random_s = median_of(c, i, end, false);
        if (isnan(random_s) || !in_regime(g, r, &c[i]))
            continue;
        out->at[out->n++] = (struct wang_site){
            .p = c[i].p, .rows = c[i].rows, .random_s = random_s, .band_s = median_of(c, i, end, true)
        };
    }
}

/* Adds the ratio of a drawn cell; ratios of nearly equal deviations are averaged (geometrically). */
static void ratio_add(struct wang_site *site, double u, double ratio, int *merged)
{
    if (site->n && u <= same_u * site->u[site->n - 1]) {
        const double w = 1.0 / ++*merged;
        site->ratio[site->n - 1] = exp((1.0 - w) * log(site->ratio[site->n - 1]) + w * log(ratio));
        return;
    }
    if (site->n == LEVELS_MAX)
        return;
    *merged = 1;
    site->u[site->n] = u;
    site->ratio[site->n++] = ratio;
}

/* The ratios, by the constant times at the P of each drawn cell (its longest row, if rows are padded). */
static int ratios_make(const struct wang_regimes *g, enum regime r, const struct cell_of *c, int64_t n,
                       struct wang_sites *sites)
{
    int found = 0, merged = 0, at = 0;
    for (int64_t i = 0; i < n; i++) {
        while (at < sites->n
               && (sites->at[at].p < c[i].p || (sites->at[at].p == c[i].p && sites->at[at].rows < c[i].rows)))
            at++;
        if (at == sites->n)
            break;
        struct wang_site *site = &sites->at[at];
        if (!c[i].drawn || site->p != c[i].p || site->rows != c[i].rows)
            continue;
        const struct wang_matrix m = wang_matrix_of(g, c[i].features);
        const double constant_s = wang_constant(sites, r, false, m.p, m.rows);
        if (c[i].u > 0.0) {
            ratio_add(site, c[i].u, c[i].work_s / constant_s, &merged);
            found++;
        }
    }
    return found;
}

static void errors_make(const struct wang_regimes *g, enum regime r, const struct cell_of *c, int64_t n, double *errors,
                        int64_t *used)
{
    double u_high;
    for (int64_t i = 0; i < n; i++) {
        if (!in_regime(g, r, &c[i]))
            continue;
        struct wang_matrix m = wang_matrix_of(g, c[i].features);
        m.v = c[i].band ? 0.0 : 1.0;
        errors[(*used)++] = fabs((g->t0_s + wang_work(g, r, &m, &u_high)) / (g->t0_s + c[i].work_s) - 1.0);
    }
}

static bool wide_enough(const struct wang_sites *s)
{
    bool p = false, rows = false;
    for (int i = 1; i < s->n; i++) {
        p = p || s->at[i].p != s->at[0].p;
        rows = rows || s->at[i].rows != s->at[0].rows;
    }
    return s->n >= SITES_MIN && p && rows;
}

int wang_regimes_fit(const struct runs *runs, const struct target *t, const char *config, struct wang_regimes *g,
                     double *errors, int64_t *used, int64_t *unused, char why[ERRLEN])
{
    int sites = 0, ratios = 0;
    bool wide = false;
    *used = *unused = 0;
    memset(g, 0, sizeof *g);
    g->target = *t;
    const struct config *known = config_known(config, why);
    if (!known)
        return FAIL;
    g->config = *known;
    struct cell_of *cells = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *cells);
    const int64_t n = cells_read(runs, config, g, cells, unused);
    for (int r = 0; r < NREGIMES; r++) {
        if (g->target.cache == COLD && r != REGIME_RESIDENT)
            break;
        sites_make(g, (enum regime)r, cells, n, &g->regime[r]);
        ratios += ratios_make(g, (enum regime)r, cells, n, &g->regime[r]);
        sites += g->regime[r].n;
        wide = wide || wide_enough(&g->regime[r]);
        if (g->regime[r].n)
            errors_make(g, (enum regime)r, cells, n, errors, used);
    }
    free(cells);
    if (wide && ratios > 0)
        return 0;
    return fail(why,
                "%s: too few square benchmark cells at random columns: %d sizes of constant rows, %d of drawn rows; "
                "measure them with spmv-profile -m all",
                config, sites, ratios);
}
