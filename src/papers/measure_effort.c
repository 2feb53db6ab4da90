/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of what a model costs: effort, and ranking-cost of each matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "papers/crossvalidated.h"
#include "table/tsv.h"

/* ---- effort */

static void run_effort(const struct study *s, const struct words *w, struct table *out)
{
    char *path = xasprintf("%s/effort.tsv", s->directory), why[ERRLEN];
    struct table all;
    (void)w;

    if (tsv_read_typed(&all, path, effort_table_columns, why) != 0)
        table_note(out, "%s", why);
    for (long i = 0; i < all.nrows; i++) {
        const long row = table_add(out);
        for (int k = 0; k < out->ncolumns; k++)
            table_copy_cell(out, row, out->column[k].name, &all, i, out->column[k].name);
    }
    table_free(&all);
    free(path);
}

static const struct column effort_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("precision", "f32 or f64"),
    INT_COLUMN("matrices", "", "matrices for which the model forecasts"),
    REAL_COLUMN("configs", "", "measured configurations per matrix, on average"),
    REAL_COLUMN("best_us", "us", "best measured time of a matrix; median over matrices"),
    REAL_COLUMN("fit_s", "s", "time to fit the model, for all targets and configurations"),
    REAL_COLUMN("fit_spmvs", "products", "fit_s in products: fit_s / best_us"),
    REAL_COLUMN("forecast_spmvs", "products",
                "time to forecast one configuration / best measured time of the matrix; median"),
    REAL_COLUMN("rank_spmvs", "products", "time to forecast all of a matrix / its best measured time; median"),
    COLUMNS_END,
};

const struct paper_measure measure_effort = {
    .name = "effort",
    .about =
        "time to fit, to forecast one configuration and to rank all of a matrix, in products of its best configuration (archived "
        "output of spmv-verify --table effort: DIRECTORY/effort.tsv)",
    .keys = "",
    .columns = effort_columns,
    .run = run_effort,
};

/* ---- ranking-cost */

/* Returns the time of one forecast of a model in effort.tsv, "A+B" by the kernel; NaN: not there. */
static double forecast_us(const struct table *effort, const char *model, const char *kernel, const char *precision)
{
    char *part = crossvalidated_part(model, kernel);
    double us = NAN;

    for (long i = 0; i < effort->nrows && isnan(us); i++)
        if (table_is(effort, i, "model", part) && table_is(effort, i, "precision", precision))
            us = table_real(effort, i, "forecast_us");
    free(part);
    return us;
}

/* Is this the first of the contest's selected rows that has its format? */
static bool first_of_format(const struct study *s, const struct words *w, const struct contests *c,
                            const struct contest *one, int64_t at)
{
    const char *format = measure_format(s, c->row[at]);

    for (int64_t i = one->first; i < at; i++)
        if (measure_among(s, words_get(w, "among"), c->row[i]) && strcmp(measure_format(s, c->row[i]), format) == 0)
            return false;
    return *format != 0;
}

static void put_cost(const struct study *s, const struct words *w, const struct contests *c, const struct contest *one,
                     const char *model, const struct table *effort, struct table *out)
{
    double best_us = INFINITY, rank_us = 0, formats_us = 0;
    int64_t configs = 0, formats = 0;

    for (int64_t i = one->first; i < one->end; i++) {
        const struct run_row *r = c->row[i];
        if (!measure_among(s, words_get(w, "among"), r))
            continue;
        const double us = forecast_us(effort, model, r->kernel, precision_name(r->precision));
        const bool new = first_of_format(s, w, c, one, i);
        best_us = fmin(best_us, r->time_us);
        rank_us += us;
        formats_us += new ? us : 0;
        configs++;
        formats += new;
    }
    if (configs == 0 || isnan(rank_us))
        return;
    const long row = measure_row(s, w, one, out);
    table_set(out, row, "model", model);
    table_set_real(out, row, "best_us", best_us, 4);
    table_set_int(out, row, "configs", configs);
    table_set_real(out, row, "rank_us", rank_us, 4);
    table_set_real(out, row, "rank_spmvs", rank_us / best_us, 4);
    table_set_int(out, row, "formats", formats);
    table_set_real(out, row, "formats_spmvs", formats_us / best_us, 4);
}

static void put_costs(const struct study *s, const struct words *w, const struct contests *c, const char *model,
                      const struct table *effort, struct table *out)
{
    for (int64_t i = 0; i < c->n; i++)
        if (measure_wants(s, w, &c->one[i]))
            put_cost(s, w, c, &c->one[i], model, effort, out);
}

static void run_cost(const struct study *s, const struct words *w, struct table *out)
{
    char *path = xasprintf("%s/effort.tsv", s->directory), *models = xstrdup(words_get(w, "models")), *rest = models,
         *model, why[ERRLEN];
    struct table effort;
    struct contests c;

    if (tsv_read_typed(&effort, path, effort_table_columns, why) != 0)
        table_note(out, "%s", why);
    else if (measure_contests(s, w, "matrix", &c, out))
        while ((model = strsep(&rest, ",")))
            put_costs(s, w, &c, model, &effort, out);
    table_free(&effort);
    free(models);
    free(path);
}

static const struct column cost_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model"),
    REAL_COLUMN("best_us", "us", "lowest measured time of the configurations that among= selects"),
    INT_COLUMN("configs", "", "number of these configurations"),
    REAL_COLUMN("rank_us", "us", "time to forecast all of them, one after another: sum of the times of one forecast"),
    REAL_COLUMN("rank_spmvs", "products", "rank_us / best_us"),
    INT_COLUMN("formats", "", "number of their formats"),
    REAL_COLUMN("formats_spmvs", "products", "time to forecast one configuration of each format / best_us"),
    COLUMNS_END,
};

const struct paper_measure measure_ranking_cost = {
    .name = "ranking-cost",
    .about =
        "time to rank the configurations of each matrix, in products of the best one; time of one forecast: median over matrices, from "
        "DIRECTORY/effort.tsv, of a model \"A+B\" by the format",
    .keys = "models! among!",
    .columns = cost_columns,
    .rows = true,
    .pairs = true,
    .run = run_cost,
};
