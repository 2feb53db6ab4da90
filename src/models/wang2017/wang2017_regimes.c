/* SPDX-License-Identifier: BSD-3-Clause */
/* wang2017-regimes (wang_regimes.h): wang2017 adapted to current devices. As there, the spread of row lengths comes
 * from benchmark matrices with drawn rows. Otherwise: the number of strips is not rounded, so that small matrices
 * differ; the launch is subtracted before and added once; cells in the cache and beyond it are separate sets; errors are
 * relative (all interpolation is of logarithms); the target's own deviation selects between constant and drawn cells;
 * and both are labelled in the same way, so that the paper's bias upward (cells by their mean, targets by their longest
 * row) disappears. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/cells.h"
#include "models/wang2017/wang_regimes.h"

static const char wang_regimes_name[] = "wang2017-regimes";
static const char *const regime_keys[NREGIMES] = { "resident", "streaming" };

static bool serves(const struct config *c) { return c->kernel->work != WORK_PARTS; }

/* Rows of a site, by its index: random (low = P, high = R) and band; spread, by index x LEVELS_MAX + level: the ratio,
 * with low = high = the deviation. */
static void store(const struct wang_regimes *g, const char *config, struct coefs *c)
{
    const char *const name = wang_regimes_name;
    char key[48];
    coefs_add(c, name, config, &g->target, "t0", 0, g->t0_s, "s", NAN, NAN);
    coefs_add(c, name, config, &g->target, "bytes", 0, g->bytes_high, "B", 0.0, g->bytes_high);
    for (int r = 0; r < NREGIMES; r++)
        for (int i = 0; i < g->regime[r].n; i++) {
            const struct wang_site *s = &g->regime[r].at[i];
            snprintf(key, sizeof key, "%s.random", regime_keys[r]);
            coefs_add(c, name, config, &g->target, key, i, s->random_s, "s", s->p, s->rows);
            snprintf(key, sizeof key, "%s.band", regime_keys[r]);
            if (!isnan(s->band_s))
                coefs_add(c, name, config, &g->target, key, i, s->band_s, "s", NAN, NAN);
            snprintf(key, sizeof key, "%s.spread", regime_keys[r]);
            for (int k = 0; k < s->n; k++)
                coefs_add(c, name, config, &g->target, key, i * LEVELS_MAX + k, s->ratio[k], "", s->u[k], s->u[k]);
        }
}

static void load_regime(const struct profile *p, const char *config, const struct target *t, const char *regime,
                        struct wang_sites *s)
{
    char key[48];
    int64_t n;
    snprintf(key, sizeof key, "%s.random", regime);
    const struct coef_row *row = coefs_find(&p->coefs, wang_regimes_name, config, t, key, &n);
    s->n = n < SITES ? (int)n : SITES;
    for (int i = 0; i < s->n; i++)
        s->at[i] = (struct wang_site){ .p = row[i].low, .rows = row[i].high, .random_s = row[i].value, .band_s = NAN };
    snprintf(key, sizeof key, "%s.band", regime);
    row = coefs_find(&p->coefs, wang_regimes_name, config, t, key, &n);
    for (int64_t i = 0; i < n; i++)
        if (row[i].index >= 0 && row[i].index < s->n)
            s->at[row[i].index].band_s = row[i].value;
    snprintf(key, sizeof key, "%s.spread", regime);
    row = coefs_find(&p->coefs, wang_regimes_name, config, t, key, &n);
    for (int64_t i = 0; i < n; i++) {
        if (row[i].index < 0 || row[i].index / LEVELS_MAX >= s->n)
            continue;
        struct wang_site *site = &s->at[row[i].index / LEVELS_MAX];
        if (site->n == LEVELS_MAX)
            continue;
        site->u[site->n] = row[i].low;
        site->ratio[site->n++] = row[i].value;
    }
}

/* Does every configuration of the kernel have a key that follows the matrix, as the widths of brc do? */
static bool follows_matrix(const struct kernel *k)
{
    const struct config *c = config_known(k->name, NULL);
    char text[CONFIG_LEN];
    if (!c)
        return false;
    config_print(c, text);
    for (const char *const *sweep = config_sweep("default", DEVICE_CUDA); *sweep && strstr(text, "=auto"); sweep++)
        if ((c = config_known(*sweep, NULL)) && c->kernel == k)
            config_print(c, text);
    return strstr(text, "=auto") != NULL;
}

/* Says why there are no coefficients: the model has no form for the kernel, or they were not measured. */
static int lacks(const struct profile *p, const struct config *config, const char *text, const struct target *t,
                 char why[ERRLEN])
{
    if (config->kernel->layout->fills)
        return fail(why, "model %s has no form for %s: its benchmark matrices have no dense blocks or diagonals",
                    wang_regimes_name, config->kernel->name);
    if (follows_matrix(config->kernel))
        return fail(why, "model %s has no form for %s: its keys follow the matrix, so that no two cells share them",
                    wang_regimes_name, config->kernel->name);
    return fail(why,
                "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen %s -o cells.h5, then spmv-run "
                "-c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                p->name, wang_regimes_name, text, target_words(t).text, wang_regimes_name, text, wang_regimes_name);
}

static int load(const struct profile *p, const struct config *config, const struct target *t, struct wang_regimes *g,
                char why[ERRLEN])
{
    char text[CONFIG_LEN];
    config_print(config, text);
    memset(g, 0, sizeof *g);
    g->config = *config;
    g->target = *t;
    g->target.device = p->device;
    g->t0_s = coefs_value(&p->coefs, wang_regimes_name, text, t, "t0", 0);
    g->bytes_high = coefs_value(&p->coefs, wang_regimes_name, text, t, "bytes", 0);
    if (isnan(g->t0_s))
        return lacks(p, config, text, t, why);
    for (int r = 0; r < NREGIMES; r++)
        load_regime(p, text, t, regime_keys[r], &g->regime[r]);
    /* If one regime was not measured (cold has only one; a quick grid may lack one), use the other. */
    for (int r = 0; r < NREGIMES; r++)
        if (g->regime[r].n == 0)
            g->regime[r] = g->regime[NREGIMES - 1 - r];
    return g->regime[0].n ? 0 : fail(why, "profile %s has no cells of %s", p->name, text);
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    struct strlist configs = { 0 };
    struct wang_regimes *g = xmalloc(sizeof *g);
    double *errors = xmalloc(2 * (unsigned long)(runs->nrows + 1) * sizeof *errors);
    int fitted = 0;
    fail(why, "no measured rows of role benchmark; measure them with spmv-profile -m all");
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        int64_t used, unused;
        const struct config *parsed = config_known(configs.v[i], why);
        if (!parsed)
            break;
        if (!serves(parsed) || wang_regimes_fit(runs, t, configs.v[i], g, errors, &used, &unused, why) != 0)
            continue;
        store(g, configs.v[i], c);
        coefs_add_fit(c, wang_regimes_name, configs.v[i], t, errors, used, unused);
        fitted++;
    }
    free(errors);
    free(g);
    strlist_free(&configs);
    return fitted ? 0 : FAIL;
}

/* Marks what is outside the cells of the regimes that the forecast uses: all of `first` to `last`. */
static void box(const struct wang_regimes *g, enum regime first, enum regime last, const struct wang_matrix *m,
                double u_high, struct forecast *f)
{
    struct wang_range range = { INFINITY, 0.0, INFINITY, 0.0 };
    for (int r = first; r <= (int)last; r++)
        wang_range_add(&g->regime[r], m->p, &range);
    forecast_box(f, g->config.kernel->work == WORK_PADDED ? "longest row" : "mean row length", m->p, range.p_low,
                 range.p_high);
    forecast_box(f, "rows", m->rows, range.rows_low, range.rows_high);
    forecast_box(f, "deviation / mean of the row lengths", m->u, 0.0, u_high);
    forecast_box(f, "working set (bytes)", (double)m->bytes, 0.0, g->bytes_high);
}

static void forecast_with(const struct wang_regimes *g, const struct features *features, struct forecast *f)
{
    const struct wang_matrix m = wang_matrix_of(g, features);
    const struct regimes where = { .target = g->target }; /* of which regimes_weight uses no more */
    double work_s[NREGIMES], u_high[NREGIMES];
    const double weight = regimes_weight(&where, m.bytes);
    const enum regime r = weight > 0.5 ? REGIME_STREAMING : REGIME_RESIDENT;
    for (int i = 0; i < NREGIMES; i++)
        work_s[i] = wang_work(g, (enum regime)i, &m, &u_high[i]);
    f->time_s = regimes_mix(weight, g->t0_s + work_s[REGIME_RESIDENT], g->t0_s + work_s[REGIME_STREAMING]);
    const double constant_s = (f->time_s - g->t0_s) / wang_ratio(&g->regime[r], m.mean, m.rows, m.u, &u_high[r]);
    forecast_add_term(f, "launch", g->t0_s);
    forecast_add_term(f, "rows of equal length", constant_s);
    forecast_add_term(f, "spread of the row lengths", f->time_s - g->t0_s - constant_s);
    snprintf(f->note, sizeof f->note,
             "P = %.4g, deviation / mean %.3g, columns %.0f %% of the way from a band to random", m.p, m.u,
             100.0 * m.v);
    box(g, weight < 1.0 ? REGIME_RESIDENT : REGIME_STREAMING, weight > 0.0 ? REGIME_STREAMING : REGIME_RESIDENT, &m,
        u_high[r], f);
    if (!(f->time_s > 0.0) || !isfinite(f->time_s))
        forecast_refuse(f, "the cells give %.4g us, not a positive time", f->time_s * 1e6);
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    char why[ERRLEN];
    forecast_begin(f);
    if (!serves(config)) {
        forecast_refuse(f, "kernel %s is not supported by model %s: a sum of kernels has no benchmark cells",
                        config->kernel->name, wang_regimes_name);
        return;
    }
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    struct wang_regimes *g = xmalloc(sizeof *g);
    if (load(p, config, t, g, why) != 0)
        forecast_refuse(f, "%s", why);
    else
        forecast_with(g, m, f);
    free(g);
}

const struct model model_wang2017_regimes = {
    .name = wang_regimes_name,
    .about =
        "square benchmark matrices of constant and drawn rows per cache regime, joined by the spread of the lengths",
    .source = "adapted from Wang, Gu, Li: J. Computer and Communications 5(6), 2017",
    .fit = fit,
    .serves = serves,
    .predict = predict,
};
