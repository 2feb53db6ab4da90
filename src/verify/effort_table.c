/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "effort": what a model costs before the first product, in seconds and in products: fitting it
 * (recorded by spmv-fit), forecasting one configuration of a matrix, ranking all measured ones of it, and taking its features
 * (timed here). lehnert2016, Tables 4 and 5; the fill: choi2010 4.1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stats.h"
#include "base/strings.h"
#include "matrix/block_fill.h"
#include "profile/trained.h"
#include "verify/effort_features.h"
#include "verify/verify_tables.h"

/* Of the matrices of one target; arrays [n], of features and fill [taken]. */
struct samples {
    int64_t n, taken;
    double *best_s, *forecast_s, *rank_s, *forecast_spmvs, *rank_spmvs;
    double *features_s, *features_spmvs, *fill_s, *fill_spmvs;
};

static void samples_begin(struct samples *s, int64_t room)
{
    double *v = xmalloc(9 * (unsigned long)(room + 1) * sizeof *v);
    *s = (struct samples){
        0,           0, v, v + room, v + 2 * room, v + 3 * room, v + 4 * room, v + 5 * room, v + 6 * room, v + 7 * room,
        v + 8 * room
    };
}

/* Adds the time to take the features of a matrix, if it was timed. */
static void add_features(const struct feature_times *t, double best_s, struct samples *s)
{
    if (isnan(t->features_s))
        return;
    s->features_s[s->taken] = t->features_s;
    s->features_spmvs[s->taken] = t->features_s / best_s;
    s->fill_s[s->taken] = t->fill_s;
    s->fill_spmvs[s->taken++] = t->fill_s / best_s;
}

/* Times the forecasts of the cases first..end-1, of one matrix and target, and the choice of the least. */
static void time_group(const struct cases *c, const struct model *m, struct profile *p,
                       const struct effort_features *taken, int64_t first, int64_t end, struct samples *s)
{
    const struct matrix_row *facts = c->one[first].facts;
    double best_s = INFINITY, least_s = INFINITY;
    struct forecast f;
    profile_ask_about(p, facts->matrix, facts->group, facts->recipe, facts->pattern_id);
    const double start_s = now_s();
    for (int64_t i = first; i < end; i++) {
        model_forecast(m, p, c->one[i].features, &c->one[i].config, &c->one[i].target, &f);
        if (f.status != FORECAST_REFUSED && f.time_s < least_s)
            least_s = f.time_s;
    }
    const double rank_s = now_s() - start_s;
    if (isinf(least_s))
        return; /* refused: nothing to rank */
    for (int64_t i = first; i < end; i++)
        best_s = fmin(best_s, c->one[i].measured_s);
    const double forecast_s = rank_s / (double)(end - first);
    s->best_s[s->n] = best_s;
    s->forecast_s[s->n] = forecast_s;
    s->rank_s[s->n] = rank_s;
    s->forecast_spmvs[s->n] = forecast_s / best_s;
    s->rank_spmvs[s->n++] = rank_s / best_s;
    add_features(effort_features_of(taken, c, facts), best_s, s);
}

static double fit_s(const struct profile *p, const char *model)
{
    for (int64_t i = 0; p->trained && i < p->trained->nefforts; i++)
        if (strcmp(p->trained->effort[i].model, model) == 0)
            return p->trained->effort[i].fit_s;
    return NAN;
}

/* Prints a row. Adds the model to `untimed` if it forecasts without a recorded time to fit it. */
static void print_model(struct table *out, const struct cases *c, const struct model *m, struct profile *p,
                        const struct effort_features *taken, int64_t first, int64_t end, struct strlist *untimed)
{
    const struct target *t = &c->one[first].target;
    const double trained_s = fit_s(p, m->name);
    struct samples s;
    int64_t configs = 0, groups = 0;
    samples_begin(&s, end - first);
    for (int64_t i = first; i < end; i = c->one[i].group_end) {
        time_group(c, m, p, taken, i, c->one[i].group_end, &s);
        configs += c->one[i].group_end - i;
        groups++;
    }
    const double best_s = stats_median(s.best_s, s.n);
    table_put_text(out, "model", m->name);
    table_put_target(out, t->precision, t->cache);
    table_put_int(out, "matrices", s.n);
    table_put_real(out, "configs", (double)configs / (double)groups, 3);
    table_put_us(out, "best_us", 1e6 * best_s, 4);
    table_put_real(out, "fit_s", trained_s, 3);
    table_put_real(out, "fit_spmvs", trained_s / best_s, 3);
    table_put_us(out, "forecast_us", 1e6 * stats_median(s.forecast_s, s.n), 3);
    table_put_real(out, "forecast_spmvs", stats_median(s.forecast_spmvs, s.n), 3);
    table_put_us(out, "rank_us", 1e6 * stats_median(s.rank_s, s.n), 3);
    table_put_real(out, "rank_spmvs", stats_median(s.rank_spmvs, s.n), 3);
    table_put_us(out, "features_us", 1e6 * stats_median(s.features_s, s.taken), 3);
    table_put_real(out, "features_spmvs", stats_median(s.features_spmvs, s.taken), 3);
    table_put_us(out, "fill_us", 1e6 * stats_median(s.fill_s, s.taken), 3);
    table_put_real(out, "fill_spmvs", stats_median(s.fill_spmvs, s.taken), 3);
    table_put_text(out, "launch", launch_name(t->launch));
    table_row_end(out);
    if (isnan(trained_s) && s.n > 0)
        strlist_add_once(untimed, m->name);
    free(s.best_s);
}

const struct column effort_table_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("matrices", "", "matrices for which the model forecasts"),
    REAL_COLUMN("configs", "", "measured configurations per matrix, on average"),
    REAL_COLUMN("best_us", "us", "best measured time of a matrix; median over matrices"),
    REAL_COLUMN("fit_s", "s", "time to fit the model, for all targets and configurations, as spmv-fit recorded it"),
    REAL_COLUMN("fit_spmvs", "", "fit_s in products: fit_s / best_us"),
    REAL_COLUMN("forecast_us", "us", "time to forecast one configuration, on one thread of this machine; median"),
    REAL_COLUMN("forecast_spmvs", "", "the same / best measured time of the matrix; median"),
    REAL_COLUMN("rank_us", "us", "time to forecast all measured configurations of a matrix; median"),
    REAL_COLUMN("rank_spmvs", "", "the same / best measured time of the matrix; median"),
    REAL_COLUMN("features_us", "us", "time to take all features of a matrix, on all threads of this machine; median"),
    REAL_COLUMN("features_spmvs", "", "the same / best measured time of the matrix; median"),
    REAL_COLUMN("fill_us", "us", "time to take the fill of dense blocks, one of the features; median"),
    REAL_COLUMN("fill_spmvs", "", "the same / best measured time of the matrix; median"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    COLUMNS_END,
};

void effort_print(const struct cases *c, struct profile *p, const char *profile, const char *collection, bool json)
{
    struct effort_features taken;
    struct strlist untimed = { 0 };
    effort_features_time(&taken, c, collection);
    struct table *out = textout_begin(json, effort_table_columns);
    char *view = xasprintf("model%s matrices best_us fit_s fit_spmvs forecast_us forecast_spmvs rank_us rank_spmvs "
                           "features_spmvs fill_spmvs",
                           cases_target_columns(c).text);
    textout_view(out, view);
    free(view);
    table_note(out, "%s", profile);
    table_note(out, "table: effort; medians over matrices; spmvs: divided by the best measured time of the matrix");
    table_note(
        out,
        "fit: all targets and configurations, by spmv-fit on the machine that made the profile, of a model without a "
        "fit of its own those of the models that it needs; forecast: of "
        "one configuration, on one thread of this machine; rank: of all measured configurations of a matrix");
    table_note(out,
               "features: all features of a matrix, from CSR arrays in memory, on all threads of this machine; fill: "
               "one of them, the fill of dense blocks alone, from about %s or all of a smaller matrix",
               counted(BLOCK_FILL_ENTRIES, "nonzero").text);
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = cases_target_end(c, first);
        for (int m = 0; m < c->nmodels; m++)
            print_model(out, c, c->model[m], p, &taken, first, end, &untimed);
    }
    if (untimed.n > 0) {
        char *names = strlist_join(&untimed, ", ");
        table_note(out,
                   "fit_s -: profile %s has no time of %s; an older spmv-fit recorded those of learned models only",
                   p->name, names);
        free(names);
    }
    strlist_free(&untimed);
    effort_features_note(&taken, out);
    effort_features_free(&taken);
    textout_end(out);
}
