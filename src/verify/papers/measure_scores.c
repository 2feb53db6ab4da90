/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of cross-validated forecasts: crossvalidated, scores, ranking; and effort, what a model costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "base/textout.h"
#include "verify/papers/measure_table.h"
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

/* Has the sheet rows of this model? (Two archives can have the same rival.) */
static bool has_model(const struct sheet *out, long end, const char *model)
{
    for (long row = 0; row < end; row++)
        if (strcmp(sheet_text(out, row, "model"), model) == 0)
            return true;
    return false;
}

static void note_none(const struct study *s, struct sheet *out)
{
    if (s->forecasts.n == 0)
        strlist_add(&out->notes, "no archive of cross-validated forecasts (spmv-fit --crossvalidate makes one)");
    else if (out->nrows == 0)
        strlist_add(&out->notes, "the archives have no cross-validated forecasts of these models");
}

/* ---- crossvalidated */

static double error_of(const struct scores *s, const struct score_series *series, int64_t i)
{
    return 100 * fabs(((double)series->of[i]->time_us + s->archive.state_us) / s->one[i].row->measured_us - 1);
}

/* Adds the quantiles of the errors of a model's forecasts, of all kernels or of one. */
static void put_distribution(const struct study *study, const struct words *w, const struct scores *s,
                             const struct score_series *series, struct sheet *out)
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
        const long row = sheet_add(out);
        sheet_set(out, row, "model", series->model);
        sheet_set(out, row, "kernel", kernel);
        sheet_set_real(out, row, "share_percent", 100.0 * k / POINTS, 4);
        sheet_set_real(out, row, "error_percent", stats_quantile(error, n, (double)k / POINTS), 3);
    }
    free(error);
}

/* Calls put for each model of the list, from the first archive that has it. */
static void each_model(const struct study *s, const struct words *w, struct sheet *out,
                       void (*put)(const struct study *, const struct words *, const struct scores *,
                                   const struct score_series *, struct sheet *))
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

static void run_crossvalidated(const struct study *s, const struct words *w, struct sheet *out)
{
    each_model(s, w, out, put_distribution);
}

const struct paper_measure measure_crossvalidated = {
    .name = "crossvalidated",
    .about =
        "quantiles of the errors of forecasts by fits without the matrix's family, of configurations within 2x of the best",
    .keys = "models! kernel precision cache",
    .header = "model\tkernel\tshare_percent\terror_percent",
    .run = run_crossvalidated,
};

/* ---- scores */

static void put_scores(const struct sheet *all, const struct words *w, long end, struct sheet *out)
{
    static const char *const columns[] = { "model", "median_percent",  "mean_percent",     "p90_percent",
                                           "pick",  "within5_percent", "within20_percent", "pick_worst" };

    for (long i = 0; i < all->nrows; i++) {
        if (!is_wanted(w, sheet_text(all, i, "model"), sheet_text(all, i, "training"))
            || strcmp(sheet_text(all, i, "state"), "unknown") != 0 || has_model(out, end, sheet_text(all, i, "model")))
            continue;
        const long row = sheet_add(out);
        for (unsigned long k = 0; k < sizeof columns / sizeof columns[0]; k++)
            sheet_set(out, row, columns[k], sheet_text(all, i, columns[k]));
        sheet_set(out, row, "kernel", sheet_text(all, i, "kernel"));
        sheet_set(out, row, "cases", sheet_text(all, i, "near"));
    }
}

static void run_scores(const struct study *s, const struct words *w, struct sheet *out)
{
    for (int a = 0; a < s->forecasts.n; a++) {
        const long end = out->nrows;
        struct scores scores;
        struct sheet all = { 0 };
        read_scores(s, w, a, "kernel", &scores);
        textout_divert(&all);
        scores_print(&scores);
        put_scores(&all, w, end, out);
        sheet_free(&all);
        scores_free(&scores);
    }
    note_none(s, out);
}

const struct paper_measure measure_scores = {
    .name = "scores",
    .about = "errors and picks of cross-validated forecasts, by kernel",
    .keys = "models! precision cache",
    .header =
        "model\tkernel\tcases\tmedian_percent\tmean_percent\tp90_percent\tpick\twithin5_percent\twithin20_percent\t"
        "pick_worst",
    .run = run_scores,
};

/* ---- ranking */

static void put_ranking(const struct study *s, const struct words *w, const struct scores *scores,
                        const struct score_series *series, struct sheet *out)
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
        const long row = sheet_add(out);
        sheet_set(out, row, "matrix", subject ? study_label(s, subject, pick->matrix) : pick->matrix);
        sheet_set(out, row, "source", source_name(subject ? subject->source : SOURCE_OTHER));
        sheet_set(out, row, "precision", pick->precision);
        sheet_set(out, row, "model", series->model);
        sheet_set(out, row, "pick", pick->config);
        sheet_set_real(out, row, "pick_us", pick->measured_us, 4);
        sheet_set_real(out, row, "best_us", best_us, 4);
        sheet_set_real(out, row, "divergence_percent", divergence, 4);
        sheet_set(out, row, "bin", divergence < 5 ? "< 5 %" : divergence <= 20 ? "5 to 20 %" : "> 20 %");
    }
    picks_free(&picks);
}

static void run_ranking(const struct study *s, const struct words *w, struct sheet *out)
{
    each_model(s, w, out, put_ranking);
}

const struct paper_measure measure_ranking = {
    .name = "ranking",
    .about =
        "picks of cross-validated forecasts among all configurations; divergence: time of the pick / best time - 1",
    .keys = "models! precision cache",
    .header = MATRIX_COLUMNS "model\tpick\tpick_us\tbest_us\tdivergence_percent\tbin",
    .run = run_ranking,
};

/* ---- effort */

static void run_effort(const struct study *s, const struct words *w, struct sheet *out)
{
    static const char header[] =
        "model\tprecision\tcache\tmatrices\tconfigs\tbest_us\tfit_s\tfit_spmvs\tforecast_us\tforecast_spmvs\trank_us\trank_spmvs\t"
        "features_us\tfeatures_spmvs\tfill_us\tfill_spmvs\tlaunch";
    char *path = xasprintf("%s/effort.tsv", s->directory), why[ERRLEN];
    struct sheet all;
    (void)w;

    if (sheet_read(&all, path, header, why) != 0)
        strlist_add(&out->notes, why);
    for (long i = 0; i < all.nrows; i++) {
        const long row = sheet_add(out);
        for (int k = 0; k < out->ncolumns; k++)
            sheet_set(out, row, out->column[k], sheet_text(&all, i, out->column[k]));
    }
    sheet_free(&all);
    free(path);
}

const struct paper_measure measure_effort = {
    .name = "effort",
    .about =
        "time to fit, to forecast one configuration and to rank all of a matrix, in SpMVs of its best configuration (archived "
        "output of spmv-verify --table effort: DIRECTORY/effort.tsv)",
    .keys = "",
    .header = "model\tprecision\tmatrices\tconfigs\tbest_us\tfit_s\tfit_spmvs\tforecast_spmvs\trank_spmvs",
    .run = run_effort,
};
