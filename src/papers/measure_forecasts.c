/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of forecasts for archived times: forecasts, wins, picks, and the benchmark matrices of a model: grid, dense. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "speed/pairing.h"

static const char *const status_names[] = {
    [FORECAST_OK] = "ok", [FORECAST_EXTRAPOLATED] = "extrapolated", [FORECAST_REFUSED] = "refused"
};

static void set_brief(struct table *out, long row, const char *column, const char *config)
{
    char *brief = config_brief(config);

    table_set(out, row, column, brief);
    free(brief);
}

double measure_error(const struct forecast *f, double measured_us)
{
    return f->status == FORECAST_REFUSED ? NAN : 100 * fabs(1e6 * f->time_s / measured_us - 1);
}

/* ---- forecasts */

/* Sets what the papers' models assume: where the data lie, and that reading x costs little besides. Columns are local if the sectors of x
 * that 32 neighbouring rows read hold at most half as many values as the rows have nonzeros (guo2014's benchmark matrices: up to 0.375). */
static void set_regime(const struct study *s, const struct contest *one, const struct run_row *r, struct table *out,
                       long row)
{
    const enum precision precision = (enum precision)r->precision;
    const struct features *f = one->features;
    const int64_t values = f->sectors[precision][1] * (32 / precision_bytes(precision));

    table_set(out, row, "regime",
              r->cache == COLD ? footprint_name(STREAMING)
                               : footprint_name(footprint_class(&s->profile->device, r->footprint_bytes)));
    table_set(out, row, "columns", 2 * values <= f->nnz ? "local" : "scattered");
}

static void put_forecast(const struct study *s, const struct words *w, const struct contest *one, const struct model *m,
                         const struct run_row *r, struct table *out)
{
    const long row = measure_row(s, w, one, out);
    struct forecast f;

    study_forecast(s, m, r, &f);
    table_set(out, row, "model", m->name);
    table_set(out, row, "kernel", r->kernel);
    set_brief(out, row, "config", r->config);
    table_set_real(out, row, "measured_us", r->time_us, 4);
    table_set_real(out, row, "forecast_us", f.status == FORECAST_REFUSED ? NAN : 1e6 * f.time_s, 4);
    table_set_real(out, row, "error_percent", measure_error(&f, r->time_us), 3);
    table_set_real(out, row, "over", f.status == FORECAST_REFUSED ? NAN : 1e6 * f.time_s / r->time_us, 4);
    table_set(out, row, "status", status_names[f.status]);
    if (f.status != FORECAST_REFUSED) {
        double bound;
        table_set(out, row, "longer", 1e6 * f.time_s > r->time_us ? "yes" : "no");
        if (parse_real(words_get(w, "bound"), 0, INFINITY, &bound) == 0)
            table_set(out, row, "within", measure_error(&f, r->time_us) < bound ? "yes" : "no");
    }
    set_regime(s, one, r, out, row);
}

/* Is the time within `near` times the best of the contest? "": any time is. */
static bool is_near(const struct contest *one, const struct run_row *r, const char *near)
{
    double times;

    return parse_real(near, 1, INFINITY, &times) != 0 || r->time_us <= times * one->best_us;
}

static void run_forecasts(const struct study *s, const struct words *w, struct table *out)
{
    const struct model **models = measure_models(words_get(w, "models"));
    struct contests c;

    if (measure_contests(s, w, "matrix", &c, out)) {
        for (int m = 0; models[m]; m++) {
            measure_load(s, models[m]);
            for (int64_t i = 0; i < c.n; i++)
                for (int64_t k = c.one[i].first; k < c.one[i].end; k++)
                    if (measure_wants(s, w, &c.one[i]) && selection_matches(words_get(w, "configs"), c.row[k])
                        && is_near(&c.one[i], c.row[k], words_get(w, "near")))
                        put_forecast(s, w, &c.one[i], models[m], c.row[k], out);
        }
    }
    free(models);
}

static const struct column forecasts_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("config", "configuration, without default keys"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("forecast_us", "us", "forecast time; none: refused"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|"),
    REAL_COLUMN("over", "", "forecast / measured"),
    TEXT_COLUMN("status", "ok, extrapolated or refused"),
    TEXT_COLUMN("kernel", "kernel of the configuration"),
    TEXT_COLUMN("longer", "yes: the forecast is longer than the measured time; else no"),
    TEXT_COLUMN("within", "yes: the error is below the parameter bound, in percent; else no"),
    TEXT_COLUMN("regime", "resident, mixed or streaming: CSR, x and y against the L2"),
    TEXT_COLUMN(
        "columns",
        "local: the sectors of x that 32 rows read hold at most half as many values as the rows have nonzeros; else scattered"),
    COLUMNS_END,
};

const struct paper_measure measure_forecasts = {
    .name = "forecasts",
    .about =
        "archived times against forecasts of models; error: |forecast / measured - 1|; over: forecast / measured; near=N: only times within N times the best of the matrix; bound=N: errors below N percent are within",
    .keys = "models! configs! near bound",
    .columns = forecasts_columns,
    .rows = true,
    .run = run_forecasts,
};

/* ---- wins */

static void put_win(const struct study *s, const struct words *w, const struct contest *one, const struct run_row *r,
                    struct table *out)
{
    static const char *const sides[] = { "a", "b" };
    double error[2];

    const long row = measure_row(s, w, one, out);
    set_brief(out, row, "config", r->config);
    table_set_real(out, row, "measured_us", r->time_us, 4);
    for (int i = 0; i < 2; i++) {
        char column[24];
        struct forecast f;
        study_forecast(s, model_find(words_get(w, sides[i])), r, &f);
        error[i] = measure_error(&f, r->time_us);
        snprintf(column, sizeof column, "%s_error_percent", sides[i]);
        table_set_real(out, row, column, error[i], 3);
        snprintf(column, sizeof column, "%s_forecast_us", sides[i]);
        table_set_real(out, row, column, f.status == FORECAST_REFUSED ? NAN : 1e6 * f.time_s, 4);
    }
    table_set_real(out, row, "ratio", error[0] / error[1], 4);
    table_set(out, row, "winner",
              isnan(error[0]) || isnan(error[1]) ? "-"
              : error[0] < error[1]              ? "a"
              : error[1] < error[0]              ? "b"
                                                 : "tie");
}

static void run_wins(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    measure_load(s, model_find(words_get(w, "a")));
    measure_load(s, model_find(words_get(w, "b")));
    for (int64_t i = 0; i < c.n; i++)
        for (int64_t k = c.one[i].first; k < c.one[i].end; k++)
            if (measure_wants(s, w, &c.one[i]) && selection_matches(words_get(w, "configs"), c.row[k]))
                put_win(s, w, &c.one[i], c.row[k], out);
}

static const struct column wins_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("config", "configuration, without default keys"),
    REAL_COLUMN("measured_us", "us", "measured time"),
    REAL_COLUMN("a_forecast_us", "us", "forecast time of model a of the figure; none: refused"),
    REAL_COLUMN("b_forecast_us", "us", "forecast time of model b of the figure; none: refused"),
    REAL_COLUMN("a_error_percent", "%", "|forecast / measured - 1| of model a of the figure"),
    REAL_COLUMN("b_error_percent", "%", "|forecast / measured - 1| of model b of the figure"),
    REAL_COLUMN("ratio", "x", "a_error_percent / b_error_percent"),
    TEXT_COLUMN("winner", "model of the smaller error: a, b or tie; empty: a model refuses"),
    COLUMNS_END,
};

const struct paper_measure measure_wins = {
    .name = "wins",
    .about = "which of models `a` and `b` has the smaller error on each matrix and configuration",
    .keys = "a! b! configs!",
    .columns = wins_columns,
    .rows = true,
    .run = run_wins,
};

/* ---- beside */

static void put_bar(const struct study *s, const struct words *w, const struct contest *one, const struct run_row *r,
                    const char *series, double us, struct table *out)
{
    const long row = measure_row(s, w, one, out);

    set_brief(out, row, "config", r->config);
    table_set(out, row, "series", series);
    table_set_real(out, row, "time_us", us, 4);
}

static void run_beside(const struct study *s, const struct words *w, struct table *out)
{
    const struct model **models = measure_models(words_get(w, "models"));
    struct contests c;

    const bool any = measure_contests(s, w, "matrix", &c, out);
    for (int m = 0; any && models[m]; m++)
        measure_load(s, models[m]);
    for (int64_t i = 0; any && i < c.n; i++) {
        const struct run_row *r = selection_fastest(&c, &c.one[i], words_get(w, "config"));
        if (!r || !measure_wants(s, w, &c.one[i]))
            continue;
        put_bar(s, w, &c.one[i], r, "measured", r->time_us, out);
        for (int m = 0; models[m]; m++) {
            struct forecast f;
            study_forecast(s, models[m], r, &f);
            if (f.status != FORECAST_REFUSED)
                put_bar(s, w, &c.one[i], r, models[m]->name, 1e6 * f.time_s, out);
        }
    }
    free(models);
}

static const struct column beside_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("config", "configuration, without default keys"),
    TEXT_COLUMN("series", "measured, or the model that forecasts"),
    REAL_COLUMN("time_us", "us", "measured or forecast time"),
    COLUMNS_END,
};

const struct paper_measure measure_beside = {
    .name = "beside",
    .about =
        "measured and forecast times of one configuration side by side: a row for each of them; the fastest that `config` selects",
    .keys = "models! config!",
    .columns = beside_columns,
    .rows = true,
    .run = run_beside,
};

/* ---- picks */

static void put_pick(const struct study *s, const struct words *w, const struct contests *c, const struct contest *one,
                     const struct model *m, struct table *out)
{
    const struct run_row *pick = NULL, *best = NULL;
    double least_s = INFINITY;
    int64_t refused = 0, configs = 0, least = 0;

    for (int64_t k = one->first; k < one->end; k++) {
        const struct run_row *r = c->row[k];
        struct forecast f;
        if (!measure_among(s, words_get(w, "among"), r))
            continue;
        best = !best || r->time_us < best->time_us ? r : best;
        configs++;
        study_forecast(s, m, r, &f);
        refused += f.status == FORECAST_REFUSED;
        if (f.status != FORECAST_REFUSED && f.time_s < least_s) {
            least_s = f.time_s;
            pick = r;
        }
    }
    if (*words_get(w, "least") && parse_int(words_get(w, "least"), 1, 1000000, &least) != 0)
        bug("least=%s", words_get(w, "least"));
    if (!best || configs < least)
        return;
    const long row = measure_row(s, w, one, out);
    table_set_int(out, row, "configs", configs);
    set_brief(out, row, "best", best->config);
    table_set_real(out, row, "best_us", best->time_us, 4);
    table_set_int(out, row, "refused", refused);
    if (!pick)
        return;
    const char *against = words_get(w, "against");
    const struct run_row *rival = *against ? selection_fastest(c, one, against) : NULL;
    table_set_real(out, row, "against_us", rival ? rival->time_us : NAN, 4);
    table_set_real(out, row, "ratio", rival ? rival->time_us / pick->time_us : NAN, 4);
    set_brief(out, row, "pick", pick->config);
    table_set_real(out, row, "pick_us", pick->time_us, 4);
    table_set(out, row, "optimal", pick == best ? "yes" : "no");
    table_set_real(out, row, "share_percent", 100 * best->time_us / pick->time_us, 4);
    measure_put_loss(pick->time_us, best->time_us, out, row);
}

static void run_picks(const struct study *s, const struct words *w, struct table *out)
{
    const struct model *m = model_find(words_get(w, "model"));
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    measure_load(s, m);
    for (int64_t i = 0; i < c.n; i++)
        if (measure_wants(s, w, &c.one[i]))
            put_pick(s, w, &c, &c.one[i], m, out);
}

static const struct column picks_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("pick", "configuration with the lowest forecast"),
    REAL_COLUMN("pick_us", "us", "measured time of the pick"),
    TEXT_COLUMN("best", "configuration with the lowest measured time"),
    REAL_COLUMN("best_us", "us", "its measured time"),
    TEXT_COLUMN("optimal", "yes if the pick is the best, else no"),
    REAL_COLUMN("share_percent", UNIT_BEST, "speed of the pick relative to the best: best_us / pick_us"),
    REAL_COLUMN("divergence_percent", "%", "time lost by the pick: pick_us / best_us - 1"),
    TEXT_COLUMN("bin", "divergence in three bins: < 5 %, 5 to 20 %, > 20 %"),
    INT_COLUMN("configs", "", "measured configurations to pick from"),
    INT_COLUMN("refused", "", "of these, configurations that the model refuses"),
    REAL_COLUMN("against_us", "us", "measured time of the fastest of selection `against`"),
    REAL_COLUMN("ratio", "x", "against_us / pick_us"),
    COLUMNS_END,
};

const struct paper_measure measure_picks = {
    .name = "picks",
    .about =
        "the configuration with the least forecast against the best measured one, among all, those of formats.tsv (formats) or a selection; ratio: best of `against` / pick; least: only matrices with at least so many configurations measured",
    .keys = "model! among! against least",
    .columns = picks_columns,
    .rows = true,
    .run = run_picks,
};
