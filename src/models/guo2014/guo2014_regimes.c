/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes: the idea of guo2014 adapted to current GPUs (formula: regimes.h). Differences from the literal
 * model: all rows count, not only the mode; strips are fractional; L2-resident and streaming working sets have separate
 * regimes; the launch, the longest row and gathers of x have separate terms. A composite is the sum of its parts, each
 * with its own launch, in the regime of the whole matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"
#include "models/guo2014/regimes.h"

const char regimes_name[] = "guo2014-regimes";
static const char *const regime_keys[NREGIMES] = { "resident", "streaming" };
enum curve_name { ROW, PATH, GATHER, NCURVES };
static const char *const curve_keys[NCURVES] = { "row", "path", "gather" };

static struct curve *curve_of(struct regime_fit *f, int c)
{
    struct curve *const v[NCURVES] = { &f->row, &f->path, &f->gather };
    return v[c];
}

/* Stores each knot as one coefficient row: its value, and its position as both low and high (entries per row, or log2
 * bytes of x). */
static void regimes_store(const struct regimes *g, const char *config, struct coefs *c)
{
    char key[48];
    coefs_add(c, regimes_name, config, &g->target, "t0", 0, g->t0_s, "s", g->rows_low, g->rows_high);
    coefs_add(c, regimes_name, config, &g->target, "bytes", 0, g->bytes_high, "B", 0.0, g->bytes_high);
    for (int r = 0; r < NREGIMES; r++) {
        struct regime_fit fit = g->regime[r];
        if (fit.row.n == 0 || (g->target.cache == COLD && r != REGIME_RESIDENT))
            continue;
        snprintf(key, sizeof key, "%s.q", regime_keys[r]);
        coefs_add(c, regimes_name, config, &g->target, key, 0, fit.q, "", NAN, NAN);
        for (int k = 0; k < NCURVES; k++) {
            const struct curve *curve = curve_of(&fit, k);
            snprintf(key, sizeof key, "%s.%s", regime_keys[r], curve_keys[k]);
            for (int i = 0; i < curve->n; i++)
                coefs_add(c, regimes_name, config, &g->target, key, i, curve->value[i], "s", curve->at[i],
                          curve->at[i]);
        }
    }
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    struct strlist configs = { 0 };
    double *errors = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *errors);
    int fitted = 0;
    fail(why, "no row of role benchmark was measured; measure matrices of spmv-gen guo2014-regimes");
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        struct regimes g;
        const struct config *parsed = config_known(configs.v[i], why);
        int64_t used, unused;
        if (!parsed)
            break;
        if (parsed->kernel->work == WORK_PARTS || parsed->kernel->work == WORK_OTHER
            || regimes_fit_config(runs, t, configs.v[i], &g, errors, &used, &unused, why) != 0)
            continue;
        regimes_store(&g, configs.v[i], c);
        coefs_add_fit(c, regimes_name, configs.v[i], t, errors, used, unused);
        fitted++;
    }
    free(errors);
    strlist_free(&configs);
    return fitted ? 0 : FAIL;
}

static void load_curve(const struct profile *p, const char *config, const struct target *t, const char *key,
                       struct curve *curve)
{
    int64_t n;
    const struct coef_row *row = coefs_find(&p->coefs, regimes_name, config, t, key, &n);
    curve->n = 0;
    for (int64_t i = 0; i < n; i++)
        curve_add(curve, row[i].low, row[i].value);
}

/* Sets path_floor to the path with each knot lowered to the minimum of the following ones. */
static void floor_of(struct regime_fit *fit)
{
    fit->path_floor = fit->path;
    for (int i = fit->path.n - 2; i >= 0; i--)
        fit->path_floor.value[i] = fmin(fit->path_floor.value[i], fit->path_floor.value[i + 1]);
}

/* Returns log2 of the number of rows that share a warp; 0 if entries are distributed evenly. */
static int log2_group(const struct config *c, const struct geometry *device)
{
    const int threads = kernel_threads_per_row(c);
    int log2 = 0;
    if (c->kernel->work == WORK_ENTRIES || c->kernel->work == WORK_LIBRARY)
        return 0;
    while (log2 + 1 < GROUPS && threads << (log2 + 1) <= device->warp)
        log2++;
    return log2;
}

int regimes_load(const struct profile *p, const struct config *config, const struct target *t, struct regimes *g,
                 char why[ERRLEN])
{
    char text[CONFIG_LEN], key[48];
    int64_t n;
    config_print(config, text);
    memset(g, 0, sizeof *g);
    g->target = *t;
    g->target.device = p->device;
    if (config->kernel->work == WORK_OTHER)
        return fail(why, "kernel %s is not supported by model %s", config->kernel->name, regimes_name);
    const struct coef_row *t0 = coefs_find(&p->coefs, regimes_name, text, t, "t0", &n);
    if (!t0)
        return fail(why,
                    "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen %s -o cells.h5, then "
                    "spmv-run -c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                    p->name, regimes_name, text, target_words(t).text, regimes_name, text, regimes_name);
    g->t0_s = t0->value;
    g->rows_low = t0->low;
    g->rows_high = t0->high;
    g->bytes_high = coefs_value(&p->coefs, regimes_name, text, t, "bytes", 0);
    /* Parse the text again: this restores, with defaults, the keys that the CPU device drops. */
    const struct config *known = config_known(text, why);
    if (!known)
        return FAIL;
    g->config = *known;
    g->log2_group = log2_group(&g->config, &g->target.device);
    for (int r = 0; r < NREGIMES; r++) {
        snprintf(key, sizeof key, "%s.q", regime_keys[r]);
        g->regime[r].q = coefs_value(&p->coefs, regimes_name, text, t, key, 0);
        for (int k = 0; k < NCURVES; k++) {
            snprintf(key, sizeof key, "%s.%s", regime_keys[r], curve_keys[k]);
            load_curve(p, text, t, key, curve_of(&g->regime[r], k));
        }
        floor_of(&g->regime[r]);
    }
    /* A regime that was not measured is replaced by the other (cold has only one; a quick grid may lack one). */
    for (int r = 0; r < NREGIMES; r++)
        if (g->regime[r].row.n == 0)
            g->regime[r] = g->regime[NREGIMES - 1 - r];
    return g->regime[0].row.n
               ? 0
               : fail(why, "profile %s has no row cost for %s; fit it again with spmv-fit", p->name, text);
}

/* ------------------------------------------------------------------------------------------------------- forecast */
/* --explain: how the terms join, appended to the note. part: a part of a composite; NULL: the whole matrix. */
static void explain(const struct regime_fit *fit, enum regime r, double weight, const char *part, struct forecast *f)
{
    const size_t used = strlen(f->note);
    char mixed[96] = "";
    if (weight > 0.0 && weight < 1.0)
        snprintf(mixed, sizeof mixed, "; terms of the %s set, the time is %.0f %% of the way to the streaming one",
                 r == REGIME_STREAMING ? "streaming" : "resident", 100.0 * weight);
    snprintf(f->note + used, sizeof f->note - used,
             "%s%s%slaunch + (S^q + L^q)^(1/q), S = rows + gathers, L = longest path, q = %.3g%s", used ? "; " : "",
             part ? part : "", part ? ": " : "", fit->q, mixed);
}

static double part_time(const struct regimes *g, const struct features *m, double weight, const char *part,
                        struct forecast *f)
{
    struct regimes_sum sum = { { 0.0 }, 0.0 };
    const double x_bytes = (double)(m->cols * precision_bytes(g->target.precision)), busiest = regimes_busiest(g, m);
    double time_s[NREGIMES];
    const enum regime r = weight > 0.5 ? REGIME_STREAMING : REGIME_RESIDENT;
    regimes_add(g, m, (double)m->cols / (double)m->rows, &sum);
    for (int i = 0; i < NREGIMES; i++)
        time_s[i] =
            g->t0_s + regimes_join(g, (enum regime)i, &sum, busiest, regimes_path(g, (enum regime)i, m), x_bytes);
    if (f->nterms + 4 <= (int)(sizeof f->terms / sizeof f->terms[0])) {
        forecast_add_term(f, "launch", g->t0_s);
        forecast_add_term(f, "rows at full load", sum.row_s[r] * busiest);
        forecast_add_term(f, "gathers of x",
                          sum.extra_sectors * curve_gather(&g->regime[r].gather, log2(fmax(x_bytes, 1.0))));
        forecast_add_term(f, "longest path (joined, not added)", regimes_path(g, r, m));
        explain(&g->regime[r], r, weight, part, f);
    }
    const struct curve *path = &g->regime[r].path;
    if (path->n)
        forecast_box(f, "longest row", (double)m->row_max, path->at[0], path->at[path->n - 1]);
    forecast_box(f, "rows", (double)m->rows, g->rows_low, g->rows_high);
    forecast_box(f, "working set (bytes)", (double)footprint_bytes(m->rows, m->cols, m->nnz, g->target.precision), 0.0,
                 g->bytes_high);
    return regimes_mix(weight, time_s[REGIME_RESIDENT], time_s[REGIME_STREAMING]);
}

static void predict_parts(const struct profile *p, const struct features *m, const struct config *config,
                          const struct target *t, double weight, struct forecast *f)
{
    const struct layout *layout = config->kernel->layout;
    struct config whole = *config, part_config, resolved;
    struct features part;
    char why[ERRLEN];
    if (layout->resolve)
        layout->resolve(&whole, m, t);
    for (int i = 0; i < PARTS_MAX && layout->part(m, &whole, i, &part_config, &part) == 0; i++) {
        struct regimes g;
        int status = 0;
        if (part.nnz > 0) {
            status = config_resolve(&part_config, &part, t, &resolved, why) != 0
                         ? FAIL
                         : regimes_load(p, &resolved, t, &g, why);
            if (status)
                forecast_refuse(f, "%s: %s", parts_name(layout, i), why);
            else
                f->time_s += part_time(&g, &part, weight, parts_name(layout, i), f);
        }
        features_free(&part);
        if (status)
            return;
    }
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct regimes g;
    char why[ERRLEN];
    const int64_t bytes = footprint_bytes(m->rows, m->cols, m->nnz, t->precision);
    forecast_begin(f);
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    g.target = *t;
    g.target.device = p->device;
    const double weight = regimes_weight(&g, bytes);
    if (config->kernel->work == WORK_PARTS) {
        predict_parts(p, m, config, t, weight, f);
        return;
    }
    if (regimes_load(p, config, t, &g, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    f->time_s = part_time(&g, m, weight, NULL, f);
}

const struct model model_guo2014_regimes = {
    .name = regimes_name,
    .about =
        "curves fitted to benchmark matrices per cache regime; every row counts, and the longest is the critical path",
    .source = "adapted from Guo, Wang, Chen: IEEE TPDS 25(5), 2014",
    .fit = fit,
    .predict = predict,
    .blocks_open = regimes_blocks_open,
    .block_time = regimes_block_time,
    .block_floor = regimes_block_floor,
    .blocks_close = regimes_blocks_close,
    .block_launch = regimes_block_launch,
};
