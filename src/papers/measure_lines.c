/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures slopes and columns: the stored lines of guo2014 and wang2017. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "formats/config.h"
#include "models/cells.h"
#include "papers/fitted_lines.h"
#include "speed/pairing.h"

/* ---- slopes */

/* Least squares through the cells of one number of strips, as the fit draws it. Returns the number of cells; *slope NaN: under two. */
static long slope_at(const struct table *cells, double strips, double *slope, double *fit)
{
    double *p = xmalloc(2 * ((unsigned long)cells->nrows + 1) * sizeof *p), *us = p + cells->nrows + 1, start;
    long n = 0;

    *slope = *fit = NAN;
    for (long i = 0; i < cells->nrows; i++)
        if (table_real(cells, i, "strips") == strips) {
            p[n] = table_real(cells, i, "p");
            us[n++] = table_real(cells, i, "measured_us");
            *fit = table_real(cells, i, "fit_us");
        }
    if (n < 2 || stats_line(p, us, NULL, n, &start, slope) != 0)
        *slope = NAN;
    free(p);
    return n;
}

static void run_slopes(const struct study *s, const struct words *w, struct table *out)
{
    struct words lines = *w;
    struct table cells = { 0 };

    snprintf(lines.word[lines.n].key, sizeof lines.word[0].key, "line");
    snprintf(lines.word[lines.n++].value, sizeof lines.word[0].value, "f");
    table_begin(&cells, measure_grid.columns);
    measure_grid.run(s, &lines, &cells);
    for (int strips = 1; strips <= GUO_STRIPS; strips++) {
        double slope, fit;
        const long n = slope_at(&cells, strips, &slope, &fit);
        if (isnan(slope))
            continue;
        const long row = table_add(out);
        table_set_int(out, row, "strips", strips);
        table_set_int(out, row, "cells", n);
        table_set_real(out, row, "slope_us", slope, 4);
        table_set_real(out, row, "fit_us", fit, 4);
    }
    if (out->nrows == 0)
        table_note(out, "not measured: no two benchmark matrices of one number of strips");
    table_free(&cells);
}

static const struct column slopes_columns[] = {
    INT_COLUMN("strips", "", "I: rows / rows that the device works on at once"),
    INT_COLUMN("cells", "", "measured benchmark matrices with so many strips"),
    REAL_COLUMN("slope_us", "us/entry", "slope of the line through their times against the entries per row P"),
    REAL_COLUMN("fit_us", "us/entry", "the stored line f(I) through the slopes"),
    COLUMNS_END,
};

const struct paper_measure measure_slopes = {
    .name = "slopes",
    .about =
        "a thread per row: the slopes of time against entries per row, by the number of strips, and the stored line f(I)",
    .keys = "model! config! kind p precision cache",
    .columns = slopes_columns,
    .run = run_slopes,
};

/* ---- columns */

static void put_width(const struct study *s, const struct run_row *r, struct table *out)
{
    const struct matrix_row *facts;
    const struct features *f = runs_features(&s->runs, r->source_id, &facts);
    const int64_t bytes = f->cols * precision_bytes((enum precision)r->precision);
    const long row = table_add(out);

    table_set(out, row, "precision", precision_name(r->precision));
    table_set_int(out, row, "rows", f->rows);
    table_set_int(out, row, "p", f->row_max);
    table_set_int(out, row, "cols", f->cols);
    table_set(out, row, "place", strstr(facts->recipe, "place=band") ? "band" : "random");
    table_set(out, row, "x", bytes <= s->profile->device.l2_bytes ? "within the L2" : "beyond the L2");
    table_set_real(out, row, "measured_us", r->time_us, 5);
}

/* Returns the time of as many rows with the fewest columns. */
static double narrowest_us(const struct table *out, long row)
{
    double cols = INFINITY, us = NAN;

    for (long i = 0; i < out->nrows; i++)
        if (table_is(out, i, "rows", table_number(out, row, "rows").text) && table_real(out, i, "cols") < cols) {
            cols = table_real(out, i, "cols");
            us = table_real(out, i, "measured_us");
        }
    return us;
}

/* Is it a matrix of constant rows that was made to vary the columns: of the grid (gather), or given by hand (user, or no role)? */
static bool varies_columns(const struct words *w, const struct matrix_row *facts, const struct features *f)
{
    const char *place = *words_get(w, "place") ? words_get(w, "place") : "random";
    char placed[24];

    snprintf(placed, sizeof placed, "place=%s,", place);
    return words_have("gather||user", facts->recipe_role) && strncmp(facts->recipe, "constant:", 9) == 0
           && strstr(facts->recipe, placed) && f->cols != f->rows
           && words_list_number(words_get(w, "p"), (double)f->row_max);
}

static void run_columns(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "benchmark", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++)
        for (int64_t k = c.one[i].first; k < c.one[i].end; k++) {
            const struct matrix_row *facts;
            const struct features *f = runs_features(&s->runs, c.row[k]->source_id, &facts);
            if (varies_columns(w, facts, f) && selection_matches(words_get(w, "config"), c.row[k]))
                put_width(s, c.row[k], out);
        }
    for (long i = 0; i < out->nrows; i++)
        table_set_real(out, i, "ratio", table_real(out, i, "measured_us") / narrowest_us(out, i), 4);
    if (out->nrows == 0)
        table_note(out, "not measured: no benchmark matrices of equal rows and different columns");
}

static const struct column columns_columns[] = {
    TEXT_COLUMN("precision", "f32 or f64"),
    INT_COLUMN("rows", "", "rows of the benchmark matrix"),
    INT_COLUMN("p", "", "P: entries per row"),
    INT_COLUMN("cols", "", "C: columns of the benchmark matrix"),
    TEXT_COLUMN("place", "placement of the columns: band or random"),
    TEXT_COLUMN("x", "does x fit into the L2: within the L2 or beyond the L2"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("ratio", "x", "measured time / that of as many rows with the fewest columns"),
    COLUMNS_END,
};

const struct paper_measure measure_columns = {
    .name = "columns",
    .about = "benchmark matrices of equal rows and entries per row that differ in their number of columns alone",
    .keys = "config! p! place precision cache",
    .columns = columns_columns,
    .run = run_columns,
};
