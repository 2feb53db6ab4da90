/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of one model's forecasts over some cases and contests: errors, picks, coverage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "verify/scores.h"

/* ---- errors ---- */

static void errors_of(struct figures *f, const struct scores *s, const struct score_series *series,
                      const struct score_field *field, enum launch_state state)
{
    struct sample e = { 0 };
    int64_t family = -1, matrix = -1;

    f->v[F_REFUSED] = 0;
    for (int64_t i = 0; i < field->ncases; i++) {
        const struct score_case *one = &s->one[field->one[i]];
        const struct case_forecast *c = series->of[field->one[i]];
        if (!c)
            continue;
        f->cases++;
        f->families += one->family != family;
        f->matrices += one->matrix != matrix;
        family = one->family;
        matrix = one->matrix;
        f->v[F_REFUSED] += !score_given(c);
        if (score_given(c) && one->near)
            sample_add_case(
                &e, one, 100 * fabs(((double)c->time_us + score_added_us(s, one, state)) / one->row->measured_us - 1));
    }
    sample_weigh(&e, UNIT_MATRIX);
    f->v[F_NEAR] = (double)e.n;
    f->v[F_MEAN] = sample_mean(&e);
    sample_interval(&e, UNIT_FAMILY, &f->v[F_MEAN_LOW], &f->v[F_MEAN_HIGH]);
    sample_sort(&e);
    f->v[F_MEDIAN] = sample_weighted_quantile(&e, 0.5);
    f->v[F_P90] = sample_weighted_quantile(&e, 0.9);
    sample_free(&e);
}

/* ---- intervals ---- */

static void intervals_of(struct figures *f, const struct scores *s, const struct score_series *series,
                         const struct score_picks *picks, const struct score_field *field, enum launch_state state)
{
    struct sample hit = { 0 }, width = { 0 };

    for (int64_t i = 0; i < field->ncases; i++) {
        const struct score_case *one = &s->one[field->one[i]];
        const struct case_forecast *c = series->of[field->one[i]];
        if (!score_has_interval(c, picks->least_us[one->contest]))
            continue;
        const double low = (double)c->low_us + score_added_us(s, one, state),
                     high = (double)c->high_us + score_added_us(s, one, state), us = one->row->measured_us;
        sample_add_case(&hit, one, low <= us && us <= high ? 100 : 0);
        sample_add_case(&width, one, 100 * (sqrt(high / low) - 1));
    }
    sample_weigh(&hit, UNIT_FAMILY);
    sample_weigh(&width, UNIT_FAMILY);
    f->v[F_COVERAGE] = sample_mean(&hit);
    sample_interval(&hit, UNIT_FAMILY, &f->v[F_COVERAGE_LOW], &f->v[F_COVERAGE_HIGH]);
    sample_sort(&width);
    f->v[F_HALF_WIDTH] = sample_weighted_quantile(&width, 0.5);
    sample_free(&hit);
    sample_free(&width);
}

/* ---- picks ---- */

static double time_of(const struct score_case *one, enum launch_state state)
{
    return state == STATE_KNOWN ? one->fast_us : one->row->measured_us;
}

enum { TOP = 3 };

/* Finds the cases of a contest with the TOP lowest forecasts, in ascending order; ties keep the order of cases. one_part: also composites
 * with all nonzeros in one part. Returns how many it found. */
static int least_forecasts(const struct scores *s, const struct score_series *series,
                           const struct score_contest *contest, bool one_part, int64_t least[TOP])
{
    int n = 0;

    for (int64_t i = contest->first; i < contest->end; i++) {
        const struct case_forecast *c = series->of[i];
        if (!score_given(c) || (!one_part && s->one[i].row->one_part == 1))
            continue;
        int at = n;
        while (at > 0 && c->time_us < series->of[least[at - 1]]->time_us)
            at--;
        if (at == TOP)
            continue;
        n += n < TOP;
        memmove(least + at + 1, least + at, sizeof *least * (unsigned long)(n - 1 - at));
        least[at] = i;
    }
    return n;
}

void picks_make(struct score_picks *p, const struct scores *s, const struct score_series *series)
{
    const unsigned long room = (unsigned long)s->ncontests + 1;

    p->pick = xmalloc(sizeof *p->pick * room);
    p->least_us = xmalloc(sizeof *p->least_us * room);
    for (int state = 0; state < NSTATES; state++)
        p->top_us[state] = xmalloc(sizeof *p->top_us[state] * room);
    for (int64_t k = 0; k < s->ncontests; k++) {
        int64_t least[TOP];
        int n = least_forecasts(s, series, &s->contest[k], false, least);
        if (n == 0)
            n = least_forecasts(s, series, &s->contest[k], true, least);
        p->pick[k] = n > 0 ? least[0] : -1;
        p->least_us[k] = n > 0 ? (double)series->of[least[0]]->time_us : NAN;
        for (int state = 0; state < NSTATES; state++) {
            p->top_us[state][k] = INFINITY;
            for (int i = 0; i < n; i++)
                p->top_us[state][k] = fmin(p->top_us[state][k], time_of(&s->one[least[i]], (enum launch_state)state));
        }
    }
}

void picks_free(struct score_picks *p)
{
    free(p->pick);
    free(p->least_us);
    for (int state = 0; state < NSTATES; state++)
        free(p->top_us[state]);
}

static void picks_of(struct figures *f, const struct scores *s, const struct score_picks *picks,
                     const struct score_field *field, enum launch_state state)
{
    const bool by_pick = s->choice->by->across && field->group > 0;
    struct sample ratio = { 0 }, within = { 0 }, within20 = { 0 }, top = { 0 };

    f->v[F_NO_PICK] = 0;
    f->v[F_WORST] = NAN;
    for (int64_t i = 0; i < field->ncontests; i++) {
        const int64_t k = field->contest[i];
        if (picks->pick[k] < 0) {
            f->v[F_NO_PICK] += !by_pick;
            continue;
        }
        const struct score_case *pick = &s->one[picks->pick[k]];
        if (by_pick && pick->group != field->group)
            continue;
        const double best = s->contest[k].best_us[state], us = time_of(pick, state);
        sample_add_case(&ratio, pick, best / us);
        sample_add_case(&within, pick, us <= 1.05 * best ? 100 : 0);
        sample_add_case(&within20, pick, us <= 1.2 * best ? 100 : 0);
        sample_add_case(&top, pick, best / picks->top_us[state][k]);
        if (!(best / us >= f->v[F_WORST])) {
            f->v[F_WORST] = best / us;
            f->worst_matrix = pick->row->matrix;
        }
    }
    sample_weigh(&ratio, UNIT_MATRIX);
    sample_weigh(&within, UNIT_MATRIX);
    sample_weigh(&within20, UNIT_MATRIX);
    sample_weigh(&top, UNIT_MATRIX);
    f->v[F_PICK] = sample_mean(&ratio);
    f->v[F_WITHIN5] = sample_mean(&within);
    f->v[F_WITHIN20] = sample_mean(&within20);
    f->v[F_TOP3] = sample_mean(&top);
    sample_sort(&ratio);
    f->v[F_P1] = sample_weighted_quantile(&ratio, 0.01);
    sample_free(&ratio);
    sample_free(&within);
    sample_free(&within20);
    sample_free(&top);
}

void figures_of(struct figures *f, const struct scores *s, const struct score_series *series,
                const struct score_picks *picks, const struct score_field *field, enum launch_state state)
{
    *f = (struct figures){ 0 };
    errors_of(f, s, series, field, state);
    intervals_of(f, s, series, picks, field, state);
    picks_of(f, s, picks, field, state);
}
