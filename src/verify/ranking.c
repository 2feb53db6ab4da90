/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "ranking": cost of following each model's pick, the configuration with the lowest forecast. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/samples.h"
#include "formats/format.h"
#include "verify/verify_tables.h"

/* The configurations to pick from: all, ours, or those of one kernel. */
struct field {
    const char *name;
    bool ours;
    const struct kernel *kernel;
};

struct score {
    int64_t no_pick, in_training, hits;
    struct sample ratio; /* best time / time of the pick; UNIT_MATRIX: the pick's number */
};

static bool in_field(const struct field *f, const struct one_case *c)
{
    return (!f->kernel || c->config.kernel == f->kernel) && !(f->ours && c->config.kernel->library);
}

/* Scores one matrix: best measured time / measured time of the pick. Skips it if the field has fewer than two configurations. */
static void score_group(const struct cases *c, int m, const struct field *f, int64_t first, int64_t end,
                        struct score *s)
{
    int64_t best = -1, pick = -1, among = 0;
    bool in_training = false;
    for (int64_t i = first; i < end; i++) {
        if (!in_field(f, &c->one[i]))
            continue;
        among++;
        const struct verdict *v = cases_verdict(c, m, i);
        in_training |= v->in_training;
        if (best < 0 || c->one[i].measured_s < c->one[best].measured_s)
            best = i;
        if (v->status != FORECAST_REFUSED && (pick < 0 || v->time_s < cases_verdict(c, m, pick)->time_s))
            pick = i;
    }
    if (among < 2)
        return;
    if (pick < 0) {
        s->no_pick += !in_training;
        s->in_training += in_training;
        return;
    }
    s->hits += pick == best;
    sample_add(&s->ratio, c->one[best].measured_s / c->one[pick].measured_s, pick, 0);
}

static void print_score(struct table *out, const struct cases *c, int m, const struct field *f, const struct target *t,
                        const struct score *s)
{
    const struct sample_value *worst = sample_min(&s->ratio);
    table_put_text(out, "model", c->model[m]->name);
    table_put_text(out, "among", f->name);
    table_put_target(out, t->precision, t->cache);
    table_put_int(out, "matrices", s->ratio.n);
    table_put_real(out, "mean", sample_mean(&s->ratio), 4);
    table_put_real(out, "geomean", sample_geomean(&s->ratio), 4);
    table_put_real(out, "within5_percent", sample_percent(&s->ratio, 1 / 1.05), 3);
    table_put_real(out, "within20_percent", sample_percent(&s->ratio, 1 / 1.2), 3);
    table_put_real(out, "best_percent", worst ? 100 * (double)s->hits / (double)s->ratio.n : NAN, 3);
    table_put_real(out, "worst", worst ? worst->value : NAN, 3);
    table_put_text(out, "worst_matrix", worst ? c->one[worst->unit[UNIT_MATRIX]].row->matrix : "");
    table_put_int(out, "no_pick", s->no_pick);
    table_put_int(out, "in_training", s->in_training);
    table_put_text(out, "launch", launch_name(t->launch));
    table_row_end(out);
}

static void print_field(struct table *out, const struct cases *c, const struct field *f, int64_t first, int64_t end)
{
    for (int m = 0; m < c->nmodels; m++) {
        struct score s = { 0 };
        for (int64_t i = first; i < end; i = c->one[i].group_end)
            score_group(c, m, f, i, c->one[i].group_end, &s);
        if (s.ratio.n > 0 || (s.no_pick + s.in_training > 0 && !f->ours && !f->kernel))
            print_score(out, c, m, f, &c->one[first].target, &s);
        sample_free(&s.ratio);
    }
}

static const struct column columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("among", "configurations to pick from: all, ours (no library kernels), or those of one kernel"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("matrices", "", "matrices with a pick"),
    REAL_COLUMN("mean", "", "best time / time of the pick (lowest forecast), both measured; mean"),
    REAL_COLUMN("geomean", "", "best time / time of the pick; geometric mean"),
    REAL_COLUMN("within5_percent", "%", "picks at most 5 % slower than the best"),
    REAL_COLUMN("within20_percent", "%", "picks at most 20 % slower than the best"),
    REAL_COLUMN("best_percent", "%", "picks that are the best"),
    REAL_COLUMN("worst", "", "lowest best time / time of the pick"),
    TEXT_COLUMN("worst_matrix", "matrix of the worst pick"),
    INT_COLUMN("no_pick", "", "matrices for which the model refuses every configuration"),
    INT_COLUMN("in_training", "", "matrices without a pick because the model was fitted to them"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    COLUMNS_END,
};

void ranking_print(const struct cases *c, const char *profile, bool json)
{
    struct table *out = textout_begin(json, columns);
    char *view =
        xasprintf("model among%s matrices mean within5_percent within20_percent worst", cases_target_columns(c).text);
    textout_view(out, view);
    free(view);
    table_note(out, "%s", profile);
    table_note(
        out, "table: ranking; best time / time of the pick (lowest forecast), both measured; among all configurations, "
             "ours (no library kernels), or those of one kernel");
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = cases_target_end(c, first);
        struct field all = { "all", false, NULL }, ours = { "ours", true, NULL };
        print_field(out, c, &all, first, end);
        print_field(out, c, &ours, first, end);
        for (int k = 0; kernel_at(k); k++) {
            struct field one = { kernel_at(k)->name, false, kernel_at(k) };
            print_field(out, c, &one, first, end);
        }
    }
    table_note(
        out, "no_pick: matrices for which the model refuses every configuration; in_training: matrices that the model "
             "was fitted to, so they do not test it: verify with an archive of forecasts (spmv-fit --crossvalidate)");
    textout_end(out);
}
