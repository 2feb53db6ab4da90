/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of cross-validated forecasts: crossvalidated, scores, ranking. */
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "papers/crossvalidated.h"

enum { POINTS = 40 }; /* of a distribution */

/* ---- crossvalidated */

/* Adds the quantiles of the errors of a model's forecasts, of all kernels or of one. */
static void put_distribution(const struct study *study, const struct words *w, const struct scores *s,
                             const struct score_series *series, struct table *out)
{
    const char *asked = words_get(w, "kernel"), *kernel = *asked ? asked : "all";
    double *error = xmalloc(sizeof *error * (unsigned long)(s->n + 1));
    int64_t n = 0;
    (void)study;

    for (int64_t i = 0; i < s->n; i++)
        if (s->one[i].near && series->of[i] && score_given(series->of[i])
            && (strcmp(kernel, "all") == 0 || strcmp(kernel, s->one[i].row->kernel) == 0))
            error[n++] = crossvalidated_error(s, series, i);
    stats_sort(error, n);
    for (int k = 0; n > 0 && k <= POINTS; k++) {
        const long row = table_add(out);
        table_set(out, row, "model", series->model);
        table_set(out, row, "kernel", kernel);
        table_set_real(out, row, "share_percent", 100.0 * k / POINTS, 4);
        table_set_real(out, row, "error_percent", stats_quantile(error, n, (double)k / POINTS), 3);
    }
    free(error);
}

static void run_crossvalidated(const struct study *s, const struct words *w, struct table *out)
{
    crossvalidated_each(s, w, out, put_distribution);
}

static const struct column crossvalidated_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("kernel", "kernel of the figure, or all"),
    REAL_COLUMN("share_percent", "%", "forecasts with at most this error, of configurations that near= selects"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|, by fits without the matrix's family"),
    COLUMNS_END,
};

const struct paper_measure measure_crossvalidated = {
    .name = "crossvalidated",
    .about =
        "quantiles of the errors of forecasts by fits without the matrix's family, of configurations within 2x of the best, or near=; by kernel or all",
    .keys = "models! kernel precision cache among near",
    .pairs = true,
    .columns = crossvalidated_columns,
    .run = run_crossvalidated,
};

/* ---- scores */

static void put_scores(const struct table *all, const struct words *w, long end, struct table *out)
{
    static const char *const columns[] = { "model", "median_percent",  "mean_percent",     "p90_percent",
                                           "pick",  "within5_percent", "within20_percent", "pick_worst" };

    for (long i = 0; i < all->nrows; i++) {
        if (!crossvalidated_wants(w, table_text(all, i, "model"), table_text(all, i, "training"))
            || !table_is(all, i, "state", "unknown") || crossvalidated_has(out, end, table_text(all, i, "model")))
            continue;
        const long row = table_add(out);
        for (unsigned long k = 0; k < sizeof columns / sizeof columns[0]; k++)
            table_copy_cell(out, row, columns[k], all, i, columns[k]);
        table_copy_cell(out, row, "kernel", all, i, "kernel");
        table_copy_cell(out, row, "cases", all, i, "near");
        table_copy_cell(out, row, "refused", all, i, "refused");
    }
}

static void run_scores(const struct study *s, const struct words *w, struct table *out)
{
    for (int a = 0; a < s->forecasts.n; a++) {
        const long end = out->nrows;
        struct scores scores;
        struct table all = { 0 };
        if (!crossvalidated_read(s, w, a, strcmp(words_get(w, "among"), "formats") == 0 ? "format" : "kernel", &scores))
            continue;
        scores_table(&scores, &all);
        put_scores(&all, w, end, out);
        table_free(&all);
        scores_free(&scores);
    }
    crossvalidated_note(s, out);
}

static const struct column scores_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("kernel", "kernel (among=formats: format), or all"),
    INT_COLUMN("cases", "", "forecasts of configurations within twice the best of their contest, or near="),
    INT_COLUMN("refused", "", "configurations that the model refuses"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1|, by fits without the matrix's family"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1|"),
    REAL_COLUMN("p90_percent", "%", "90th percentile of |forecast / measured - 1|"),
    REAL_COLUMN("pick", "", "best time / time of the pick (lowest forecast), both measured; mean"),
    REAL_COLUMN("within5_percent", "%", "picks at most 5 % slower than the best"),
    REAL_COLUMN("within20_percent", "%", "picks at most 20 % slower than the best"),
    REAL_COLUMN("pick_worst", "", "lowest best time / time of the pick"),
    COLUMNS_END,
};

const struct paper_measure measure_scores = {
    .name = "scores",
    .about = "errors and picks of cross-validated forecasts, by kernel or by format",
    .keys = "models! precision cache among near",
    .pairs = true,
    .columns = scores_columns,
    .run = run_scores,
};

/* ---- ranking */

static void put_ranking(const struct study *s, const struct words *w, const struct scores *scores,
                        const struct score_series *series, struct table *out)
{
    struct score_picks picks;
    (void)w;

    picks_make(&picks, scores, series);
    for (int64_t i = 0; i < scores->ncontests; i++) {
        const struct score_contest *contest = &scores->contest[i];
        if (picks.pick[i] < 0)
            continue;
        const struct case_row *pick = scores->one[picks.pick[i]].row;
        const double best_us = contest->best_us[STATE_UNKNOWN];
        const long row = crossvalidated_row(s, pick, series->model, out);
        table_set(out, row, "pick", pick->config);
        table_set_real(out, row, "pick_us", pick->measured_us, 4);
        table_set_real(out, row, "best_us", best_us, 4);
        measure_put_loss(pick->measured_us, best_us, out, row);
    }
    picks_free(&picks);
}

static void run_ranking(const struct study *s, const struct words *w, struct table *out)
{
    crossvalidated_each(s, w, out, put_ranking);
}

static const struct column ranking_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model, fitted without the matrix's family"),
    TEXT_COLUMN("pick", "configuration with the lowest forecast"),
    REAL_COLUMN("pick_us", "us", "measured time of the pick"),
    REAL_COLUMN("best_us", "us", "lowest measured time of the configurations that among= selects"),
    REAL_COLUMN("divergence_percent", "%", "time lost by the pick: pick_us / best_us - 1"),
    TEXT_COLUMN("bin", "divergence in three bins: < 5 %, 5 to 20 %, > 20 %"),
    COLUMNS_END,
};

const struct paper_measure measure_ranking = {
    .name = "ranking",
    .about =
        "picks of cross-validated forecasts among all configurations, those of formats.tsv (formats) or a selection; divergence: time of the pick / best time of these - 1",
    .keys = "models! precision cache among",
    .pairs = true,
    .columns = ranking_columns,
    .run = run_ranking,
};
