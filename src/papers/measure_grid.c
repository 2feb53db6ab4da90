/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of the benchmark matrices of a model: grid, dense. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "models/cells.h"
#include "papers/measure_table.h"
#include "speed/pairing.h"

/* Is the number in a list "4,16,64"? An empty list has all. */
static bool listed(const char *list, double value)
{
    char *copy = xstrdup(list), *rest = copy, *item;
    bool found = !*list;

    while ((item = strsep(&rest, ","))) {
        double v;
        found = found || (parse_real(item, -INFINITY, INFINITY, &v) == 0 && fabs(v - value) < 1e-9 * fabs(value));
    }
    free(copy);
    return found;
}

/* What the cell is to the fit. An anchor is a time that the model is solved for: the fit returns it to the last digits, so
 * it is no test of the model. */
static const char *cell_kind(const struct forecast *f, double measured_us)
{
    enum { DIGITS = 9 };

    return f->status == FORECAST_REFUSED                              ? "refused"
           : measure_error(f, measured_us) < 100 * pow(10, -DIGITS)   ? "anchor"
           : f->status == FORECAST_EXTRAPOLATED                       ? "beyond"
                                                                      : "test";
}

/* Adds a row with measured and forecast time. */
static long put_cell(const struct study *s, const struct words *w, const struct run_row *r, struct table *out)
{
    const long row = table_add(out);
    struct forecast f;

    study_forecast(s, model_find(words_get(w, "model")), r, &f);
    table_set(out, row, "precision", r->precision);
    table_set_real(out, row, "measured_us", r->time_us, 4);
    table_set_real(out, row, "forecast_us", f.status == FORECAST_REFUSED ? NAN : 1e6 * f.time_s, 4);
    table_set_real(out, row, "error_percent", measure_error(&f, r->time_us), 3);
    table_set(out, row, "cell", cell_kind(&f, r->time_us));
    return row;
}

/* Was the cell made for the strip of this configuration? (Configurations that differ in rows per group have cells of their own.) */
static bool is_of_strip(const struct study *s, const struct matrix_row *facts, const struct run_row *r)
{
    const struct target t = study_target(s, r);
    struct config c, resolved;
    char why[ERRLEN];

    if (config_parse(r->config, &c, why) != 0
        || config_resolve(&c, runs_features(&s->runs, r->source_id, NULL), &t, &resolved, why) != 0)
        return false;
    const double strips = (double)facts->rows / (double)cells_strip(&resolved, &s->profile->device);
    return !(facts->strips_i > 0) || fabs(strips / facts->strips_i - 1) < 0.01;
}

static void put_grid(const struct study *s, const struct words *w, const struct contests *c, const struct contest *one,
                     const struct run_row *r, struct table *out)
{
    const struct matrix_row *facts;
    (void)c;

    runs_features(&s->runs, r->source_id, &facts);
    if (strcmp(facts->recipe_role, *words_get(w, "role") ? words_get(w, "role") : "literal") != 0
        || strncmp(facts->recipe, words_get(w, "kind"), strlen(words_get(w, "kind"))) != 0
        || !config_listed(facts->kernels, r->config) || !listed(words_get(w, "i"), facts->strips_i)
        || !listed(words_get(w, "p"), (double)facts->per_row_p) || !is_of_strip(s, facts, r))
        return;
    const long row = put_cell(s, w, r, out);
    table_set_int(out, row, "rows", one->features->rows);
    table_set_int(out, row, "cols", one->features->cols);
    table_set_real(out, row, "strips", facts->strips_i, 6);
    table_set_int(out, row, "p", facts->per_row_p);
    table_set_int(out, row, "nnz", one->features->nnz);
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

#define CELL_COLUMN                                                                                           \
    TEXT_COLUMN("cell", "anchor: a time that the fit is solved for; test: inside the range of the fit; beyond: " \
                        "outside it; refused: no forecast")

static void run_grid(const struct study *s, const struct words *w, struct table *out) { each_row(s, w, out, put_grid); }

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
    COLUMNS_END,
};

const struct paper_measure measure_grid = {
    .name = "grid",
    .about =
        "times of a model's benchmark matrices against its fit; i, p: only these numbers of strips and entries per row",
    .keys = "model! config! i p role kind precision cache",
    .columns = grid_columns,
    .run = run_grid,
};

static void put_dense(const struct study *s, const struct words *w, const struct contests *all,
                      const struct contest *one, const struct run_row *r, struct table *out)
{
    const struct matrix_row *facts;
    struct config c;
    char why[ERRLEN];

    runs_features(&s->runs, r->source_id, &facts);
    if (strncmp(facts->recipe, "dense:", 6) != 0 || config_parse(r->config, &c, why) != 0)
        return;
    const int64_t height = config_int(&c, "r"), width = config_int(&c, "c"),
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
