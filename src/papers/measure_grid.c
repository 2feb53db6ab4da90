/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of the benchmark matrices of a model: grid, dense. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "papers/fitted_lines.h"
#include "speed/pairing.h"

/* What the cell is to the fit. An anchor is a time that the model is solved for: the fit returns it to the last digits, so
 * it is no test of the model. */
static const char *cell_kind(const struct forecast *f, double measured_us)
{
    enum { DIGITS = 9 };

    return f->status == FORECAST_REFUSED                            ? "refused"
           : measure_error(f, measured_us) < 100 * pow(10, -DIGITS) ? "anchor"
           : f->status == FORECAST_EXTRAPOLATED                     ? "beyond"
                                                                    : "test";
}

/* Adds a row with measured and forecast time. */
static long put_cell(const struct study *s, const struct words *w, const struct run_row *r, struct table *out)
{
    const long row = table_add(out);
    struct forecast f;

    study_forecast(s, model_find(words_get(w, "model")), r, &f);
    table_set(out, row, "precision", precision_name(r->precision));
    table_set_real(out, row, "measured_us", r->time_us, 4);
    table_set_real(out, row, "forecast_us", f.status == FORECAST_REFUSED ? NAN : 1e6 * f.time_s, 4);
    table_set_real(out, row, "error_percent", measure_error(&f, r->time_us), 3);
    table_set(out, row, "cell", cell_kind(&f, r->time_us));
    return row;
}

static const char *role_of(const struct words *w) { return *words_get(w, "role") ? words_get(w, "role") : "literal"; }

/* Returns the strips of the cell, counted in strips of this configuration; NaN: the cell of a literal grid was made for other strips.
 * Configurations share cells: I = 1 of half a warp per row is I = 2 of a warp per row. */
static double strips_of(const struct words *w, const struct matrix_row *facts, const struct fitted *g)
{
    const double strips = (double)facts->rows / (double)g->lines.strip;
    const bool whole = fabs(strips - round(strips)) < 0.01 && strips > 0.5;

    return whole ? round(strips) : strcmp(role_of(w), "literal") == 0 ? (double)NAN : strips;
}

/* Has the cell a size of guo2014's grid? Other grids have matrices of these sizes, too. */
static bool has_size_of_guo2014(const struct words *w, const struct matrix_row *facts, double strips)
{
    return strcmp(words_get(w, "model"), "guo2014") == 0 && strips <= GUO_STRIPS && strips == round(strips)
           && guo_literal_p(facts->per_row_p);
}

/* Is the cell on the grid of the paper? */
static bool is_literal(const struct words *w, const struct matrix_row *facts, double strips)
{
    return strcmp(role_of(w), "literal") == 0 || has_size_of_guo2014(w, facts, strips);
}

/* A matrix of several grids is in the archive with the role that it has in one of them. */
static bool is_of_role(const struct words *w, const struct matrix_row *facts, double strips)
{
    return strcmp(facts->recipe_role, role_of(w)) == 0
           || (strcmp(role_of(w), "literal") == 0 && strcmp(facts->place, "band") == 0
               && has_size_of_guo2014(w, facts, strips));
}

/* Sets what the fit of the model says about the cell. */
static void set_fit(const struct study *s, const struct words *w, const struct fitted *g, const struct run_row *r,
                    const struct cell_at *at, long row, struct table *out)
{
    const struct target t = study_target(s, r);

    table_set_real(out, row, "fit_us", 1e6 * fitted_at(g, words_get(w, "line"), at), 4);
    table_set_real(out, row, "fit_error_percent", 100 * fabs(1e6 * fitted_at(g, "surface", at) / r->time_us - 1), 3);
    table_set(out, row, "regime",
              t.cache == COLD ? footprint_name(STREAMING)
                              : footprint_name(footprint_class(&t.device, r->footprint_bytes)));
    table_set(out, row, "in_fit", fitted_use(g, at));
}

static void put_grid(const struct study *s, const struct words *w, const struct contests *c, const struct contest *one,
                     const struct run_row *r, struct table *out)
{
    const struct matrix_row *facts;
    struct fitted g;
    (void)c;

    runs_features(&s->runs, r->source_id, &facts);
    if (strncmp(facts->recipe, words_get(w, "kind"), strlen(words_get(w, "kind"))) != 0
        || (*words_get(w, "place") && strcmp(facts->place, words_get(w, "place")) != 0)
        || !config_listed(facts->kernels, r->config) || !words_list_number(words_get(w, "p"), (double)facts->per_row_p)
        || !fitted_read(s, words_get(w, "model"), r, &g))
        return;
    const double strips = strips_of(w, facts, &g);
    if (isnan(strips) || !words_list_number(words_get(w, "i"), strips) || !is_of_role(w, facts, strips))
        return;
    const struct cell_at at = { strips, facts->per_row_p, is_literal(w, facts, strips) };
    const long row = put_cell(s, w, r, out);
    table_set_int(out, row, "rows", one->features->rows);
    table_set_int(out, row, "cols", one->features->cols);
    table_set_real(out, row, "strips", strips,
                   strips == round(strips) && strips < 1000 ? 1 + (strips >= 10) + (strips >= 100) : 6);
    table_set_int(out, row, "p", facts->per_row_p);
    table_set_int(out, row, "nnz", one->features->nnz);
    set_fit(s, w, &g, r, &at, row, out);
}

/* Calls put for each measured row of a benchmark matrix that the configuration matches. */
static void each_row(const struct study *s, const struct words *w, struct table *out,
                     void (*put)(const struct study *, const struct words *, const struct contests *,
                                 const struct contest *, const struct run_row *, struct table *))
{
    struct contests c;

    if (!measure_contests(s, w, "benchmark", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++)
        for (int64_t k = c.one[i].first; k < c.one[i].end; k++)
            if (selection_matches(words_get(w, "config"), c.row[k]))
                put(s, w, &c, &c.one[i], c.row[k], out);
}

#define CELL_COLUMN                                                                                              \
    TEXT_COLUMN("cell", "anchor: a time that the fit is solved for; test: inside the range of the fit; beyond: " \
                        "outside it; refused: no forecast")

static const struct column grid_columns[] = {
    TEXT_COLUMN("precision", "f32 or f64"),
    INT_COLUMN("rows", "", "rows of the benchmark matrix"),
    INT_COLUMN("cols", "", "columns of the benchmark matrix"),
    REAL_COLUMN("strips", "", "I: rows / rows that the device works on at once"),
    INT_COLUMN("p", "", "P: entries per row; 0: not constant"),
    INT_COLUMN("nnz", "", "nonzeros of the benchmark matrix"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("forecast_us", "us", "forecast of the model; none: refused"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|"),
    CELL_COLUMN,
    REAL_COLUMN("fit_us", "us",
                "the stored line that the parameter line names, at this cell; none: it is not drawn here"),
    REAL_COLUMN("fit_error_percent", "%",
                "|fit / measured - 1| of all lines together, looked up by the strips and the P that label the cell"),
    TEXT_COLUMN("regime", "resident, mixed or streaming: CSR, x and y against the L2"),
    TEXT_COLUMN("in_fit", "line: a line is drawn through the cell; slope: only a slope uses it; none: no line uses it"),
    COLUMNS_END,
};

/* Is row b after row a: by strips, then entries per row? */
static bool is_after(const struct table *t, long a, long b)
{
    const double i = table_real(t, a, "strips"), k = table_real(t, b, "strips");

    return i < k || (i <= k && table_real(t, a, "p") <= table_real(t, b, "p"));
}

static void run_grid(const struct study *s, const struct words *w, struct table *out)
{
    struct table cells = { 0 };

    table_begin(&cells, grid_columns);
    each_row(s, w, &cells, put_grid);
    long *order = xmalloc(sizeof *order * ((unsigned long)cells.nrows + 1));
    for (long i = 0, at; i < cells.nrows; i++) {
        for (at = i; at > 0 && !is_after(&cells, order[at - 1], i); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (long i = 0; i < cells.nrows; i++)
        table_copy_row(out, &cells, order[i]);
    table_copy_notes(out, &cells);
    free(order);
    table_free(&cells);
}

const struct paper_measure measure_grid = {
    .name = "grid",
    .about =
        "times of a model's benchmark matrices against its fit; i, p: only these numbers of strips and entries per row",
    .keys = "model! config! i p role kind place line precision cache",
    .columns = grid_columns,
    .run = run_grid,
};

static void put_dense(const struct study *s, const struct words *w, const struct contests *all,
                      const struct contest *one, const struct run_row *r, struct table *out)
{
    const struct matrix_row *facts;
    const struct config *c = config_known(r->config, NULL);

    runs_features(&s->runs, r->source_id, &facts);
    if (strncmp(facts->recipe, "dense:", 6) != 0 || !c)
        return;
    const int64_t height = config_int(c, "r"), width = config_int(c, "c"),
                  n = (one->features->cols + width - 1) / width;
    const int64_t block_rows = (one->features->rows + height - 1) / height;
    const long row = put_cell(s, w, r, out);
    table_set_int(out, row, "block_rows", block_rows);
    table_set_int(out, row, "thread_blocks", r->blocks);
    table_set_int(out, row, "n", n);
    table_set_real(out, row, "percent_of_peak",
                   100 * 2e-3 * (double)one->features->nnz / r->time_us / measure_peak_gflops(all, r), 3);
}

static void run_dense(const struct study *s, const struct words *w, struct table *out)
{
    each_row(s, w, out, put_dense);
}

static const struct column dense_columns[] = {
    TEXT_COLUMN("precision", "f32 or f64"),
    INT_COLUMN("block_rows", "", "block rows of the dense matrix: rows / r of the configuration, rounded up"),
    INT_COLUMN("thread_blocks", "", "thread blocks of the main launch"),
    INT_COLUMN("n", "", "blocks in a block row: columns / c of the configuration, rounded up"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("forecast_us", "us", "forecast of the model; none: refused"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|"),
    CELL_COLUMN,
    REAL_COLUMN("percent_of_peak", "% of the estimated peak",
                "speed / (2 flops x highest measured rate of the footprint class / bytes of a value)"),
    COLUMNS_END,
};

const struct paper_measure measure_dense = {
    .name = "dense",
    .about =
        "dense matrices in a format of blocks: times against a model, by thread blocks and by n, the blocks in a block row",
    .keys = "model! config! precision cache",
    .columns = dense_columns,
    .run = run_dense,
};
