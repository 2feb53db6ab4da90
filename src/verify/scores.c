/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "scores": compares archived forecasts with measured times, in one row per model, training set, set, group and launch
 * state. */
#include "verify/scores.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

static const char *const set_names[SCORE_SETS] = { "crossvalidated", "sealed", "unseen" };
static const char *const state_names[NSTATES] = { "unknown", "known" };

/* The columns of figures, with their significant digits. */
static const struct {
    const char *name;
    int digits; /* 0: integer */
} columns[NFIGURES] = {
    [F_REFUSED] = { "refused", 0 },
    [F_NEAR] = { "near", 0 },
    [F_MEAN] = { "mean_percent", 3 },
    [F_MEDIAN] = { "median_percent", 3 },
    [F_P90] = { "p90_percent", 3 },
    [F_MEAN_LOW] = { "mean_low", 3 },
    [F_MEAN_HIGH] = { "mean_high", 3 },
    [F_PICK] = { "pick", 4 },
    [F_WITHIN5] = { "within5_percent", 3 },
    [F_P1] = { "pick_p1", 3 },
    [F_WORST] = { "pick_worst", 3 },
    [F_TOP3] = { "top3", 4 },
    [F_NO_PICK] = { "no_pick", 0 },
    [F_COVERAGE] = { "coverage_percent", 3 },
    [F_COVERAGE_LOW] = { "coverage_low", 3 },
    [F_COVERAGE_HIGH] = { "coverage_high", 3 },
    [F_HALF_WIDTH] = { "half_width_percent", 3 },
    [F_WITHIN20] = { "within20_percent", 3 },
};

const char *score_set_name(int sealed) { return set_names[sealed]; }
const char *score_state_name(int state) { return state_names[state]; }

/* ---- fields: cases and contests that are scored together ---- */

/* Appends a number to an array that doubles in size when full. */
static void append(int64_t **v, int64_t *n, int64_t number)
{
    if ((*n & (*n - 1)) == 0)
        *v = xrealloc(*v, sizeof **v * (unsigned long)(*n ? 2 * *n : 1));
    (*v)[(*n)++] = number;
}

static void add_contest(struct score_field *field, int64_t contest)
{
    if (field->ncontests == 0 || field->contest[field->ncontests - 1] != contest)
        append(&field->contest, &field->ncontests, contest);
}

/* Returns the fields [SCORE_SETS][ngroups]; free with fields_free. */
static struct score_field *fields_make(const struct scores *s)
{
    struct score_field *fields = xcalloc((unsigned long)(SCORE_SETS * s->ngroups), sizeof *fields);

    for (int i = 0; i < SCORE_SETS * s->ngroups; i++)
        fields[i].group = i % s->ngroups;
    for (int64_t i = 0; i < s->n; i++) {
        const struct score_case *one = &s->one[i];
        struct score_field *of_set = fields + one->row->sealed * s->ngroups;
        append(&of_set->one, &of_set->ncases, i);
        if (one->group > 0)
            append(&of_set[one->group].one, &of_set[one->group].ncases, i);
        for (int group = 0; group < s->ngroups; group++)
            if (group == 0 || group == one->group || s->choice->by->across)
                add_contest(&of_set[group], one->contest);
    }
    return fields;
}

static void fields_free(struct score_field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        free(fields[i].one);
        free(fields[i].contest);
    }
    free(fields);
}

/* ---- figures of several seeds ---- */

/* Computes the means of all figures over seeds, and in *spread the standard deviation of the mean error (NaN for one seed).
 * worst_matrix is that of the seed with the worst pick. */
static void over_seeds(const struct figures *seed, int n, struct figures *all, double *spread)
{
    double worst = INFINITY, squares = 0;
    int64_t errors = 0;

    *all = seed[0];
    for (int k = 0; k < NFIGURES; k++) {
        double sum = 0;
        int64_t known = 0;
        for (int i = 0; i < n; i++)
            if (!isnan(seed[i].v[k])) {
                sum += seed[i].v[k];
                known++;
            }
        all->v[k] = known > 0 ? sum / (double)known : NAN;
    }
    for (int i = 0; i < n; i++) {
        all->families = seed[i].families > all->families ? seed[i].families : all->families;
        all->matrices = seed[i].matrices > all->matrices ? seed[i].matrices : all->matrices;
        all->cases = seed[i].cases > all->cases ? seed[i].cases : all->cases;
        if (seed[i].worst_matrix && seed[i].v[F_WORST] < worst) {
            worst = seed[i].v[F_WORST];
            all->worst_matrix = seed[i].worst_matrix;
        }
        if (!isnan(seed[i].v[F_MEAN])) {
            squares += (seed[i].v[F_MEAN] - all->v[F_MEAN]) * (seed[i].v[F_MEAN] - all->v[F_MEAN]);
            errors++;
        }
    }
    *spread = errors > 1 ? sqrt(squares / (double)(errors - 1)) : NAN;
}

/* ---- lines ---- */

static void print_figure(struct table *out, const struct figures *f, enum figure k)
{
    if (columns[k].digits > 0)
        table_put_real(out, columns[k].name, f->v[k], columns[k].digits);
    else
        table_put_int(out, columns[k].name, llround(f->v[k]));
}

static void print_line(struct table *out, const struct scores *s, const struct score_series *series, int nseeds,
                       const struct figures *seed, int set, int group, int state)
{
    struct figures f;
    double spread;

    over_seeds(seed, nseeds, &f, &spread);
    table_put_text(out, "model", series->model);
    table_put_text(out, "training", series->training);
    table_put_text(out, score_group_column(s->choice->by), s->group[group]);
    table_put_text(out, "set", set_names[set]);
    table_put_text(out, "state", state_names[state]);
    table_put_int(out, "matrices", f.matrices);
    table_put_int(out, "families", f.families);
    table_put_int(out, "cases", f.cases);
    for (int k = 0; k < NFIGURES; k++) {
        print_figure(out, &f, (enum figure)k);
        if (k == F_WORST)
            table_put_text(out, "worst_matrix", f.worst_matrix);
    }
    table_put_int(out, "seeds", nseeds);
    table_put_real(out, "spread", spread, 3);
    table_row_end(out);
}

int scores_series_end(const struct scores *s, int first)
{
    int end = first + 1;

    while (end < s->nseries && strcmp(s->series[end].model, s->series[first].model) == 0
           && strcmp(s->series[end].training, s->series[first].training) == 0)
        end++;
    return end;
}

static void print_field(struct table *out, const struct scores *s, const struct score_picks *picks, int set,
                        const struct score_field *field, int first, int end)
{
    struct figures *seed = xcalloc((unsigned long)(end - first), sizeof *seed);

    for (int state = 0; state < s->nstates && field->ncases > 0; state++) {
        int n = 0; /* seeds with a case in this field */
        for (int i = first; i < end; i++) {
            figures_of(&seed[n], s, &s->series[i], &picks[i], field, (enum launch_state)state);
            n += seed[n].cases > 0;
        }
        if (n > 0)
            print_line(out, s, &s->series[first], n, seed, set, field->group, state);
    }
    free(seed);
}

/* ---- notes ---- */

static void note_series(const struct scores *s, struct table *out, int first, int end)
{
    int64_t count[FORECAST_REFUSED + 1] = { 0 }, none = 0;
    double farthest = 0;

    for (int k = first; k < end; k++)
        for (int64_t i = 0; i < s->n; i++) {
            const struct case_forecast *f = s->series[k].of[i];
            none += !f;
            if (!f)
                continue;
            count[f->status]++;
            if (f->status == FORECAST_EXTRAPOLATED)
                farthest = fmax(farthest, (double)f->distance);
        }
    char *how_far = count[FORECAST_EXTRAPOLATED] > 0 ? xasprintf(" (at most %s times beyond the fitted range)",
                                                                 textout_digits(exp(farthest), 3).text)
                                                     : xstrdup("");
    table_note(out, "%s, training %s, %s: %s, %" PRId64 " extrapolated%s, %" PRId64 " refused; %s without a forecast",
               s->series[first].model, s->series[first].training, counted(end - first, "seed").text,
               counted(count[FORECAST_OK] + count[FORECAST_EXTRAPOLATED], "forecast").text,
               count[FORECAST_EXTRAPOLATED], how_far, count[FORECAST_REFUSED], counted(none, "case").text);
    free(how_far);
}

static void note_table(const struct scores *s, struct table *out)
{
    table_note(out, "archive %s: %s; the more frequent launch state adds %s us", s->path,
               counted(s->archive.ncases, "case").text, textout_digits(s->archive.state_us, 3).text);
    table_note(
        out,
        "table: scores by %s; errors: |forecast / measured - 1| of near cases, those within 2x of the best of their "
        "contest (matrix, precision, cache state, launch); each matrix has weight 1",
        s->choice->by->about);
    table_note(
        out,
        "pick: best time / time of the pick, both measured; top3: the same for the best of the three lowest forecasts; "
        "coverage: share of measured times inside the interval, of cases forecast within 2x of the lowest forecast, each "
        "family with weight 1");
    table_note(out, "state unknown: forecasts for the more frequent launch state%s",
               s->nstates == NSTATES ? "; known: for the launch state of the measurement"
                                     : "; the archive does not say what its rows owe to launch states");
}

static const struct column scores_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("training", "matrices that the model was fitted to: all, or generated ones only"),
    TEXT_COLUMN("group", "group of cases, or all"),
    TEXT_COLUMN(
        "set",
        "crossvalidated; sealed: matrices that took part in no fit and no choice; unseen: of run archives, which the fit has not seen"),
    TEXT_COLUMN("state", "launch state that forecasts are for: unknown (the more frequent one) or known"),
    INT_COLUMN("matrices", "", "matrices with a case"),
    INT_COLUMN("families", "", "families of these matrices"),
    INT_COLUMN("cases", "", "measured times: a configuration in a contest each"),
    INT_COLUMN("refused", "", "cases that the model refuses to forecast"),
    INT_COLUMN("near", "", "forecast cases within twice the best time of their contest"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1| of near cases, each matrix with weight 1"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("p90_percent", "%", "90th percentile of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("mean_low", "%", "lower end of the 95 % interval of mean_percent (bootstrap over families)"),
    REAL_COLUMN("mean_high", "%", "upper end of the 95 % interval of mean_percent (bootstrap over families)"),
    REAL_COLUMN("pick", "", "best time / time of the pick (lowest forecast), both measured; mean"),
    REAL_COLUMN("within5_percent", "%", "picks at most 5 % slower than the best"),
    REAL_COLUMN("pick_p1", "", "1st percentile of best time / time of the pick"),
    REAL_COLUMN("pick_worst", "", "lowest best time / time of the pick"),
    TEXT_COLUMN("worst_matrix", "matrix of the worst pick"),
    REAL_COLUMN("top3", "", "best time / best time among the three lowest forecasts; mean"),
    INT_COLUMN("no_pick", "", "contests without any forecast"),
    REAL_COLUMN("coverage_percent", "%", "measured times inside the forecast interval, each family with weight 1"),
    REAL_COLUMN("coverage_low", "%", "lower end of the 95 % interval of coverage_percent"),
    REAL_COLUMN("coverage_high", "%", "upper end of the 95 % interval of coverage_percent"),
    REAL_COLUMN("half_width_percent", "%", "half-width of the forecast interval, sqrt(high / low) - 1; median"),
    REAL_COLUMN("within20_percent", "%", "picks at most 20 % slower than the best"),
    INT_COLUMN("seeds", "", "seeds of folds and fit; figures are means over them"),
    REAL_COLUMN("spread", "%", "standard deviation of mean_percent over seeds"),
    COLUMNS_END,
};
enum { GROUP = 2 }; /* the column that is named after the grouping */

void scores_table(const struct scores *s, struct table *out)
{
    struct score_picks *picks = xcalloc((unsigned long)s->nseries, sizeof *picks);
    for (int i = 0; i < s->nseries; i++)
        picks_make(&picks[i], s, &s->series[i]);
    struct score_field *fields = fields_make(s);
    struct column *named = columns_renamed(scores_columns, GROUP, score_group_column(s->choice->by));
    table_begin(out, named);
    const bool grouped = s->choice->by->key;
    char *view =
        xasprintf("model training%s%s%s state median_percent p90_percent pick within5_percent coverage_percent "
                  "pick_worst top3",
                  scores_of_both_sets(s) ? " set" : "", grouped ? " " : "", grouped ? s->choice->by->name : "");
    textout_view(out, view);
    free(view);
    note_table(s, out);
    textout_head(out);
    for (int set = 0; set < SCORE_SETS; set++)
        for (int first = 0; first < s->nseries; first = scores_series_end(s, first))
            for (int group = 0; group < s->ngroups; group++)
                print_field(out, s, picks, set, &fields[set * s->ngroups + group], first, scores_series_end(s, first));
    for (int first = 0; first < s->nseries; first = scores_series_end(s, first))
        note_series(s, out, first, scores_series_end(s, first));
    if (s->choice->more)
        table_note(out, "%s", s->choice->more);
    free(named);
    fields_free(fields, SCORE_SETS * s->ngroups);
    for (int i = 0; i < s->nseries; i++)
        picks_free(&picks[i]);
    free(picks);
}
