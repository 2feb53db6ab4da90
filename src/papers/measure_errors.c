/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of the errors of cross-validated forecasts: errors, of each case; matrix-errors, of each matrix. */
#include <math.h>
#include <stdlib.h>
#include "base/stats.h"
#include "papers/crossvalidated.h"

/* ---- errors */

static void put_errors(const struct study *s, const struct words *w, const struct scores *scores,
                       const struct score_series *series, struct table *out)
{
    (void)w;

    for (int64_t i = 0; i < scores->n; i++) {
        const struct case_row *c = scores->one[i].row;
        const bool given = score_given(series->of[i]);
        if (!series->of[i] || !scores->one[i].near)
            continue;
        const long row = crossvalidated_row(s, c, series->model, out);
        table_set(out, row, "config", c->config);
        table_set(out, row, "kernel", c->kernel);
        table_set(out, row, "format", crossvalidated_format(s, c));
        table_set(out, row, "fitted_by", crossvalidated_fitted_by(c));
        table_set_int(out, row, "nnz", c->nnz);
        table_set(out, row, "class", c->footprint);
        table_set_real(out, row, "measured_us", c->measured_us, 4);
        table_set(out, row, "refused", given ? "no" : "yes");
        if (given)
            table_set_real(out, row, "error_percent", crossvalidated_error(scores, series, i), 4);
    }
}

static void run_errors(const struct study *s, const struct words *w, struct table *out)
{
    crossvalidated_each(s, w, out, put_errors);
}

static const struct column errors_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model, fitted without the matrix's family"),
    TEXT_COLUMN("config", "configuration"),
    TEXT_COLUMN("kernel", "its kernel"),
    TEXT_COLUMN("format", "its format in formats.tsv"),
    TEXT_COLUMN("fitted_by", "what lehnert2016 fits to the format: lines or trees; empty: it has no such format"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("class", "footprint class: resident, mixed or streaming"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    TEXT_COLUMN("refused", "yes: the model gives no time"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|"),
    COLUMNS_END,
};

const struct paper_measure measure_errors = {
    .name = "errors",
    .about = "error of each cross-validated forecast, of configurations within 2x of the best, or near=",
    .keys = "models! precision cache among near",
    .columns = errors_columns,
    .pairs = true,
    .run = run_errors,
};

/* ---- matrix-errors */

/* Adds the row of one contest, i.e. matrix. error: room for its cases. */
static void put_matrix(const struct study *s, const struct scores *scores, const struct score_series *series,
                       const struct score_contest *contest, double *error, struct table *out)
{
    int64_t n = 0, refused = 0;

    for (int64_t i = contest->first; i < contest->end; i++) {
        if (!series->of[i] || !scores->one[i].near)
            continue;
        if (score_given(series->of[i]))
            error[n++] = crossvalidated_error(scores, series, i);
        else
            refused++;
    }
    if (n + refused == 0)
        return;
    const long row = crossvalidated_row(s, scores->one[contest->first].row, series->model, out);
    table_set_int(out, row, "cases", n);
    table_set_int(out, row, "refused", refused);
    if (n == 0)
        return;
    stats_sort(error, n);
    table_set_real(out, row, "median_percent", stats_quantile(error, n, 0.5), 4);
    table_set_real(out, row, "mean_percent", stats_mean(error, n), 4);
    table_set_real(out, row, "worst_percent", error[n - 1], 4);
}

static void put_matrices(const struct study *s, const struct words *w, const struct scores *scores,
                         const struct score_series *series, struct table *out)
{
    double *error = xmalloc(sizeof *error * (unsigned long)(scores->n + 1));
    (void)w;

    for (int64_t i = 0; i < scores->ncontests; i++)
        put_matrix(s, scores, series, &scores->contest[i], error, out);
    free(error);
}

static void run_matrices(const struct study *s, const struct words *w, struct table *out)
{
    crossvalidated_each(s, w, out, put_matrices);
}

static const struct column matrices_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model, fitted without the matrix's family"),
    INT_COLUMN("cases", "", "configurations with a forecast"),
    INT_COLUMN("refused", "", "configurations that the model refuses"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1| over these configurations"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1|"),
    REAL_COLUMN("worst_percent", "%", "greatest |forecast / measured - 1|"),
    COLUMNS_END,
};

const struct paper_measure measure_matrix_errors = {
    .name = "matrix-errors",
    .about =
        "median and mean error of the cross-validated forecasts of each matrix, of configurations within 2x of the best, or near=",
    .keys = "models! precision cache among near",
    .columns = matrices_columns,
    .pairs = true,
    .run = run_matrices,
};
