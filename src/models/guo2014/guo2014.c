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
 * Fit: the lines of section 3.5 by unweighted least squares, as printed, to the literal benchmark grid (3.2.2) of
 * I = 1..10 strips and constant row length P. A line with too few measured cells stays unfitted.
 * Inferred, not in the paper: csr-scalar as thread per row, csr-block as a row group of its block's threads, and parts
 * of HYB other than the paper's. */
#include "models/guo2014/guo2014.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"

static const char name[] = "guo2014";

enum { COO_STEP = 10, COO_MAX = 100 };
const struct guo_form guo_literal = { .strips = 5, .p = { 4, 0 }, .x1 = 4 };

bool guo_literal_p(int64_t p)
{
    for (int64_t v = 4; v <= p; v *= v < 1024 ? 4 : 2)
        if (v == p)
            return true;
    return false;
}

static bool on_grid(const struct cell *c, const struct guo2014 *g)
{
    if (c->rows % g->strip || c->rows / g->strip > GUO_STRIPS)
        return false;
    if (g->work == WORK_ENTRIES)
        return c->rows == g->strip && c->p % COO_STEP == 0 && c->p <= COO_MAX;
    return guo_literal_p(c->p);
}

static int fit_config(const struct runs *runs, const struct target *t, const char *config, struct guo2014 *g,
                      struct guo_report *report, char why[ERRLEN])
{
    struct config c;
    struct cells cells;
    const struct features none = { .rows = 0 }; /* no feature is used: composites are not fitted */
    memset(report, 0, sizeof *report);
    if (config_resolve_text(config, &none, t, &c, why) != 0)
        return FAIL;
    guo_begin(g, c.kernel->work, &c, t);
    cells_find(runs, t, config, &cells, &report->unused);
    struct guo_points points = { 0, xmalloc((unsigned long)(cells.n + 1) * sizeof *points.at) };
    for (int64_t i = 0; i < cells.n; i++) {
        if (on_grid(&cells.cell[i], g))
            points.at[points.n++] =
                (struct guo_point){ cells.cell[i].rows / g->strip, cells.cell[i].p, cells.cell[i].time_s };
        else
            report->unused++;
    }
    int rc =
        guo_fit_lines(&guo_literal, &points, g)
            ? 0
            : fail(why,
                   "%s: too few cells of the guo2014 grid: %" PRId64 " measured (I = 1..10 strips of %" PRId64 " rows, "
                   "P = 4, 16, 64, ... in a band); measure them with spmv-profile -m all",
                   config, points.n, g->strip);
    if (rc == 0)
        guo_errors(&points, g, report);
    free(points.at);
    cells_free(&cells);
    return rc;
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
        if (fit_config(runs, t, configs.v[i], &g, &report, why) == 0) {
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
