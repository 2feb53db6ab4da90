/* SPDX-License-Identifier: BSD-3-Clause */
/* The run of a cross-validation: its cases, folds and the forecasts so far, which are saved and resumed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/strings.h"
#include "fit/crossvalidate.h"
#include "fit/crossvalidate_inside.h"

const char training_all[] = "all", training_generated[] = "generated";

static void add_cases(struct run *r)
{
    const struct learn_data *d = r->data;
    struct forecasts *o = r->out;
    o->cases = xcalloc((unsigned long)d->n + 1, sizeof *o->cases);
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        const struct matrix_row *m = &d->runs->matrices[c->matrix];
        const struct target t = learn_target(d, c);
        r->case_of[i] = -1;
        if (!learn_is_real(d, c->matrix))
            continue;
        struct case_row *row = &o->cases[o->ncases];
        TEXT_SET(row->source_id, m->source_id);
        TEXT_SET(row->matrix, m->matrix);
        snprintf(row->family, sizeof row->family, "%s", d->family_name[d->family[c->matrix]]);
        TEXT_SET(row->config, d->config[c->config].config);
        TEXT_SET(row->kernel, d->config[c->config].kernel);
        TARGET_SET(row, &t);
        TEXT_SET(row->footprint,
                 footprint_name(footprint_class(&d->device, footprint_bytes(m->rows, m->cols, m->nnz, t.precision))));
        row->sealed = d->sealed[c->matrix];
        row->nnz = m->nnz;
        row->measured_us = c->us + c->state_us;
        row->state_us = c->state_us;
        row->one_part = c->one_part;
        r->case_of[i] = o->ncases++;
    }
}

void crossvalidate_add(struct run *r, const struct case_forecast *f)
{
    if (r->out->nforecasts == r->room) {
        r->room = 2 * r->room + 1024;
        r->out->forecasts = xrealloc(r->out->forecasts, (unsigned long)r->room * sizeof *r->out->forecasts);
    }
    r->out->forecasts[r->out->nforecasts++] = *f;
}

static void take_up(struct run *r)
{
    struct forecasts there;
    char why[ERRLEN];
    if (!r->how->partial || access(r->how->partial, F_OK) != 0)
        return;
    if (forecasts_load_same(r->how->partial, &there, r->how->inputs, r->how->ninputs, why) != 0) {
        note("%s: ignored: %s", r->how->partial, why);
        return;
    }
    if (there.ncases == r->out->ncases) {
        r->out->forecasts = there.forecasts;
        r->out->nforecasts = r->room = there.nforecasts;
        there.forecasts = NULL;
        note("%s: resumed with %s", r->how->partial, counted(r->out->nforecasts, "forecast").text);
    }
    forecasts_free(&there);
}

void crossvalidate_begin(struct run *r)
{
    r->case_of = xmalloc(((unsigned long)r->data->n + 1) * sizeof *r->case_of);
    add_cases(r);
    take_up(r);
}

bool crossvalidate_done(const struct run *r, const char *model, const char *training, int seed, int fold)
{
    for (int64_t i = 0; i < r->out->nforecasts; i++) {
        const struct case_forecast *f = &r->out->forecasts[i];
        if (f->seed == seed && f->fold == fold && strcmp(f->training, training) == 0 && strcmp(f->model, model) == 0)
            return true;
    }
    return false;
}

void crossvalidate_keep(struct run *r)
{
    enum { COST = 20 }; /* spend at most 1/20 of the time on saving */
    char why[ERRLEN];
    const double start_s = now_s();
    if (!r->how->partial || start_s < r->kept_s + COST * r->keeping_s)
        return;
    if (forecasts_store(r->how->partial, r->out, r->how->inputs, r->how->ninputs, why) != 0)
        note("cannot save partial results: %s", why);
    r->kept_s = now_s();
    r->keeping_s = r->kept_s - start_s;
}

void crossvalidate_deal(const struct learn_data *d, int folds, int seed, int *fold)
{
    int *order = xmalloc(((unsigned long)d->nfamilies + 1) * sizeof *order), n = 0;
    for (int f = 0; f < d->nfamilies; f++)
        fold[f] = -1;
    for (int64_t m = 0; m < d->runs->nmatrices; m++)
        if (learn_is_real(d, (int)m) && !d->sealed[m] && fold[d->family[m]] < 0) {
            fold[d->family[m]] = 0;
            order[n++] = d->family[m];
        }
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(learn_draw((uint64_t)seed, (uint64_t)i) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < n; i++)
        fold[order[i]] = i % folds;
    free(order);
}
