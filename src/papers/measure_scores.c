/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of cross-validated forecasts: crossvalidated, scores, ranking; and effort, what a model costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "papers/measure_table.h"
#include "table/tsv.h"
#include "verify/scores.h"

enum { POINTS = 40 }; /* of a distribution */

/* Reads the cases of an archive of forecasts: precision and cache state of the parameters, launched in a graph. */
static void read_scores(const struct study *s, const struct words *w, int archive, const char *by,
                        struct scores *scores)
{
    static struct strlist models, precisions, caches, launches; /* the scores refer to them */
    static struct score_choice choice;
    const char *precision = words_get(w, "precision"), *own = paper_about(s->paper, "precision");

    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    models = precisions = caches = launches = (struct strlist){ 0 };
    if (strcmp(precision, "both") != 0)
        strlist_add(&precisions, *precision ? precision : *own ? own : precision_name(F32));
    strlist_add(&caches, *words_get(w, "cache") ? words_get(w, "cache") : cache_name(WARM));
    strlist_add(&launches, launch_name(GRAPH));
    choice = (struct score_choice){ &models, &precisions, &caches, &launches, "crossvalidated", score_grouping_find(by),
                                    NULL,    false };
    scores_read(scores, s->forecasts.v[archive], &choice);
}

/* Is a model of the list, fitted to all matrices? */
static bool is_wanted(const struct words *w, const char *model, const char *training)
{
    char *copy = xstrdup(words_get(w, "models")), *rest = copy, *name;
    bool found = false;

    while ((name = strsep(&rest, ",")))
        found = found || strcmp(name, model) == 0;
    free(copy);
    return found && strcmp(training, "all") == 0;
}

/* Has the table rows of this model? (Two archives can have the same rival.) */
static bool has_model(const struct table *out, long end, const char *model)
{
    for (long row = 0; row < end; row++)
        if (table_is(out, row, "model", model))
            return true;
    return false;
}

static void note_none(const struct study *s, struct table *out)
{
    if (s->forecasts.n == 0)
        table_note(out, "no archive of cross-validated forecasts (spmv-fit --crossvalidate makes one)");
    else if (out->nrows == 0)
        table_note(out, "the archives have no cross-validated forecasts of these models");
}

/* ---- crossvalidated */

static double error_of(const struct scores *s, const struct score_series *series, int64_t i)
{
    return 100 * fabs(((double)series->of[i]->time_us + s->archive.state_us) / s->one[i].row->measured_us - 1);
}

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
            error[n++] = error_of(s, series, i);
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

/* Calls put for each model of the list, from the first archive that has it. */
static void each_model(const struct study *s, const struct words *w, struct table *out,
                       void (*put)(const struct study *, const struct words *, const struct scores *,
                                   const struct score_series *, struct table *))
{
    for (int a = 0; a < s->forecasts.n; a++) {
        const long end = out->nrows;
        struct scores scores;
        read_scores(s, w, a, "model", &scores);
        for (int i = 0; i < scores.nseries; i = scores_series_end(&scores, i))
            if (is_wanted(w, scores.series[i].model, scores.series[i].training)
                && !has_model(out, end, scores.series[i].model))
                put(s, w, &scores, &scores.series[i], out);
        scores_free(&scores);
    }
    note_none(s, out);
}

static void run_crossvalidated(const struct study *s, const struct words *w, struct table *out)
{
    each_model(s, w, out, put_distribution);
}

static const struct column crossvalidated_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("kernel", "kernel of the figure, or all"),
    REAL_COLUMN("share_percent", "%", "forecasts with at most this error, of configurations near the best"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|, by fits without the matrix's family"),
    COLUMNS_END,
};

const struct paper_measure measure_crossvalidated = {
    .name = "crossvalidated",
    .about =
        "quantiles of the errors of forecasts by fits without the matrix's family, of configurations within 2x of the best",
    .keys = "models! kernel precision cache",
    .columns = crossvalidated_columns,
    .run = run_crossvalidated,
};

/* ---- scores */

static void put_scores(const struct table *all, const struct words *w, long end, struct table *out)
{
    static const char *const columns[] = { "model", "median_percent",  "mean_percent",     "p90_percent",
                                           "pick",  "within5_percent", "within20_percent", "pick_worst" };

    for (long i = 0; i < all->nrows; i++) {
        if (!is_wanted(w, table_text(all, i, "model"), table_text(all, i, "training"))
            || !table_is(all, i, "state", "unknown") || has_model(out, end, table_text(all, i, "model")))
            continue;
        const long row = table_add(out);
        for (unsigned long k = 0; k < sizeof columns / sizeof columns[0]; k++)
            table_copy_cell(out, row, columns[k], all, i, columns[k]);
        table_copy_cell(out, row, "kernel", all, i, "kernel");
        table_copy_cell(out, row, "cases", all, i, "near");
    }
}

static void run_scores(const struct study *s, const struct words *w, struct table *out)
{
    for (int a = 0; a < s->forecasts.n; a++) {
        const long end = out->nrows;
        struct scores scores;
        struct table all = { 0 };
        read_scores(s, w, a, "kernel", &scores);
        scores_table(&scores, &all);
        put_scores(&all, w, end, out);
        table_free(&all);
        scores_free(&scores);
    }
    note_none(s, out);
}

static const struct column scores_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("kernel", "kernel, or all"),
    INT_COLUMN("cases", "", "forecasts of configurations within twice the best of their contest"),
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
    .about = "errors and picks of cross-validated forecasts, by kernel",
    .keys = "models! precision cache",
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
        const struct subject *subject = study_subject(s, pick->source_id);
        const double best_us = contest->best_us[STATE_UNKNOWN], divergence = 100 * (pick->measured_us / best_us - 1);
        const long row = table_add(out);
        table_set(out, row, "matrix", subject ? study_label(s, subject, pick->matrix) : pick->matrix);
        table_set(out, row, "source", source_name(subject ? subject->source : SOURCE_OTHER));
        table_set(out, row, "precision", pick->precision);
        table_set(out, row, "model", series->model);
        table_set(out, row, "pick", pick->config);
        table_set_real(out, row, "pick_us", pick->measured_us, 4);
        table_set_real(out, row, "best_us", best_us, 4);
        table_set_real(out, row, "divergence_percent", divergence, 4);
        table_set(out, row, "bin", divergence < 5 ? "< 5 %" : divergence <= 20 ? "5 to 20 %" : "> 20 %");
    }
    picks_free(&picks);
}

static void run_ranking(const struct study *s, const struct words *w, struct table *out)
{
    each_model(s, w, out, put_ranking);
}

static const struct column ranking_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model, fitted without the matrix's family"),
    TEXT_COLUMN("pick", "configuration with the lowest forecast"),
    REAL_COLUMN("pick_us", "us", "measured time of the pick"),
    REAL_COLUMN("best_us", "us", "lowest measured time of all configurations"),
    REAL_COLUMN("divergence_percent", "%", "time lost by the pick: pick_us / best_us - 1"),
    TEXT_COLUMN("bin", "divergence in three bins: < 5 %, 5 to 20 %, > 20 %"),
    COLUMNS_END,
};

const struct paper_measure measure_ranking = {
    .name = "ranking",
    .about =
        "picks of cross-validated forecasts among all configurations; divergence: time of the pick / best time - 1",
    .keys = "models! precision cache",
    .columns = ranking_columns,
    .run = run_ranking,
};

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
    REAL_COLUMN("fit_spmvs", "SpMVs", "fit_s in multiplications: fit_s / best_us"),
    REAL_COLUMN("forecast_spmvs", "SpMVs",
                "time to forecast one configuration / best measured time of the matrix; median"),
    REAL_COLUMN("rank_spmvs", "SpMVs", "time to forecast all of a matrix / its best measured time; median"),
    COLUMNS_END,
};

const struct paper_measure measure_effort = {
    .name = "effort",
    .about =
        "time to fit, to forecast one configuration and to rank all of a matrix, in SpMVs of its best configuration (archived "
        "output of spmv-verify --table effort: DIRECTORY/effort.tsv)",
    .keys = "",
    .columns = effort_columns,
    .run = run_effort,
};
