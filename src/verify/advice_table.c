/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "advice": measured total time of N products with the configuration that a model advises, relative to the lowest
 * total of all measured configurations. Rivals always choose the same kernel: the library's CSR, or csr-split. Times exclude
 * the overhead of their launch state; set-up is conversion and preparation. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "verify/advised.h"

enum always { BY_FORECAST, LIBRARY_ALL, LIBRARY_BEST, LIBRARY_PRE, LIBRARY_PLAIN, SPLIT };
static const struct {
    enum always always;
    const char *name;
} habits[] = { { LIBRARY_ALL, "always cuSPARSE, best" },
               { LIBRARY_BEST, "always cusparse-csr, best" },
               { LIBRARY_PRE, "always cusparse-csr, pre=1" },
               { LIBRARY_PLAIN, "always cusparse-csr, pre=0" },
               { SPLIT, "always csr-split" } };
enum { NHABITS = sizeof habits / sizeof habits[0], TUNED = ADVISED_MAX, COUNTS = 7, SAME = -1 };
static const int64_t counts[COUNTS] = { 0, 1, 10, 100, 200, 1000, 100000 };

/* What chooses a configuration: the series [first, end) of a model, of whose `best` lowest forecasts the fastest is taken, or a
 * habit. choose_for: number of products for which it is chosen; SAME: for which it is used. */
struct chooser {
    enum always always;
    const char *name, *training;
    int first, end, best;
    int64_t choose_for;
};

/* ---- choices ---- */
static double measured_total(const struct advice *t, int64_t i, int64_t n)
{
    return advice_total(t->of[i].measured_us, t->of[i].setup_us, n);
}

/* Returns the measured total of the case that is chosen in a contest; NaN: none is chosen, or its costs were not measured. */
static double chosen_by_forecast(const struct advice *t, const struct chooser *w, const struct score_series *series,
                                 const struct score_contest *c, int64_t n)
{
    int64_t which[ADVISED_MAX];
    const int found = advised_cases(t, series, c, w->choose_for == SAME ? n : w->choose_for, w->best, which);
    double chosen = NAN;

    for (int k = 0; k < found; k++) {
        const double v = measured_total(t, which[k], n);
        chosen = isnan(chosen) || v < chosen ? v : chosen;
    }
    return chosen;
}

static bool is_habit(const struct priced *p, enum always always)
{
    switch (always) {
    case LIBRARY_ALL: return p->library;
    case LIBRARY_BEST: return p->baseline;
    case LIBRARY_PRE: return p->baseline && p->preprocessed;
    case LIBRARY_PLAIN: return p->baseline && !p->preprocessed;
    case SPLIT: return p->split;
    default: return true; /* any configuration */
    }
}

/* Returns the lowest measured total among the configurations of a habit; NaN: none was measured. */
static double least_total(const struct advice *t, const struct score_contest *c, enum always always, int64_t n)
{
    double least = NAN;
    for (int64_t i = c->first; i < c->end; i++) {
        const double v = is_habit(&t->of[i], always) ? measured_total(t, i, n) : NAN;
        least = isnan(least) || v < least ? v : least;
    }
    return least;
}

/* ---- lines ---- */
struct sums {
    struct sample ratio, within, slower, stay, gain, held, paid, total;
    int64_t unknown;
    double worst;
    const char *worst_matrix;
};

static const double slower_than = 1.05, slower_than_stay = 1.02;

static void sums_free(struct sums *s)
{
    sample_free(&s->ratio);
    sample_free(&s->within);
    sample_free(&s->slower);
    sample_free(&s->stay);
    sample_free(&s->held);
    sample_free(&s->paid);
    sample_free(&s->total);
    sample_free(&s->gain);
}

/* stay: measured total of the configuration with the best forecast of those that leave CSR as it is; NaN: none */
static void add_contest(const struct advice *t, struct sums *s, const struct score_contest *c, double chosen,
                        double stay, int64_t n)
{
    const double best = least_total(t, c, BY_FORECAST, n), library = least_total(t, c, LIBRARY_ALL, n);
    const struct score_case *one = &t->s->one[c->first];
    if (isnan(chosen) || isnan(best)) {
        s->unknown++;
        return;
    }
    const double ratio = chosen / best;
    sample_add_case(&s->ratio, one, ratio);
    sample_add_case(&s->within, one, ratio <= slower_than ? 100 : 0);
    if (!isnan(library)) {
        sample_add_case(&s->slower, one, chosen > slower_than * library ? 100 : 0);
        sample_add_case(&s->gain, one, library / chosen);
    }
    if (!isnan(stay))
        sample_add_case(&s->stay, one, chosen > slower_than_stay * stay ? 100 : 0);
    if (ratio > s->worst) {
        s->worst = ratio;
        s->worst_matrix = one->row->matrix;
    }
}

static void add_held(struct sums *s, struct advised_held held, const struct score_case *one)
{
    if (held.gain >= 0)
        sample_add_case(&s->held, one, held.gain ? 100 : 0);
    if (held.breakeven >= 0)
        sample_add_case(&s->paid, one, held.breakeven ? 100 : 0);
    if (held.total >= 0)
        sample_add_case(&s->total, one, held.total ? 100 : 0);
}

/* Puts the mean of shares and its interval into the column NAME_percent, NAME_low and NAME_high. */
static void put_share(struct table *out, const char *name, const struct sample *s)
{
    double low = NAN, high = NAN;
    char percent[48], low_name[48], high_name[48];
    snprintf(percent, sizeof percent, "%s_percent", name);
    snprintf(low_name, sizeof low_name, "%s_low", name);
    snprintf(high_name, sizeof high_name, "%s_high", name);
    if (s->n > 0)
        sample_interval(s, UNIT_FAMILY, &low, &high);
    table_put_real(out, percent, s->n > 0 ? sample_mean(s) : NAN, 3);
    table_put_real(out, low_name, low, 3);
    table_put_real(out, high_name, high, 3);
}

static bool is_in(const struct advice *t, const struct score_contest *c, int set, int group)
{
    const struct score_case *one = &t->s->one[c->first];
    return one->row->sealed == set && (group == 0 || one->group == group);
}

static void print_line(const struct advice *t, struct table *out, const struct chooser *w, int set, int group,
                       int64_t n)
{
    struct sums s = { 0 };
    double low, high;
    int64_t contests = 0;
    const int seeds = w->always == BY_FORECAST ? w->end - w->first : 1;
    for (int64_t k = 0; k < t->s->ncontests; k++) {
        const struct score_contest *c = &t->s->contest[k];
        if (!is_in(t, c, set, group))
            continue;
        contests++;
        for (int i = 0; i < seeds; i++) {
            const struct score_series *series = w->always == BY_FORECAST ? &t->s->series[w->first + i] : NULL;
            bool speaks = !series;
            for (int64_t j = c->first; j < c->end && !speaks; j++)
                speaks = series->of[j] != NULL;
            const int64_t stay = series ? advised_stay(t, series, c, n) : -1;
            if (speaks && series)
                add_held(&s, advised_held(t, series, c, n), &t->s->one[c->first]);
            if (speaks)
                add_contest(t, &s, c, series ? chosen_by_forecast(t, w, series, c, n) : least_total(t, c, w->always, n),
                            stay < 0 ? NAN : measured_total(t, stay, n), n);
        }
    }
    sample_weigh(&s.ratio, UNIT_MATRIX);
    sample_weigh(&s.within, UNIT_MATRIX);
    sample_weigh(&s.slower, UNIT_MATRIX);
    sample_weigh(&s.stay, UNIT_MATRIX);
    sample_weigh(&s.held, UNIT_MATRIX);
    sample_weigh(&s.paid, UNIT_MATRIX);
    sample_weigh(&s.total, UNIT_MATRIX);
    sample_weigh(&s.gain, UNIT_MATRIX);
    if (contests > 0 && s.ratio.n + s.unknown > 0) {
        table_put_text(out, "advice", w->name);
        table_put_text(out, "training", w->training);
        table_put_text(out, t->s->choice->by->key ? t->s->choice->by->name : "group", t->s->group[group]);
        table_put_text(out, "set", score_set_name(set));
        table_put_int(out, "iterations", n);
        table_put_int(out, "contests", contests);
        table_put_int(out, "matrices", sample_units(&s.ratio, UNIT_MATRIX));
        table_put_real(out, "ratio", sample_geomean(&s.ratio), 4);
        sample_geointerval(&s.ratio, UNIT_FAMILY, &low, &high);
        table_put_real(out, "ratio_low", low, 4);
        table_put_real(out, "ratio_high", high, 4);
        table_put_real(out, "within5_percent", sample_mean(&s.within), 3);
        table_put_real(out, "worst", s.ratio.n > 0 ? s.worst : NAN, 3);
        table_put_text(out, "worst_matrix", s.worst_matrix);
        table_put_real(out, "slower_percent", sample_mean(&s.slower), 3);
        table_put_real(out, "times_library", sample_geomean(&s.gain), 4);
        table_put_int(out, "unknown", s.unknown);
        put_share(out, "lost", &s.stay);
        put_share(out, "gain_held", &s.held);
        put_share(out, "breakeven_held", &s.paid);
        put_share(out, "total_held", &s.total);
        table_row_end(out);
    }
    sums_free(&s);
}

static void print_chooser(const struct advice *t, struct table *out, const struct chooser *w, int set)
{
    for (int group = 0; group < t->s->ngroups; group++)
        for (int k = 0; k < COUNTS; k++)
            print_line(t, out, w, set, group, counts[k]);
}

static void print_all(const struct advice *t, struct table *out, int set)
{
    for (int first = 0, end; first < t->s->nseries; first = end) {
        const struct score_series *series = &t->s->series[first];
        end = scores_series_end(t->s, first);
        print_chooser(t, out, &(struct chooser){ BY_FORECAST, series->model, series->training, first, end, 1, SAME },
                      set);
        if (strcmp(series->model, model_default) != 0)
            continue;
        char *tuned = xasprintf("%s, best of %d timed", series->model, TUNED);
        print_chooser(t, out, &(struct chooser){ BY_FORECAST, tuned, series->training, first, end, TUNED, SAME }, set);
        free(tuned);
        for (int k = 0; k < 2; k++) {
            char *fixed = k == 0 ? xasprintf("%s, chosen for %d", series->model, PICK_PRODUCTS)
                                 : xasprintf("%s, chosen for unlimited", series->model);
            print_chooser(
                t, out,
                &(struct chooser){ BY_FORECAST, fixed, series->training, first, end, 1, k == 0 ? PICK_PRODUCTS : 0 },
                set);
            free(fixed);
        }
    }
    for (int i = 0; i < NHABITS; i++)
        print_chooser(
            t, out,
            &(struct chooser){ .always = habits[i].always, .name = habits[i].name, .training = "", .choose_for = SAME },
            set);
}

static const struct column columns[] = {
    TEXT_COLUMN(
        "advice",
        "model that chooses, a model whose best 3 are timed or that chooses for another number of products, or a fixed choice"),
    TEXT_COLUMN("training", "matrices that the model was fitted to: all or generated; empty for fixed choices"),
    TEXT_COLUMN("group", "group of contests, or all"),
    TEXT_COLUMN(
        "set",
        "crossvalidated; sealed: matrices that took part in no fit and no choice; unseen: of run archives, which the fit has not seen"),
    INT_COLUMN("iterations", "", "products N of the total time; 0: one, without conversion and preparation"),
    INT_COLUMN("contests", "", "matrices x precisions x cache states x launches of the group and set"),
    INT_COLUMN("matrices", "", "matrices with a known total, each of weight 1"),
    REAL_COLUMN("ratio", "", "measured total of the advised configuration / lowest total; geometric mean"),
    REAL_COLUMN("ratio_low", "", "lower end of the 95 % interval of ratio (bootstrap over families)"),
    REAL_COLUMN("ratio_high", "", "upper end of the 95 % interval of ratio (bootstrap over families)"),
    REAL_COLUMN("within5_percent", "%", "contests in which the total is at most 1.05 of the lowest"),
    REAL_COLUMN("worst", "", "largest ratio of a contest"),
    TEXT_COLUMN("worst_matrix", "matrix of the largest ratio"),
    REAL_COLUMN("slower_percent", "%", "contests in which the total exceeds 1.05 of that of the best of cuSPARSE"),
    REAL_COLUMN("times_library", "", "total of the best of cuSPARSE / total of the advised; geometric mean"),
    INT_COLUMN("unknown", "", "contests, once per seed, without a choice or with an unknown total"),
    REAL_COLUMN("lost_percent", "%",
                "contests in which the total exceeds 1.02 of that of the best forecast that leaves CSR as it is"),
    REAL_COLUMN("lost_low", "%", "lower end of the 95 % interval of lost_percent (bootstrap over families)"),
    REAL_COLUMN("lost_high", "%", "upper end of the 95 % interval of lost_percent (bootstrap over families)"),
    REAL_COLUMN(
        "gain_held_percent", "%",
        "contests in which the interval of the gain of the best forecast that converts over the best that does not holds the measured gain"),
    REAL_COLUMN("gain_held_low", "%", "lower end of the 95 % interval of gain_held_percent (bootstrap over families)"),
    REAL_COLUMN("gain_held_high", "%", "upper end of the 95 % interval of gain_held_percent (bootstrap over families)"),
    REAL_COLUMN("breakeven_held_percent", "%",
                "the same of the break-even of these two, where converting has the longer set-up"),
    REAL_COLUMN("breakeven_held_low", "%",
                "lower end of the 95 % interval of breakeven_held_percent (bootstrap over families)"),
    REAL_COLUMN("breakeven_held_high", "%",
                "upper end of the 95 % interval of breakeven_held_percent (bootstrap over families)"),
    REAL_COLUMN("total_held_percent", "%",
                "the same of the total of the best forecast that converts, of one product without conversion if N = 0"),
    REAL_COLUMN("total_held_low", "%",
                "lower end of the 95 % interval of total_held_percent (bootstrap over families)"),
    REAL_COLUMN("total_held_high", "%",
                "upper end of the 95 % interval of total_held_percent (bootstrap over families)"),
    COLUMNS_END,
};
enum { GROUP = 2 }; /* the column that is named after the grouping */

void advice_table(const struct scores *s, const struct advice_choice *how, struct table *out)
{
    struct advice t = { .s = s, .how = how };
    const struct score_grouping *by = s->choice->by;
    if (s->archive.ncosts == 0)
        die("%s has no costs of conversion and preparation, because an older spmv-fit wrote it; regenerate it with spmv-fit "
            "--crossvalidate (make crossvalidate)",
            s->path);
    if (by->across)
        usage_die("--by %s is not supported by --table advice: a contest has several %ss; choose another grouping",
                  by->name, by->name);
    advice_price(&t);
    struct column *named = columns_renamed(columns, GROUP, score_group_column(by));
    table_begin(out, named);
    char *view = xasprintf("advice training%s%s%s iterations ratio within5_percent slower_percent times_library worst",
                           scores_of_both_sets(s) ? " set" : "", by->key ? " " : "", by->key ? by->name : "");
    textout_view(out, view);
    free(view);
    table_note(out, "%s: %s, %s", s->path, counted(s->n, "case").text, counted(s->ncontests, "contest").text);
    table_note(
        out,
        "table: advice; ratio: measured total of the advised configuration / lowest total of all configurations, geometric "
        "mean, each matrix with weight 1; total: conversion + preparation + N products; N = 0: one product without conversion and preparation");
    table_note(
        out,
        "matrix on the %s; risk %s; times exclude the overhead of their launch state; slower_percent: advised configurations more "
        "than 5 %% slower than the best of cuSPARSE; times_library: total of that / total of the advised configuration",
        how->location == ON_HOST ? "host" : "GPU", textout_digits(how->risk, 3).text);
    textout_head(out);
    for (int set = 0; set < SCORE_SETS; set++)
        print_all(&t, out, set);
    table_note(out, "%s without measured or forecast costs, excluded from totals with N > 0",
               counted(t.unpriced, "case").text);
    table_note(out,
               "unknown: contests, counted once per seed, in which no configuration is chosen or a total is unknown");
    free(named);
    free(t.of);
}
