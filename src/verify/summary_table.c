/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "summary": errors, picks and interval coverage of each model's forecasts, per precision, cache state and launch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "verify/scores.h"

static const struct column columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    INT_COLUMN("matrices", "", "matrices with a case"),
    INT_COLUMN("cases", "", "measured times: a configuration on a matrix each"),
    INT_COLUMN("near", "", "forecast cases within twice the best time of their matrix"),
    INT_COLUMN("refused", "", "cases that the model refuses to forecast"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1| of near cases, each matrix with weight 1"),
    REAL_COLUMN("median_percent", "%", "median of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("p90_percent", "%", "90th percentile of |forecast / measured - 1| of near cases"),
    REAL_COLUMN("pick", "", "best time / time of the pick (lowest forecast), both measured; mean"),
    REAL_COLUMN("within5_percent", "%", "picks at most 5 % slower than the best"),
    REAL_COLUMN("pick_worst", "", "lowest best time / time of the pick"),
    TEXT_COLUMN("worst_matrix", "matrix of the worst pick"),
    REAL_COLUMN("top3", "", "best time / best time among the three lowest forecasts; mean"),
    INT_COLUMN("no_pick", "", "matrices without any forecast"),
    REAL_COLUMN("coverage_percent", "%", "measured times inside the forecast interval"),
    REAL_COLUMN("half_width_percent", "%", "half-width of the forecast interval, sqrt(high / low) - 1; median"),
    COLUMNS_END,
};

static void make_field(struct score_field *field, const struct scores *s, const struct target *t)
{
    *field = (struct score_field){ .one = xmalloc(sizeof *field->one * (unsigned long)(s->n + 1)),
                                   .contest = xmalloc(sizeof *field->contest * (unsigned long)(s->ncontests + 1)) };
    for (int64_t i = 0; i < s->n; i++)
        if (TARGET_SAME(s->one[i].row, t))
            field->one[field->ncases++] = i;
    for (int64_t k = 0; k < s->ncontests; k++)
        if (TARGET_SAME(s->one[s->contest[k].first].row, t))
            field->contest[field->ncontests++] = k;
}

static void print_figures(struct table *out, const char *model, const struct target *t, const struct figures *f)
{
    table_put_text(out, "model", model);
    table_put_target(out, t->precision, t->cache);
    table_put_text(out, "launch", launch_name(t->launch));
    table_put_int(out, "matrices", f->matrices);
    table_put_int(out, "cases", f->cases);
    table_put_int(out, "near", llround(f->v[F_NEAR]));
    table_put_int(out, "refused", llround(f->v[F_REFUSED]));
    table_put_real(out, "mean_percent", f->v[F_MEAN], 3);
    table_put_real(out, "median_percent", f->v[F_MEDIAN], 3);
    table_put_real(out, "p90_percent", f->v[F_P90], 3);
    table_put_real(out, "pick", f->v[F_PICK], 4);
    table_put_real(out, "within5_percent", f->v[F_WITHIN5], 3);
    table_put_real(out, "pick_worst", f->v[F_WORST], 3);
    table_put_text(out, "worst_matrix", f->worst_matrix);
    table_put_real(out, "top3", f->v[F_TOP3], 4);
    table_put_int(out, "no_pick", llround(f->v[F_NO_PICK]));
    table_put_real(out, "coverage_percent", f->v[F_COVERAGE], 3);
    table_put_real(out, "half_width_percent", f->v[F_HALF_WIDTH], 3);
    table_row_end(out);
}

/* Prints the models in the order of models.def. */
static void print_target(struct table *out, const struct scores *s, const struct score_picks *picks,
                         const struct target *t)
{
    struct score_field field;

    make_field(&field, s, t);
    for (int m = 0; field.ncases > 0 && model_at(m); m++)
        for (int i = 0; i < s->nseries; i++) {
            struct figures f;
            if (strcmp(s->series[i].model, model_at(m)->name) != 0)
                continue;
            figures_of(&f, s, &s->series[i], &picks[i], &field, STATE_UNKNOWN);
            print_figures(out, s->series[i].model, t, &f);
        }
    free(field.one);
    free(field.contest);
}

static void note_columns(struct table *out)
{
    table_note(out, "mean, median, p90: |forecast / measured - 1| of near cases, each matrix with weight 1");
    table_note(out, "near: measured within 2x of the best of the contest (matrix, precision, cache state, launch)");
    table_note(out, "pick: best time / time of the configuration with the lowest forecast, mean over matrices");
    table_note(out, "cusparse: always cusparse-csr; its errors are those of forecasts of this kernel alone");
    table_note(out, "within5: picks at most 5 %% slower than the best");
    table_note(out, "top3: the same as pick, for the best of the three lowest forecasts");
    table_note(out, "coverage: share of measured times inside the forecast interval");
}

void summary_print(const struct scores *s, const struct cases *c, const char *profile)
{
    struct score_picks *picks = xcalloc((unsigned long)s->nseries, sizeof *picks);
    struct table *out = textout_begin(s->choice->json, columns);

    char *view = xasprintf("model%s median_percent p90_percent pick within5_percent coverage_percent pick_worst top3 "
                           "matrices",
                           cases_target_columns(c).text);

    textout_view(out, view);
    free(view);
    table_note(out, "%s", profile);
    table_note(out, "table: summary: accuracy of forecasts and picks per model, precision, cache state and launch");
    textout_head(out);
    for (int i = 0; i < s->nseries; i++)
        picks_make(&picks[i], s, &s->series[i]);
    struct target t = { .precision = F32 };
    for (int key = 0; key < TARGET_KEYS; key++)
        if (target_of_key(key, &t))
            print_target(out, s, picks, &t);
    note_columns(out);
    cases_note_skipped(c, out);
    cases_note_models(c, out);
    if (s->choice->more)
        table_note(out, "%s", s->choice->more);
    textout_end(out);
    for (int i = 0; i < s->nseries; i++)
        picks_free(&picks[i]);
    free(picks);
}
