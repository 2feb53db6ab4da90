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
