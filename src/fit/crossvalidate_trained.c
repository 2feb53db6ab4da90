/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-validation of trained models (crossvalidate_inside.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fit/crossvalidate.h"
#include "fit/crossvalidate_inside.h"
#include "profile/times.h"

void crossvalidate_ask(const struct run *r, struct profile *p, const struct model *m, int64_t which,
                       struct case_forecast *o)
{
    const struct learn_data *d = r->data;
    const struct learn_case *c = &d->at[which];
    const struct matrix_row *row = &d->runs->matrices[c->matrix];
    const struct target t = learn_target(d, c);
    struct config config;
    struct forecast f = { .status = FORECAST_REFUSED, .time_s = NAN };
    char why[ERRLEN];
    profile_ask_about(p, row->matrix, row->group, "", row->pattern_id);
    if (config_resolve_text(d->config[c->config].config, &d->runs->features[c->matrix], &t, &config, why) == 0)
        model_forecast(m, p, &d->runs->features[c->matrix], &config, &t, &f);
    o->case_index = r->case_of[which];
    o->status = f.status;
    o->time_us = (float)fmax(f.time_s * 1e6 - r->out->state_us, 1e-3);
    o->low_us = o->high_us = NAN;
    o->distance = (float)f.distance;
    if (f.status == FORECAST_REFUSED)
        o->time_us = o->distance = NAN;
}

/* Restricts the times to the matrices in `use`; free them with times_free. */
static void restrict_times(struct profile *fold, const struct profile *p, const struct training *t, const bool *use)
{
    bool *keep = xcalloc((unsigned long)p->measured.nmatrices + 1, sizeof *keep);
    const struct runs *runs = t->examples[0].runs;
    for (int64_t m = 0; m < runs->nmatrices; m++)
        if (t->of[m] >= 0 && use[m])
            keep[t->of[m]] = true;
    times_restrict(fold, p, keep);
    free(keep);
}

/* Were the model and all that it needs fitted? */
static bool is_fitted(const struct model *m, const struct strlist *wanted, const struct reason *why)
{
    const struct model *other;
    bool fitted = m->trained && fit_wants(wanted, m->name);
    for (int i = 0; (other = model_at(i)); i++)
        if (other == m || model_needs(m, other->name))
            fitted = fitted && !why[i].text[0];
    return fitted;
}

static void forecast_cases(struct run *r, const struct profile *fold, const struct model *m, const bool *ask,
                           const struct case_forecast *blank)
{
    const struct learn_data *d = r->data;
    struct case_forecast *o = xmalloc(((unsigned long)d->n + 1) * sizeof *o);
#pragma omp parallel
    {
        struct profile *mine = xmalloc(sizeof *mine); /* each thread sets its own query */
        *mine = *fold;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < d->n; i++) {
            o[i] = *blank;
            if (r->case_of[i] >= 0 && ask[d->at[i].matrix])
                crossvalidate_ask(r, mine, m, i, &o[i]);
        }
        free(mine);
    }
    for (int64_t i = 0; i < d->n; i++)
        if (r->case_of[i] >= 0 && ask[d->at[i].matrix])
            crossvalidate_add(r, &o[i]);
    free(o);
}

/* Fits to the matrices in `use` and forecasts those in `ask`. */
static void one_fold(struct run *r, const struct profile *p, const bool *use, const bool *ask, const char *training,
                     int number)
{
    struct profile *fold = xmalloc(sizeof *fold);
    const struct model *m;
    *fold = *p;
    fold->trained = xcalloc(1, sizeof *fold->trained);
    struct reason *why = xcalloc((unsigned long)model_count(), sizeof *why);
    train_models(r->how->training, use, r->how->wanted, fold->trained, why);
    restrict_times(fold, p, r->how->training, use);
    for (int i = 0; (m = model_at(i)); i++) {
        struct case_forecast blank = { .seed = 1, .fold = number };
        if (m->trained && why[i].text[0])
            note("%s: %s", m->name, why[i].text);
        if (!is_fitted(m, r->how->wanted, why))
            continue;
        TEXT_SET(blank.model, m->name);
        TEXT_SET(blank.training, training);
        forecast_cases(r, fold, m, ask, &blank);
    }
    times_free(fold);
    trained_free(fold->trained);
    free(fold);
    free(why);
    crossvalidate_keep(r);
}

static bool done_already(const struct run *r, const char *training, int fold)
{
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++)
        if (m->trained && crossvalidate_done(r, m->name, training, 1, fold))
            return true;
    return false;
}

static bool any_wanted(const struct strlist *wanted)
{
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++)
        if (m->trained && fit_wants(wanted, m->name))
            return true;
    return false;
}

void crossvalidate_trained(struct run *r, const struct profile *p)
{
    const struct learn_data *d = r->data;
    const int64_t n = d->runs->nmatrices;
    if (!any_wanted(r->how->wanted) || r->how->training->n == 0)
        return;
    bool *use = xcalloc((unsigned long)n + 1, sizeof *use), *ask = xcalloc((unsigned long)n + 1, sizeof *ask),
         *has_real = xcalloc((unsigned long)d->nfamilies + 1, sizeof *has_real);
    int *fold = xmalloc(((unsigned long)d->nfamilies + 1) * sizeof *fold);
    crossvalidate_deal(d, r->how->folds, 1, fold);
    for (int64_t m = 0; m < n; m++)
        has_real[d->family[m]] = has_real[d->family[m]] || learn_is_real(d, (int)m);
    /* -1: sealed families; the last: generated matrices only */
    for (int k = -1; k <= r->how->folds; k++) {
        const bool generated = k == r->how->folds;
        if (r->how->only_fold >= 0 && k != r->how->only_fold)
            continue;
        if (done_already(r, generated ? training_generated : training_all, generated ? 0 : k))
            continue;
        for (int64_t m = 0; m < n; m++) {
            ask[m] = generated || (k < 0 ? d->sealed[m] : fold[d->family[m]] == k);
            use[m] = generated ? !has_real[d->family[m]] : !d->sealed[m] && !ask[m];
        }
        if (generated || k < 0)
            note("trained models: %s", generated ? "generated matrices only" : "sealed families");
        else
            note("trained models: fold %d of %d", k + 1, r->how->folds);
        one_fold(r, p, use, ask, generated ? training_generated : training_all, generated ? 0 : k);
    }
    free(use);
    free(ask);
    free(has_real);
    free(fold);
}
