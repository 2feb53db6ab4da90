/* SPDX-License-Identifier: BSD-3-Clause */
/* wang2017, literal (wang2017.h, section 3.2): lines through the times of benchmark matrices with drawn row lengths,
 * labelled by their mean P. The four models differ in the distribution only; wang2017-constant is the baseline that the
 * paper compares with.
 *
 *   CSR-V:            T0 = T(P0) / t0 * E(I0), with separate lines on each side of P = most threads per block. T is drawn
 *                     at I = 40, E at P = 64 or 2048; t0 is the time of the cell where they meet (the paper: "of any
 *                     previously tested matrix" with E's P; that of T's I is the one for which T0 is exact there).
 *   CSR-S, ELL, JAD:  T0 = f(I0) P0 + g(I0), g(I) = E(I) - f(I) P1, P1 = 32.
 *
 * I0 = ceil(rows / strip); P0 is the mode of the row lengths for CSR-V and the longest row for the others, as printed.
 * Where cells of the printed I or P were not measured (too large for the device), a line is drawn where it has most. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/cells.h"
#include "models/wang2017/wang2017.h"

static const struct guo_form form = { .strips = 40, .p = { 64, 2048 }, .x1 = 32 };

static bool among(const int *list, int64_t v)
{
    while (*list && *list != v)
        list++;
    return *list;
}

/* Returns the cells of the distribution's grid; *unused: rows of other matrices. */
static struct guo_points points_find(const struct runs *runs, const struct target *t, enum wang_kind kind,
                                     const char *config, const struct wang_kernel *k, int64_t strip, int64_t *unused)
{
    struct cells cells = { 0, xmalloc((unsigned long)(runs->nrows + 1) * sizeof *cells.cell) };
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *m;
        int64_t rows, p;
        if (!row_counts(r, t, "benchmark") || strcmp(r->config, config) != 0)
            continue;
        if (!runs_features(runs, r->source_id, &m) || !wang_recipe_is(kind, m->recipe, &rows, &p) || rows % strip
            || !among(wang_strips(k), rows / strip) || !among(wang_lengths(k), p)) {
            ++*unused;
            continue;
        }
        cells.cell[cells.n++] = (struct cell){ rows, p, row_time_us(r, t) * 1e-6, r->t0_us * 1e-6 };
    }
    cells_sort(&cells);
    struct guo_points points = { cells.n, xmalloc((unsigned long)(cells.n + 1) * sizeof *points.at) };
    for (int64_t i = 0; i < cells.n; i++)
        points.at[i] = (struct guo_point){ cells.cell[i].rows / strip, cells.cell[i].p, cells.cell[i].time_s };
    cells_free(&cells);
    return points;
}

static void begin(struct guo2014 *g, const struct wang_kernel *k, const struct config *c, const struct target *t)
{
    guo_begin(g, k->group ? WORK_ROW_GROUP : WORK_PADDED, c, t);
}

static int fit_config(const struct runs *runs, const struct target *t, enum wang_kind kind, const char *text,
                      struct coefs *coefs, char why[ERRLEN])
{
    const struct features none = { .rows = 0 }; /* unused: the keys of these kernels do not depend on the matrix */
    struct guo_report report = { 0 };
    struct config c;
    struct guo2014 g;
    if (config_resolve_text(text, &none, t, &c, why) != 0)
        return FAIL;
    const struct wang_kernel *k = wang_kernel_of(&c);
    if (!k)
        return FAIL;
    begin(&g, k, &c, t);
    struct guo_points points = points_find(runs, t, kind, text, k, g.strip, &report.unused);
    int status = 0;
    if (guo_fit_lines(&form, &points, &g)) {
        guo_errors(&points, &g, &report);
        guo_store(&g, wang_name(kind), text, t, coefs);
        coefs_add_fit(coefs, wang_name(kind), text, t, report.errors, report.used, report.unused);
    } else {
        status = fail(why,
                      "%s: too few cells of the %s grid: %" PRId64 " measured (strips of %" PRId64
                      " rows, square); measure them with spmv-profile -m all",
                      text, wang_name(kind), points.n, g.strip);
    }
    free(points.at);
    free(report.errors);
    return status;
}

static int fit(enum wang_kind kind, const struct runs *runs, const struct target *t, struct coefs *coefs,
               char why[ERRLEN])
{
    struct strlist configs = { 0 };
    int fitted = 0;
    fail(why, "no measured rows of its kernels; measure them with spmv-profile -m all");
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++)
        fitted += fit_config(runs, t, kind, configs.v[i], coefs, why) == 0;
    strlist_free(&configs);
    return fitted ? 0 : FAIL;
}

/* --explain: P and I, and where the lines were drawn instead of the paper's I and P. */
static void explain(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    guo_explain(g, m, f);
    const size_t used = strlen(f->note), room = sizeof f->note - used;
    if (g->work != WORK_ROW_GROUP) {
        if (g->x1 != (double)form.x1)
            snprintf(f->note + used, room, "; E(I) was drawn at P = %.0f, in the paper at %" PRId64, g->x1, form.x1);
        return;
    }
    const enum guo_side side = m->row_mode <= g->threshold ? BELOW : ABOVE;
    if (g->at_strips[side] != form.strips || g->at_p[side] != form.p[side])
        snprintf(f->note + used, room,
                 "; the lines were drawn at I = %" PRId64 " and P = %" PRId64 ", in the paper at %" PRId64
                 " and %" PRId64 ": other cells were not measured",
                 g->at_strips[side], g->at_p[side], form.strips, form.p[side]);
}

static void predict(enum wang_kind kind, const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    const char *name = wang_name(kind);
    const struct wang_kernel *k = wang_kernel_of(config);
    struct target here = *t;
    struct guo2014 g;
    char text[CONFIG_LEN];
    int64_t n;
    config_print(config, text);
    if (!k) {
        forecast_refuse(f,
                        "%s is not supported by model %s: the paper has csr-vector:lanes=16, csr-scalar, ell and jad",
                        text, name);
        return;
    }
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (!coefs_find(&p->coefs, name, text, t, NULL, &n)) {
        forecast_refuse(f, "profile %s has no %s coefficients for %s, %s; measure them with spmv-profile -m all",
                        p->name, name, text, target_words(t).text);
        return;
    }
    here.device = p->device;
    begin(&g, k, config, &here);
    guo_read(p, name, text, t, &g);
    guo_time(&g, m, f);
    if (f->status != FORECAST_REFUSED)
        explain(&g, m, f);
}

static bool serves(const struct config *c) { return wang_kernel_of(c) != NULL; }

#define WANG_MODEL(id, KIND, text)                                                                           \
    static int fit_##id(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])  \
    {                                                                                                        \
        return fit(KIND, runs, t, c, why);                                                                   \
    }                                                                                                        \
    static void predict_##id(const struct profile *p, const struct features *m, const struct config *config, \
                             const struct target *t, struct forecast *f)                                     \
    {                                                                                                        \
        predict(KIND, p, m, config, t, f);                                                                   \
    }                                                                                                        \
    const struct model model_wang2017_##id = {                                                               \
        .name = "wang2017-" #id,                                                                             \
        .about = text,                                                                                       \
        .source = "Wang, Gu, Li: J. Computer and Communications 5(6), 2017",                                 \
        .literal = true,                                                                                     \
        .fit = fit_##id,                                                                                     \
        .serves = serves,                                                                                    \
        .predict = predict_##id,                                                                             \
    };

WANG_MODEL(constant, WANG_CONSTANT, "lines fitted to square matrices of constant row length, the paper's baseline")
WANG_MODEL(normal, WANG_NORMAL, "lines fitted to square matrices with normally drawn row lengths, as printed")
WANG_MODEL(uniform, WANG_UNIFORM, "lines fitted to square matrices with uniformly drawn row lengths, as printed")
WANG_MODEL(binomial, WANG_BINOMIAL, "lines fitted to square matrices with binomial row lengths (sprand of Matlab)")
