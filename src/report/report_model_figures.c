/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures about forecasts: scatter, intervals, distributions of errors and of losses by picks (report_model.h). Forecasts are those for
 * the more frequent launch state, as in the rows "unknown" of table scores. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_model.h"

enum { DOTS = 1500, WHISKERS = 250, DOT_ROWS = 200, PERCENTS = 101, MODELS = 8 };

/* ---- forecast against measurement ---- */

static int64_t count_given(const struct report_model *m)
{
    int64_t n = 0;

    for (int64_t i = 0; i < m->scores.n; i++)
        n += score_given(m->series->of[i]);
    return n;
}

static void add_case(struct table *s, const struct case_row *c, double us, double low, double high)
{
    const long row = table_add(s);

    table_set(s, row, "matrix", c->matrix);
    table_set(s, row, "configuration", c->config);
    table_set_target(s, row, c->precision, c->cache, c->launch);
    table_set_real(s, row, "measured_us", c->measured_us, 4);
    table_set_real(s, row, "forecast_us", us, 4);
    table_set_real(s, row, "low_us", low, 4);
    table_set_real(s, row, "high_us", high, 4);
}

static int class_of(const char *footprint)
{
    enum footprint class = RESIDENT;
    (void)footprint_find(footprint, &class);
    return class;
}

struct scatter {
    struct points dots[STREAMING + 1], inside, outside;
    struct table table;
};

static void add_ratio(struct scatter *s, double measured, double us, double low, double high, const char *label)
{
    struct points *p = low <= measured && measured <= high ? &s->inside : &s->outside;

    points_add(p, measured, us / measured, label);
    points_interval(p, low / measured, high / measured);
}

static const struct column scatter_columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    TEXT_COLUMN("configuration", "configuration, in the form comparable between matrices"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("forecast_us", "us", "forecast time for the more frequent launch state"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of the forecast"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of the forecast"),
    COLUMNS_END,
};

static void fill_scatter(const struct report_model *m, struct scatter *s, int64_t n)
{
    const double more = m->scores.archive.state_us;
    int64_t k = 0;

    table_begin(&s->table, scatter_columns);
    for (int64_t i = 0; i < m->scores.n; i++) {
        const struct case_forecast *f = m->series->of[i];
        const struct case_row *c = m->scores.one[i].row;
        if (!score_given(f))
            continue;
        const double us = (double)f->time_us + more, low = (double)f->low_us + more, high = (double)f->high_us + more;
        char *label = xasprintf("%s, %s", c->matrix, c->kernel);
        if (report_sampled(k, n, DOTS))
            points_add(&s->dots[class_of(c->footprint)], c->measured_us, us, label);
        if (report_sampled(k, n, WHISKERS) && !isnan(low))
            add_ratio(s, c->measured_us, us, low, high, label);
        if (report_sampled(k, n, DOT_ROWS))
            add_case(&s->table, c, us, low, high);
        free(label);
        k++;
    }
    char *note =
        xasprintf("%s; drawn: %" PRId64 ", with intervals %" PRId64
                  ", in this table %ld, at equal steps in the order of set, family, "
                  "matrix and configuration; all: the archive",
                  counted(n, "forecast").text, n < DOTS ? n : DOTS, n < WHISKERS ? n : WHISKERS, s->table.nrows);
    table_note(&s->table, "%s", note);
    free(note);
}

static void draw_intervals(struct report *r, const struct scatter *s)
{
    const struct series series[] = { points_series(&s->inside, "measured time inside the interval", MARK_POINTS, 0),
                                     points_series(&s->outside, "outside", MARK_POINTS, 1) };
    const struct chart chart = {
        .title = "Intervals of forecasts",
        .about = "Forecast over measured time with its interval; intervals that cross 1 contain the measured time.",
        .x = { .label = "measured time (us)", .log = true, .low = NAN, .high = NAN },
        .y = { .label = "forecast / measured", .log = true, .low = NAN, .high = NAN },
        .nseries = 2,
        .series = series,
        .level = 1,
        .level_name = "exact"
    };
    report_figure(r, &chart, "Forecast over measured time, with the 90 % interval of the forecast.", &s->table, NULL);
}

void model_scatter(struct report *r, const struct report_model *m)
{
    struct scatter s = { 0 };
    struct series series[STREAMING + 1];
    const int64_t n = count_given(m);
    int nseries = 0;

    if (n == 0)
        return;
    fill_scatter(m, &s, n);
    for (int k = RESIDENT; k <= STREAMING; k++)
        if (s.dots[k].n > 0)
            series[nseries++] = points_series(&s.dots[k], footprint_name((enum footprint)k), MARK_POINTS, k);
    char *title = xasprintf("Forecast against measured time, model %s", m->series->model);
    const struct chart chart = {
        .title = title,
        .about = "Each point is a configuration on a matrix; on the diagonal the forecast is exact.",
        .x = { .label = "measured time (us)", .log = true, .low = NAN, .high = NAN },
        .y = { .label = "forecast time (us)", .log = true, .low = NAN, .high = NAN },
        .nseries = nseries,
        .series = series,
        .diagonal = true,
        .level = NAN
    };
    page_figures_begin(r->page);
    report_figure(
        r, &chart,
        "Each point is a configuration on a matrix, by footprint class; on the diagonal the forecast is exact.",
        &s.table, NULL);
    if (s.inside.n + s.outside.n > 0)
        draw_intervals(r, &s);
    page_figures_end(r->page);
    free(title);
    for (int k = RESIDENT; k <= STREAMING; k++)
        points_free(&s.dots[k]);
    points_free(&s.inside);
    points_free(&s.outside);
    table_free(&s.table);
}

/* ---- distributions, one line per model ---- */

/* Adds the samples of a series: errors, or losses by picks, in percent. */
typedef void fill_samples(const struct scores *, const struct score_series *, struct sample *);

static void fill_errors(const struct scores *s, const struct score_series *series, struct sample *e)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->one[i].near && score_given(series->of[i]))
            sample_add_case(
                e, &s->one[i],
                100 * fabs(((double)series->of[i]->time_us + s->archive.state_us) / s->one[i].row->measured_us - 1));
}

static void fill_losses(const struct scores *s, const struct score_series *series, struct sample *e)
{
    struct score_picks picks;

    picks_make(&picks, s, series);
    for (int64_t k = 0; k < s->ncontests; k++)
        if (picks.pick[k] >= 0) {
            const struct score_case *pick = &s->one[picks.pick[k]];
            sample_add_case(e, pick, 100 * (pick->row->measured_us / s->contest[k].best_us[STATE_UNKNOWN] - 1));
        }
    picks_free(&picks);
}

static void add_quantiles(const struct scores *s, const struct score_series *series, fill_samples *fill,
                          struct points *p, struct table *table, const char *column)
{
    struct sample e = { 0 };

    fill(s, series, &e);
    sample_weigh(&e, UNIT_MATRIX);
    sample_sort(&e);
    for (int k = 0; k < PERCENTS && e.n > 0; k++) {
        const double value = sample_weighted_quantile(&e, k / (double)(PERCENTS - 1));
        points_add(p, fmax(value, 0.1), k, NULL);
        table_set_real(table, k, column, value, 4);
    }
    sample_free(&e);
}

static void draw_distributions(struct report *r, const struct report_model *m, fill_samples *fill, struct chart *chart,
                               const char *caption, const char *note)
{
    const struct scores *s = &m->scores;
    struct points points[MODELS] = { 0 };
    struct series series[MODELS];
    struct table table = { 0 };
    char *name[MODELS];
    int first[MODELS], n = 0, drawn = 0;

    table_add_column(&table, &(struct column)INT_COLUMN("percent", "%", "share of the cases"));
    for (int i = 0; i < s->nseries && n < MODELS; i = scores_series_end(s, i)) {
        first[n] = i;
        name[n] = strcmp(s->series[i].training, "all") == 0
                      ? xstrdup(s->series[i].model)
                      : xasprintf("%s, fitted to %s", s->series[i].model, s->series[i].training);
        table_add_column(&table, &(struct column)REAL_COLUMN(name[n++], "%", "what this share does not exceed"));
    }
    for (int k = 0; k < PERCENTS; k++)
        table_set_int(&table, table_add(&table), "percent", k);
    for (int i = 0; i < n; i++) {
        add_quantiles(s, &s->series[first[i]], fill, &points[i], &table, name[i]);
        if (points[i].n > 0)
            series[drawn++] = points_series(&points[i], name[i], MARK_LINE, i);
    }
    table_note(&table, "%s", note);
    chart->nseries = drawn;
    chart->series = series;
    if (drawn > 0)
        report_figure(r, chart, caption, &table, NULL);
    for (int i = 0; i < n; i++) {
        points_free(&points[i]);
        free(name[i]);
    }
    table_free(&table);
}

void model_errors(struct report *r, const struct report_model *m)
{
    struct chart chart = { .title = "Distribution of errors",
                           .about = "Share of forecasts with at most this error, for each model.",
                           .x = { .label = "|forecast / measured - 1| (%)", .log = true, .low = 0.1, .high = NAN },
                           .y = { .label = "share of forecasts (%)", .low = 0, .high = 100 },
                           .level = 50,
                           .level_name = "median" };

    draw_distributions(
        r, m, fill_errors, &chart,
        "Share of the forecasts with at most this error; lines further left are better. Errors below 0.1 % are drawn at 0.1 %.",
        "quantiles of the error in percent; each matrix has weight 1; the first seed of each model");
}

void model_losses(struct report *r, const struct report_model *m)
{
    struct chart chart = {
        .title = "Loss by picks",
        .about = "Share of cases in which the pick of a model is at most this much slower than the best.",
        .x = { .label = "time of the pick / best time - 1 (%)", .log = true, .low = 0.1, .high = NAN },
        .y = { .label = "share of cases (%)", .low = 0, .high = 100 },
        .level = NAN
    };

    draw_distributions(
        r, m, fill_losses, &chart,
        "How much slower than the best configuration the pick of each model is; lines further left and up are better. "
        "Losses below 0.1 % are drawn at 0.1 %.",
        "quantiles of the loss in percent over matrices, precisions, cache states and launches; each matrix has weight 1; "
        "the first seed of each model");
}
