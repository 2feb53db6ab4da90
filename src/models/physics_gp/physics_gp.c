/* SPDX-License-Identifier: BSD-3-Clause */
/* physics-gp, the default model: physics terms of each measured configuration, corrected by a Gaussian process over
 * features of the matrix and the configuration, with 90 % intervals (formula: learned.h). Fitting (fit/learn.h) needs
 * LAPACK; forecasting does not. */
#include "models/physics_gp/physics_gp.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "models/physics_gp/learned_ask.h"

static const char name[] = "physics-gp";
enum { TERMS_SHOWN = 5, NEAREST_SHOWN = 3 };

/* Returns the learned configuration that forecasts c: its own, or, if only one part of a composite has entries, that of
 * this part. Sets *served to the configuration to compute physics for. */
static const struct learned_config *serving(const struct learned *l, const struct features *f, const struct config *c,
                                            const struct target *t, struct config *served)
{
    const struct learned_config *part;
    if (learned_lone_part(l->config, l->nconfigs, c, f, t, served, &part) && part)
        return part;
    *served = *c;
    return learned_find_resolved(l->config, l->nconfigs, c, f, t);
}

/* Marks the forecast as extrapolated if a feature is outside the measured range. Features are logarithms or of similar
 * size, so the excess serves as distance. */
static void mark_outside(const struct learned *l, const double *feature, struct forecast *f)
{
    int k;
    const double out = learned_distance(l, feature, &k);
    if (out <= 0)
        return;
    double v[] = { feature[k], l->scale[k].low, l->scale[k].high, out };
    const bool log = physics_feature_is_log[k];
    for (int i = 0; i < 4 && log; i++)
        v[i] = exp(v[i]);
    f->distance = out;
    f->status = FORECAST_EXTRAPOLATED;
    snprintf(f->why, sizeof f->why, "feature %s is %.4g, outside the measured range (%.4g to %.4g) by %s%.3g",
             l->scale[k].feature, v[0], v[1], v[2], log ? "a factor of " : "", v[3]);
}

/* Marks the forecast as extrapolated because the configuration was measured on few families, in all or, if nothing else is to be said, of the
 * class of the matrix. */
static void mark_few(const struct learned_config *c, int target, double memory_share, struct forecast *f)
{
    const bool in_all = c->families[target] < LEARNED_FAMILIES;
    if (f->status == FORECAST_EXTRAPOLATED && !in_all)
        return;
    f->status = FORECAST_EXTRAPOLATED;
    snprintf(f->why, sizeof f->why,
             "measured on only %d families of matrices%s (%d needed); leans on the other configurations of kernel %s",
             (int)learned_families(c, target, memory_share),
             in_all                ? ""
             : memory_share >= 0.5 ? " that are read mostly from memory"
                                   : " that are read mostly from the L2",
             LEARNED_FAMILIES, c->kernel);
}

/* Adds terms that sum to the time: launch, the greatest physics terms (mean over variants), other terms, learned
 * part. */
static void explain(const struct learned *l, const struct learned_config *c, const struct physics *p, int target,
                    const struct learned_bound *bound, const struct learned_answer *a, double total_us,
                    struct forecast *f)
{
    const double t0_us = a->t0_us, state_us = bound->state_us;
    double term[NTERMS], sum = bound->floor_us;
    bool shown[NTERMS] = { false };
    for (int k = 0; k < NTERMS; k++) {
        term[k] = 0;
        for (int v = 0; v < LEARNED_VARIANTS; v++)
            term[k] += (double)c->b[(target * LEARNED_VARIANTS + v) * NTERMS + k] * p->term[k] / LEARNED_VARIANTS;
        sum += term[k];
    }
    forecast_add_term(f, "launch", (t0_us + state_us) * 1e-6);
    double rest = sum;
    for (int n = 0; n < TERMS_SHOWN; n++) {
        int most = 0;
        for (int k = 1; k < NTERMS; k++)
            if (!shown[k] && (shown[most] || term[k] > term[most]))
                most = k;
        if (shown[most] || term[most] <= 0)
            break;
        shown[most] = true;
        rest -= term[most];
        forecast_add_term(f, physics_term_names[most], term[most] * 1e-6);
    }
    if (fabs(rest) < 1e-9 * sum)
        rest = 0; /* all terms are shown, so this is rounding */
    forecast_add_term(f, "other terms", rest * 1e-6);
    forecast_add_term(f, "learned", (total_us - state_us - t0_us - sum) * 1e-6);
    size_t used = (size_t)snprintf(f->note, sizeof f->note,
                                   "physics x %.3g learned; nearest measured:", total_us / (state_us + t0_us + sum));
    for (int i = 0; i < NEAREST_SHOWN && i < a->nnear && used < sizeof f->note; i++)
        used += (size_t)snprintf(f->note + used, sizeof f->note - used, "%s %s", i ? "," : "",
                                 l->matrix[a->near[i]].matrix);
}

/* Marks a forecast whose matrix, or another one of its pattern, was in training. */
static void tell_training(const struct profile *p, struct forecast *f)
{
    f->in_training = p->query.learned != NULL;
    if (f->in_training && f->status == FORECAST_OK)
        snprintf(f->why, sizeof f->why, "in training: %s was measured for this profile", p->query.learned->matrix);
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct target on = *t;
    struct config served;
    struct physics x;
    struct learned_answer a;
    char why[ERRLEN], text[CONFIG_LEN];
    const struct learned *l = p->learned;
    on.device = p->device;
    config_print(config, text);
    if (!l) {
        forecast_refuse(
            f, "profile %s has no learned forecasts; fit it again with spmv-fit on matrices of at least %d families",
            p->name, LEARNED_FAMILIES);
        return;
    }
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    const int target = learned_target(t->cache, t->launch);
    const struct learned_bound *bound = learned_bound_of(l, t);
    const struct learned_config *c = serving(l, m, config, &on, &served);
    if (target < 0 || !bound || !c || c->families[target] == 0) {
        forecast_refuse(f, "%s was never measured for profile %s (%s, %s, %s)", text, p->name,
                        precision_name(t->precision), cache_name(t->cache), launch_name(t->launch));
        return;
    }
    if (physics_of(m, &served, &on, (int)c->registers, c->shared_bytes, &x, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    forecast_begin(f);
    mark_outside(l, x.feature, f);
    learned_ask(l, c, bound, target, &x, &a);
    learned_interval(&a, bound, &f->time_s, &f->low_s, &f->high_s);
    if (a.few)
        mark_few(c, target, x.memory_share, f);
    tell_training(p, f);
    explain(l, c, &x, target, bound, &a, fmax(exp(a.log_us), a.min_us) + bound->state_us, f);
}

const struct model model_physics_gp = {
    .name = name,
    .about = "physics of each measured configuration, corrected by a Gaussian process, with intervals",
    .source = "Rasmussen and Williams 2006; docs/method.md",
    .predict = predict,
    .blocks_guide = true,
    .blocks_open = physics_blocks_open,
    .block_time = physics_block_time,
    .block_floor = physics_block_floor,
    .blocks_close = physics_blocks_close,
    .block_launch = physics_block_launch,
};
