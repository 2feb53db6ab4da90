/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "coverage": how often measured times are inside the intervals of archived forecasts, on which side they miss them, and the
 * same for the configurations that a user would run: those of least forecast, and the recommended ones (forecast/pick.h, N = 0). Each
 * family has weight 1. */
#include <math.h>
#include <stdlib.h>
#include "base/strings.h"
#include "verify/advised.h"

enum covered { OF_ALL, OF_LEAST, OF_RECOMMENDED, NCOVERED };
static const char *const covered_names[NCOVERED] = { "all", "least", "recommended" };

/* The cases of each kind of one series: marks[covered][i] of case i. */
struct covered_marks {
    bool *of[NCOVERED];
};

enum { F_HELD, F_HELD_LOW, F_HELD_HIGH, F_BELOW, F_ABOVE, F_WIDTH, NVALUES };
struct coverage {
    int64_t matrices, families, intervals;
    double v[NVALUES];
};

/* ---- cases ---- */

static void marks_make(struct covered_marks *m, const struct advice *t, const struct score_series *series)
{
    const struct scores *s = t->s;
    struct score_picks picks;

    for (int k = 0; k < NCOVERED; k++)
        m->of[k] = xcalloc((unsigned long)s->n + 1, sizeof *m->of[k]);
    picks_make(&picks, s, series);
    for (int64_t k = 0; k < s->ncontests; k++) {
        const struct score_contest *c = &s->contest[k];
        int64_t which[ADVISED_MAX];
        for (int64_t i = c->first; i < c->end; i++)
            m->of[OF_ALL][i] = score_has_interval(series->of[i], picks.least_us[k]);
        if (picks.pick[k] >= 0)
            m->of[OF_LEAST][picks.pick[k]] = m->of[OF_ALL][picks.pick[k]];
        if (advised_cases(t, series, c, s->archive.ncosts > 0 ? PICK_PRODUCTS : 0, 1, which) > 0)
            m->of[OF_RECOMMENDED][*which] = m->of[OF_ALL][*which];
    }
    picks_free(&picks);
}

static void marks_free(struct covered_marks *m)
{
    for (int k = 0; k < NCOVERED; k++)
        free(m->of[k]);
}

/* ---- figures ---- */

/* Returns the mean over families of the share of their values that are `side`, in percent. */
static double share_of(const struct sample *sides, int side)
{
    struct sample s = { 0 };

    for (int64_t i = 0; i < sides->n; i++)
        sample_add(&s, (int)sides->v[i].value == side ? 100 : 0, sides->v[i].unit[UNIT_MATRIX],
                   sides->v[i].unit[UNIT_FAMILY]);
    sample_weigh(&s, UNIT_FAMILY);
    const double share = sample_mean(&s);
    sample_free(&s);
    return share;
}

static void coverage_of(struct coverage *c, const struct scores *s, const struct score_series *series,
                        const bool *marks, int set, int group, enum launch_state state)
{
    struct sample sides = { 0 }, held = { 0 }, width = { 0 }; /* side -1: below the interval, 0: inside, 1: above */

    for (int64_t i = 0; i < s->n; i++) {
        const struct score_case *one = &s->one[i];
        if (!marks[i] || one->row->sealed != set || (group > 0 && one->group != group))
            continue;
        const double added = score_added_us(s, one, state), low = (double)series->of[i]->low_us + added,
                     high = (double)series->of[i]->high_us + added, us = one->row->measured_us;
        const int side = us < low ? -1 : us > high;
        sample_add_case(&sides, one, side);
        sample_add_case(&held, one, side == 0 ? 100 : 0);
        sample_add_case(&width, one, 100 * (sqrt(high / low) - 1));
    }
    c->matrices = sample_units(&held, UNIT_MATRIX);
    c->families = sample_units(&held, UNIT_FAMILY);
    c->intervals = held.n;
    sample_weigh(&held, UNIT_FAMILY);
    sample_weigh(&width, UNIT_FAMILY);
    c->v[F_HELD] = sample_mean(&held);
    sample_interval(&held, UNIT_FAMILY, &c->v[F_HELD_LOW], &c->v[F_HELD_HIGH]);
    c->v[F_BELOW] = share_of(&sides, -1);
    c->v[F_ABOVE] = share_of(&sides, 1);
    sample_sort(&width);
    c->v[F_WIDTH] = sample_weighted_quantile(&width, 0.5);
    sample_free(&sides);
    sample_free(&held);
    sample_free(&width);
}

/* ---- lines ---- */

static const struct column columns[] = {
    TEXT_COLUMN("model", "model with intervals"),
    TEXT_COLUMN("training", "matrices that the model was fitted to: all, or generated ones only"),
    TEXT_COLUMN("group", "group of cases, or all"),
    TEXT_COLUMN(
        "set",
        "crossvalidated; sealed: matrices that took part in no fit and no choice; unseen: of run archives, which the fit has not seen"),
    TEXT_COLUMN("state", "launch state that forecasts are for: unknown (the more frequent one) or known"),
    TEXT_COLUMN(
        "of",
        "cases: all (forecast within twice the least forecast of their contest), least (of least forecast in "
        "its contest) or recommended (by spmv-predict, for 200 products; in an archive without costs, without limit)"),
    INT_COLUMN("matrices", "", "matrices with such a case"),
    INT_COLUMN("families", "", "families of these matrices"),
    INT_COLUMN("intervals", "", "such cases with an interval; mean over seeds"),
    REAL_COLUMN("coverage_percent", "%", "measured times inside the interval, each family with weight 1"),
    REAL_COLUMN("coverage_low", "%", "lower end of the 95 % interval of coverage_percent (bootstrap over families)"),
    REAL_COLUMN("coverage_high", "%", "upper end of the 95 % interval of coverage_percent (bootstrap over families)"),
    REAL_COLUMN("below_percent", "%", "measured times below the interval: shorter than forecast"),
    REAL_COLUMN("above_percent", "%", "measured times above the interval: longer than forecast"),
    REAL_COLUMN("half_width_percent", "%", "half-width of the interval, sqrt(high / low) - 1; median"),
    INT_COLUMN("seeds", "", "seeds of folds and fit; figures are means over them"),
    COLUMNS_END,
};
enum { GROUP = 2 }; /* the column that is named after the grouping */

/* Prints the mean over seeds; seed has a coverage per series of [first, first + n) that has such cases. */
static void print_line(struct table *out, const struct scores *s, const struct score_series *series,
                       const struct coverage *seed, int n, int set, int group, int state, enum covered of)
{
    static const char *const names[NVALUES] = { "coverage_percent", "coverage_low",  "coverage_high",
                                                "below_percent",    "above_percent", "half_width_percent" };
    int64_t matrices = 0, families = 0, intervals = 0;

    for (int i = 0; i < n; i++) {
        matrices = seed[i].matrices > matrices ? seed[i].matrices : matrices;
        families = seed[i].families > families ? seed[i].families : families;
        intervals += seed[i].intervals;
    }
    table_put_text(out, "model", series->model);
    table_put_text(out, "training", series->training);
    table_put_text(out, score_group_column(s->choice->by), s->group[group]);
    table_put_text(out, "set", score_set_name(set));
    table_put_text(out, "state", score_state_name(state));
    table_put_text(out, "of", covered_names[of]);
    table_put_int(out, "matrices", matrices);
    table_put_int(out, "families", families);
    table_put_int(out, "intervals", llround((double)intervals / n));
    for (int k = 0; k < NVALUES; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += seed[i].v[k];
        table_put_real(out, names[k], sum / n, 3);
    }
    table_put_int(out, "seeds", n);
    table_row_end(out);
}

static void print_group(struct table *out, const struct scores *s, const struct covered_marks *marks, int first,
                        int end, int set, int group)
{
    struct coverage *seed = xcalloc((unsigned long)(end - first), sizeof *seed);

    for (int state = 0; state < s->nstates; state++)
        for (int of = 0; of < NCOVERED; of++) {
            int n = 0;
            for (int i = first; i < end; i++) {
                coverage_of(&seed[n], s, &s->series[i], marks[i].of[of], set, group, (enum launch_state)state);
                n += seed[n].intervals > 0;
            }
            if (n > 0)
                print_line(out, s, &s->series[first], seed, n, set, group, state, (enum covered)of);
        }
    free(seed);
}

void coverage_table(const struct scores *s, const struct advice_choice *how, struct table *out)
{
    struct advice t = { .s = s, .how = how };
    struct covered_marks *marks = xcalloc((unsigned long)s->nseries, sizeof *marks);
    struct column *named = columns_renamed(columns, GROUP, score_group_column(s->choice->by));
    const bool grouped = s->choice->by->key;

    advice_price(&t);
    for (int i = 0; i < s->nseries; i++)
        marks_make(&marks[i], &t, &s->series[i]);
    table_begin(out, named);
    char *view =
        xasprintf("model training%s%s%s state of coverage_percent coverage_low coverage_high below_percent "
                  "above_percent half_width_percent",
                  scores_of_both_sets(s) ? " set" : "", grouped ? " " : "", grouped ? s->choice->by->name : "");
    textout_view(out, view);
    free(view);
    table_note(out, "%s: %s, %s", s->path, counted(s->n, "case").text, counted(s->ncontests, "contest").text);
    table_note(
        out,
        "table: coverage by %s; of: all cases forecast within 2x of the least forecast of their contest (matrix, "
        "precision, cache state, launch), the one of least forecast, and the recommended one (--risk %s)",
        s->choice->by->about, textout_digits(how->risk, 3).text);
    table_note(
        out,
        "coverage: share of measured times inside the interval, each family with weight 1, with a 95 %% interval by "
        "bootstrap over families; below, above: shares outside, by side");
    textout_head(out);
    for (int set = 0; set < SCORE_SETS; set++)
        for (int first = 0; first < s->nseries; first = scores_series_end(s, first))
            for (int group = 0; group < s->ngroups; group++)
                print_group(out, s, marks, first, scores_series_end(s, first), set, group);
    for (int i = 0; i < s->nseries; i++)
        marks_free(&marks[i]);
    free(marks);
    free(named);
    free(t.of);
}
