/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, literal: forecasts SpMV kernels from benchmark matrices of I strips and constant row length P.
 * P. Guo, L. Wang, P. Chen, "A Performance Modeling and Optimization Analysis Tool for Sparse Matrix-Vector
 * Multiplication on GPUs", IEEE TPDS 25(5), 2014, doi 10.1109/TPDS.2013.123, sections 3.1 to 3.5.
 *
 *   row groups (CSR):  T = E(P) / T2 * E'(I), P the mode of the row lengths, I = ceil(rows / strip), with separate
 *                      lines on each side of P = maximum threads per block. T2 is the time of the cell at the I at which
 *                      E was measured and the P at which E' was (deduced; the paper does not define T2).
 *   thread per row:    T = f(I) P + e(I) - f(I) x1, P the longest row. Erratum: the paper prints f(I) I for f(I) x1.
 *   COO:               T = a line in ceil(nnz / strip).
 *   HYB:               the sum of its parts, each forecast as a matrix; a part without entries costs 0, not the
 *                      intercept.
 * Inferred, not in the paper: csr-scalar as thread per row, csr-block as a row group of its block's threads, and parts
 * of HYB other than the paper's. */
#include "models/guo2014/guo2014.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"

static const char name[] = "guo2014";

/* Keys of the stored lines. Under each key, index 0 is a and index 1 is b of struct guo_line. */
static const char *const guo_lines[GUO_NLINES] = { "E_below", "E_above", "E'_below", "E'_above", "f", "e", "coo" };
static const char *const guo_t2[GUO_SIDES] = { "T2_below", "T2_above" };
static const char *const guo_meet[GUO_SIDES] = { "meet_below", "meet_above" }; /* index 0: I, index 1: P of T2 */

void guo_store(const struct guo2014 *g, const char *model, const char *config, const struct target *t, struct coefs *c)
{
    for (int i = 0; i < GUO_NLINES; i++) {
        const struct guo_line *l = &g->line[i];
        if (isnan(l->a))
            continue;
        coefs_add(c, model, config, t, guo_lines[i], 0, l->a, "s", l->low, l->high);
        coefs_add(c, model, config, t, guo_lines[i], 1, l->b, "s", l->low, l->high);
    }
    for (int i = 0; i < GUO_SIDES; i++)
        if (!isnan(g->t2[i])) {
            coefs_add(c, model, config, t, guo_t2[i], 0, g->t2[i], "s", NAN, NAN);
            coefs_add(c, model, config, t, guo_meet[i], 0, (double)g->at_strips[i], "strips", NAN, NAN);
            coefs_add(c, model, config, t, guo_meet[i], 1, (double)g->at_p[i], "entries", NAN, NAN);
        }
    if (!isnan(g->x1))
        coefs_add(c, model, config, t, "x1", 0, g->x1, "", g->p_low, g->p_high);
    coefs_add(c, model, config, t, "threshold", 0, (double)g->threshold, "", NAN, NAN);
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    struct strlist configs = { 0 };
    struct guo2014 g;
    struct guo_report report;
    int fitted = 0;
    fail(why, "no row of role benchmark was measured; measure matrices of spmv-gen guo2014");
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        const struct config *parsed = config_known(configs.v[i], why);
        if (!parsed)
            goto out;
        if (parsed->kernel->work == WORK_PARTS || parsed->kernel->work == WORK_LIBRARY
            || parsed->kernel->work == WORK_OTHER)
            continue;
        if (guo_fit_config(runs, t, configs.v[i], &g, &report, why) == 0) {
            guo_store(&g, name, configs.v[i], t, c);
            coefs_add_fit(c, name, configs.v[i], t, report.errors, report.used, report.unused);
            fitted++;
        }
        free(report.errors);
    }
out:
    strlist_free(&configs);
    return fitted ? 0 : FAIL;
}

void guo_read(const struct profile *p, const char *model, const char *config, const struct target *t, struct guo2014 *g)
{
    int64_t n;
    for (int i = 0; i < GUO_NLINES; i++) {
        const struct coef_row *r = coefs_find(&p->coefs, model, config, t, guo_lines[i], &n);
        g->line[i] = n == 2 ? (struct guo_line){ r[0].value, r[1].value, r[0].low, r[0].high }
                            : (struct guo_line){ NAN, NAN, NAN, NAN };
    }
    for (int i = 0; i < GUO_SIDES; i++) {
        const struct coef_row *meet = coefs_find(&p->coefs, model, config, t, guo_meet[i], &n);
        g->t2[i] = coefs_value(&p->coefs, model, config, t, guo_t2[i], 0);
        if (meet && n == 2) {
            g->at_strips[i] = coefs_whole(meet[0].value);
            g->at_p[i] = coefs_whole(meet[1].value);
        }
    }
    const struct coef_row *x1 = coefs_find(&p->coefs, model, config, t, "x1", &n);
    g->x1 = x1 ? x1->value : NAN;
    g->p_low = x1 ? x1->low : NAN;
    g->p_high = x1 ? x1->high : NAN;
    double threshold = coefs_value(&p->coefs, model, config, t, "threshold", 0);
    g->threshold = isnan(threshold) ? 1024 : coefs_whole(threshold);
}

int guo_load(const struct profile *p, const struct config *config, const struct target *t, const char *model,
             struct guo2014 *g, char why[ERRLEN])
{
    char text[CONFIG_LEN];
    int64_t n;
    config_print(config, text);
    memset(g, 0, sizeof *g);
    g->work = config->kernel->work;
    if (g->work == WORK_LIBRARY)
        return fail(why, "kernel %s is not supported by model %s: the library chooses how rows map to threads",
                    config->kernel->name, model);
    if (g->work == WORK_OTHER)
        return fail(
            why,
            "kernel %s is not supported by model %s: it has lines for a group of threads or a thread per row of "
            "csr, for ell and for coo",
            config->kernel->name, model);
    if (!coefs_find(&p->coefs, name, text, t, NULL, &n))
        return fail(why,
                    "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen %s -o cells.h5, then "
                    "spmv-run -c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                    p->name, name, text, target_words(t).text, name, text, name);
    g->strip = cells_strip(config, &p->device);
    guo_read(p, name, text, t, g);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- forecast */
static double at(const struct guo_line *l, double v) { return l->a + l->b * v; }

/* P of a matrix, and what it is. */
static int64_t length_of(const struct guo2014 *g, const struct features *m, const char **what)
{
    if (g->mean) {
        *what = "mean of the row lengths";
        return llround(m->row_mean);
    }
    *what = g->work == WORK_ROW_GROUP ? "mode of the row lengths" : "longest row";
    return g->work == WORK_ROW_GROUP ? m->row_mode : m->row_max;
}

static double strips_of(int64_t n, int64_t strip) { return (double)((n + strip - 1) / strip); }

static void row_group(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const char *what;
    const int64_t length = length_of(g, m, &what);
    enum guo_side side = length <= g->threshold ? BELOW : ABOVE;
    const struct guo_line *e = &g->line[GUO_E_BELOW + side], *ey = &g->line[GUO_EY_BELOW + side];
    double p = (double)length, i = strips_of(m->rows, g->strip);
    if (isnan(e->a) || isnan(g->t2[side])) {
        forecast_refuse(f, "no line was fitted for row lengths %s %" PRId64 " (%s of this matrix: %" PRId64 ")",
                        side == BELOW ? "up to" : "above", g->threshold, g->mean ? "mean" : "mode", length);
        return;
    }
    double t1 = at(e, p), t3 = at(ey, i);
    if (!(t1 > 0.0) || !(t3 > 0.0)) {
        forecast_refuse(f, "a fitted line is not positive: E(%.0f) = %.3g us, E'(%.0f) = %.3g us", p, t1 * 1e6, i,
                        t3 * 1e6);
        return;
    }
    f->time_s = t1 / g->t2[side] * t3;
    forecast_add_term(f, "E(P) (multiplied, not added)", t1);
    forecast_add_term(f, "T2 (divides, not added)", g->t2[side]);
    forecast_add_term(f, "E'(I) (multiplied, not added)", t3);
    forecast_box(f, what, p, e->low, e->high);
    forecast_box(f, "number of strips", i, ey->low, ey->high);
}

static void row_thread(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const char *what;
    double p = (double)length_of(g, m, &what), i = strips_of(m->rows, g->strip);
    double slope = at(&g->line[GUO_F], i), intercept = at(&g->line[GUO_SMALL_E], i) - slope * g->x1;
    f->time_s = slope * p + intercept;
    forecast_add_term(f, "f(I) P", slope * p);
    forecast_add_term(f, "g(I)", intercept);
    forecast_box(f, what, p, g->p_low, g->p_high);
    forecast_box(f, "number of strips", i, g->line[GUO_F].low, g->line[GUO_F].high);
}

static void entries(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const struct guo_line *l = &g->line[GUO_COO];
    double x = strips_of(m->nnz, g->strip);
    f->time_s = at(l, x);
    forecast_add_term(f, "constant", l->a);
    forecast_add_term(f, "strips of entries", l->b * x);
    forecast_box(f, "number of strips of entries", x, l->low, l->high);
}

void guo_time(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    forecast_begin(f);
    if (g->work == WORK_ROW_GROUP)
        row_group(g, m, f);
    else if (g->work == WORK_ENTRIES)
        entries(g, m, f);
    else
        row_thread(g, m, f);
    if (f->status != FORECAST_REFUSED && !(f->time_s > 0.0))
        forecast_refuse(f, "the fitted line gives %.4g us, not a positive time", f->time_s * 1e6);
}

void guo_explain(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const size_t used = strlen(f->note), room = sizeof f->note - used;
    const char *what;
    const int64_t n = g->work == WORK_ENTRIES ? m->nnz : m->rows, strips = (n + g->strip - 1) / g->strip,
                  length = length_of(g, m, &what);
    char of[48];
    snprintf(of, sizeof of, "%" PRId64 " %s", g->strip, g->work == WORK_ENTRIES ? "entries" : "rows");
    if (g->work == WORK_ENTRIES)
        snprintf(f->note + used, room, "%s of %s", counted(strips, "strip").text, of);
    else
        snprintf(f->note + used, room, "%sP = %" PRId64 " (%s), I = %s of %s",
                 g->work == WORK_ROW_GROUP ? "E(P) / T2 x E'(I), " : "", length, what, counted(strips, "strip").text,
                 of);
}

int guo_open(const struct profile *p, const struct config *config, const struct target *t, const struct features *m,
             struct guo_view *v, char why[ERRLEN])
{
    struct config resolved;
    memset(v, 0, sizeof *v);
    v->config = *config; /* a composite keeps k=auto: each block has its own K */
    v->target = *t;
    if (config_resolve(config, m, t, &resolved, why) != 0)
        return FAIL;
    if (config->kernel->work != WORK_PARTS)
        return guo_load(p, &resolved, t, name, &v->own, why);
    for (int i = 0; i < PARTS_MAX && parts_name(config->kernel->layout, i); i++) {
        struct config part;
        if (config_part(config, parts_name(config->kernel->layout, i), &part, why) != 0
            || config_resolve(&part, m, t, &resolved, why) != 0)
            return FAIL;
        v->have[i] = guo_load(p, &resolved, t, name, &v->part[i], v->lacks[i]) == 0;
    }
    return 0;
}

/* Adds the forecast of part i. Returns false if it refuses the part, and thus the composite. */
static bool add_part(const struct guo_view *v, int i, const struct features *part, const struct config *config,
                     struct forecast *f)
{
    const char *part_name = parts_name(v->config.kernel->layout, i);
    struct forecast one;
    char why[ERRLEN];
    if (part->nnz == 0)
        return true;
    if (!v->have[i]) {
        forecast_refuse(f, "%s: %s", part_name, v->lacks[i]);
        return false;
    }
    if (v->applicable_parts && config->kernel->layout->applicable(part, config, &v->target, why) != 0) {
        forecast_refuse(f, "%s: %s", part_name, why);
        return false;
    }
    guo_time(&v->part[i], part, &one);
    if (one.status == FORECAST_REFUSED) {
        forecast_refuse(f, "%s: %s", part_name, one.why);
        return false;
    }
    if (one.status == FORECAST_EXTRAPOLATED && (f->status == FORECAST_OK || one.distance > f->distance)) {
        f->status = one.status;
        f->distance = one.distance;
        fail(f->why, "%s: %s", part_name, one.why);
    }
    f->time_s += one.time_s;
    forecast_add_term(f, part_name, one.time_s);
    if (v->explain) {
        const size_t used = strlen(f->note);
        snprintf(f->note + used, sizeof f->note - used, "%s%s: ", used ? "; " : "", part_name);
        guo_explain(&v->part[i], part, f);
    }
    return true;
}

static void whole_of_parts(const struct guo_view *v, const struct features *m, struct forecast *f)
{
    const struct layout *layout = v->config.kernel->layout;
    struct config config = v->config, part_config;
    struct features part;
    if (layout->resolve)
        layout->resolve(&config, m, &v->target);
    forecast_begin(f);
    for (int i = 0; i < PARTS_MAX && layout->part(m, &config, i, &part_config, &part) == 0; i++) {
        bool going = add_part(v, i, &part, &part_config, f);
        features_free(&part);
        if (!going)
            return;
    }
}

void guo_forecast(const struct guo_view *v, const struct features *m, struct forecast *f)
{
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (v->config.kernel->work == WORK_PARTS)
        whole_of_parts(v, m, f);
    else
        guo_time(&v->own, m, f);
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct guo_view v;
    char why[ERRLEN];
    if (guo_open(p, config, t, m, &v, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    v.explain = true;
    guo_forecast(&v, m, f);
    if (f->status != FORECAST_REFUSED && v.config.kernel->work != WORK_PARTS)
        guo_explain(&v.own, m, f);
}

const struct model model_guo2014 = {
    .name = name,
    .about = "lines fitted to benchmark matrices of constant row length, as in the paper, with errata corrected",
    .source = "Guo, Wang, Chen: IEEE TPDS 25(5), 2014",
    .literal = true,
    .fit = fit,
    .predict = predict,
    .blocks_open = guo_blocks_open,
    .block_time = guo_block_time,
    .blocks_close = guo_blocks_close,
};
