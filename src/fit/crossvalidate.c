/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of families left out of the fit. */
#include "fit/crossvalidate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "fit/costs_fit.h"
#include "fit/crossvalidate_inside.h"

/* Fits to the matrices in `use` and forecasts those in `ask`. The rival "cusparse" always picks the library's CSR, with the same
 * forecasts. */
static int one_fit(struct run *r, const bool *use, const bool *ask, const char *training, int seed, int fold,
                   char why[ERRLEN])
{
    const struct learn_data *d = r->data;
    struct learned *l;
    if (crossvalidate_done(r, model_default, training, seed, fold))
        return 0;
    if (learn_fit(d, use, &l, why) != 0)
        return FAIL;
    struct learned_answer *answer = xmalloc(((unsigned long)d->n + 1) * sizeof *answer);
    bool *known = xcalloc((unsigned long)d->n + 1, sizeof *known);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < d->n; i++)
        known[i] = r->case_of[i] >= 0 && ask[d->at[i].matrix] && learn_ask(d, l, &d->at[i], &answer[i]);
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        if (r->case_of[i] < 0 || !ask[c->matrix])
            continue;
        const struct learned_bound *b = learn_bound(d, l, c);
        struct physics p;
        int which;
        learn_expand(c, &p);
        const double distance = learned_distance(l, p.feature, &which);
        double us = NAN, low_us = NAN, high_us = NAN;
        if (known[i])
            us = learned_range(&answer[i], b, &low_us, &high_us);
        struct case_forecast f = { .case_index = r->case_of[i], .seed = seed, .fold = fold };
        TEXT_SET(f.model, model_default);
        TEXT_SET(f.training, training);
        f.status = !known[i] ? FORECAST_REFUSED : distance > 0 || answer[i].few ? FORECAST_EXTRAPOLATED : FORECAST_OK;
        f.time_us = (float)us;
        f.low_us = (float)low_us;
        f.high_us = (float)high_us;
        f.distance = (float)distance;
        crossvalidate_add(r, &f);
        const struct kernel *k = kernel_find(d->config[c->config].kernel);
        if (strcmp(training, training_all) == 0 && seed == 1 && k && k->baseline) {
            TEXT_SET(f.model, "cusparse");
            crossvalidate_add(r, &f);
        }
    }
    free(answer);
    free(known);
    learned_free(l);
    crossvalidate_keep(r);
    return 0;
}

static int learned_forecasts(struct run *r, const struct crossvalidation *how, char why[ERRLEN])
{
    const struct learn_data *d = r->data;
    const int64_t n = d->runs->nmatrices;
    bool *use = xcalloc((unsigned long)n + 1, sizeof *use), *ask = xcalloc((unsigned long)n + 1, sizeof *ask),
         *has_real = xcalloc((unsigned long)d->nfamilies + 1, sizeof *has_real);
    int *fold = xmalloc(((unsigned long)d->nfamilies + 1) * sizeof *fold), status = 0;
    for (int64_t m = 0; m < n; m++)
        has_real[d->family[m]] = has_real[d->family[m]] || learn_is_real(d, (int)m);
    for (int seed = 1; seed <= how->seeds && status == 0; seed++) {
        crossvalidate_deal(d, how->folds, seed, fold);
        for (int k = 0; k < how->folds && status == 0; k++) {
            if (how->only_fold >= 0 && (k != how->only_fold || seed > 1))
                continue;
            for (int64_t m = 0; m < n; m++) {
                ask[m] = fold[d->family[m]] == k;
                use[m] = !d->sealed[m] && !ask[m];
            }
            if (!crossvalidate_done(r, model_default, training_all, seed, k))
                note("seed %d of %d, fold %d of %d", seed, how->seeds, k + 1, how->folds);
            status = one_fit(r, use, ask, training_all, seed, k, why);
        }
    }
    if (how->only_fold < 0 && status == 0) {
        for (int64_t m = 0; m < n; m++) {
            ask[m] = d->sealed[m];
            use[m] = !d->sealed[m];
        }
        note("forecasting sealed families");
        status = one_fit(r, use, ask, training_all, 1, -1, why);
        for (int64_t m = 0; m < n; m++) {
            ask[m] = true;
            use[m] = !has_real[d->family[m]];
        }
        note("forecasting with a fit to generated matrices only");
        /* failure is not fatal: there may be too few generated matrices */
        if (status == 0 && one_fit(r, use, ask, training_generated, 1, 0, why) != 0)
            note("no forecasts with a fit to generated matrices only: %s", why);
    }
    free(use);
    free(ask);
    free(has_real);
    free(fold);
    return status;
}

/* Rivals forecast no launch state: crossvalidate_ask subtracts the overhead of the more frequent one. */
static void rival_forecasts(struct run *r, struct profile *p)
{
    const struct learn_data *d = r->data;
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++) {
        if (!m->fit || m->literal || !fit_wants(r->how->wanted, m->name) || !fit_has(p, m->name))
            continue;
        note("forecasting with rival %s", m->name);
        for (int64_t k = 0; k < d->n; k++) {
            const struct learn_case *c = &d->at[k];
            if (r->case_of[k] < 0)
                continue;
            struct case_forecast o = { .seed = 1, .fold = d->sealed[c->matrix] ? -1 : 0 };
            TEXT_SET(o.model, m->name);
            TEXT_SET(o.training, training_all);
            crossvalidate_ask(r, p, m, k, &o);
            crossvalidate_add(r, &o);
        }
    }
}

/* ---- costs before the first product */
struct cost_run {
    struct cost_data data;
    const struct run *run;
    struct coefs coefs;
};

static void cost_forecast(const struct cost_run *c, const struct learn_case *at, struct case_cost *out)
{
    const struct learn_data *d = c->run->data;
    const struct learned_config *measured = &d->config[at->config];
    const struct features *f = &d->runs->features[at->matrix];
    const struct target t = learn_target(d, at);
    struct config config;
    char why[ERRLEN], key[CONFIG_LEN];
    const bool known = config_resolve_text(measured->config, f, &t, &config, why) == 0;
    for (int cost = 0; cost < NCOSTS; cost++) {
        double term[NCOST_TERMS];
        out->measured_us[cost] = out->forecast_us[cost] = NAN;
        if (!known || cost_terms((enum cost)cost, f, &config, &t, term) != 0)
            continue;
        if (cost == COST_PREPARE)
            TEXT_SET(key, measured->config);
        else
            cost_key((enum cost)cost, &config, f, &t, key);
        out->measured_us[cost] = (float)(1e6 * cost_measured(&c->data, at->matrix, t.precision, (enum cost)cost, key));
        out->forecast_us[cost] = (float)(1e6 * cost_of(&c->coefs, (enum cost)cost, key, &t, term));
    }
}

/* Forecasts the costs of the matrices in `ask`, once per configuration and precision: costs do not depend on cache state and launch,
 * so only cases measured warm in a graph are used. */
static void cost_fold(struct cost_run *c, struct run *r, const bool *use, const bool *ask)
{
    const struct learn_data *d = r->data;
    coefs_free(&c->coefs);
    costs_fit(&c->data, use, &c->coefs);
    coefs_sort(&c->coefs);
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *at = &d->at[i];
        if (r->case_of[i] < 0 || !ask[at->matrix] || at->target != learned_target(WARM, GRAPH))
            continue;
        if ((r->out->ncosts & (r->out->ncosts - 1)) == 0)
            r->out->costs = xrealloc(r->out->costs,
                                     sizeof *r->out->costs * (unsigned long)(r->out->ncosts ? 2 * r->out->ncosts : 1));
        struct case_cost *out = &r->out->costs[r->out->ncosts++];
        out->case_index = r->case_of[i];
        cost_forecast(c, at, out);
    }
}

/* Forecasts costs with the folds of the first seed, and those of sealed families (k = -1). */
static void cost_forecasts(struct run *r, const struct crossvalidation *how)
{
    const struct learn_data *d = r->data;
    const int64_t n = d->runs->nmatrices;
    struct cost_run c = { .run = r };
    bool *use = xcalloc((unsigned long)n + 1, sizeof *use), *ask = xcalloc((unsigned long)n + 1, sizeof *ask);
    int *fold = xmalloc(((unsigned long)d->nfamilies + 1) * sizeof *fold);
    note("forecasting costs before the first product");
    cost_data_make(d->runs, &d->device, &c.data);
    crossvalidate_deal(d, how->folds, 1, fold);
    for (int k = how->only_fold < 0 ? -1 : how->only_fold; k < (how->only_fold < 0 ? how->folds : how->only_fold + 1);
         k++) {
        for (int64_t m = 0; m < n; m++) {
            ask[m] = k < 0 ? d->sealed[m] : fold[d->family[m]] == k;
            use[m] = !d->sealed[m] && !ask[m];
        }
        cost_fold(&c, r, use, ask);
    }
    coefs_free(&c.coefs);
    cost_data_free(&c.data);
    free(use);
    free(ask);
    free(fold);
}

int crossvalidate(const struct learn_data *d, struct profile *p, const struct crossvalidation *how,
                  struct forecasts *out, char why[ERRLEN])
{
    struct run r = { .data = d, .out = out, .how = how, .kept_s = now_s() };
    *out = (struct forecasts){ .state_us = d->slower_more_frequent ? d->state_us[1] : 0 };
    crossvalidate_begin(&r);
    int status = 0;
    if (out->ncases == 0)
        status = fail(
            why,
            "no rows of matrices from files; cross-validation forecasts only those (spmv-run MATRIX measures them)");
    else if (fit_wants(how->wanted, model_default))
        status = learned_forecasts(&r, how, why);
    if (status == 0)
        crossvalidate_trained(&r, p);
    if (status == 0)
        cost_forecasts(&r, how);
    if (status == 0 && how->only_fold < 0)
        rival_forecasts(&r, p);
    free(r.case_of);
    return status;
}
