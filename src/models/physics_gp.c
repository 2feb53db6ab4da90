/* SPDX-License-Identifier: BSD-3-Clause */
/* physics-gp, the default model: physics terms of every configuration that was measured, corrected by a Gaussian process over
 * features of the matrix and the configuration, with 90 % intervals (learned.h has the formula). Fitted by spmv-fit, whose sources
 * (fit/learn.h) need LAPACK; forecasts do not. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formats/parts.h"
#include "models/cells.h"
#include "models/learned.h"
#include "models/model.h"

static const char name[] = "physics-gp";
enum { TERMS_SHOWN = 5, NEAREST_SHOWN = 3 };

static const struct learned_config *find(const struct learned *l, const struct config *c, const struct features *f,
                                         const struct target *t)
{
    char text[CONFIG_LEN];
    config_print(c, text);
    const struct learned_config *exact = learned_find(l, text, t->precision);
    if (exact)
        return exact;
    config_general(c, f, t, text);
    return learned_find(l, text, t->precision);
}

/* What serves: the configuration, or of a composite of which one part alone has entries that part's. */
static const struct learned_config *serving(const struct learned *l, const struct features *f, const struct config *c,
                                            const struct target *t, struct config *served)
{
    char why[ERRLEN];
    struct config part, resolved;
    struct features of_part;
    int with_entries = 0;
    const struct layout *layout = c->kernel->layout;
    *served = *c;
    const struct learned_config *own = find(l, c, f, t), *other = NULL;
    for (int i = 0; layout->part && i < PARTS_MAX && layout->part(f, c, i, &part, &of_part) == 0; i++) {
        if (of_part.nnz > 0 && config_resolve(&part, &of_part, t, &resolved, why) == 0) {
            other = find(l, &resolved, &of_part, t);
        }
        with_entries += of_part.nnz > 0;
        features_free(&of_part);
    }
    if (with_entries != 1 || !other)
        return own;
    *served = resolved;
    return other;
}

static void scale(const struct learned *l, const struct physics *p, float z[NFEATURES], struct forecast *f)
{
    for (int k = 0; k < NFEATURES; k++) {
        const struct learned_scale *s = &l->scale[k];
        const double v = (p->feature[k] - s->mean) / s->sd, out = fmax(s->low - p->feature[k], p->feature[k] - s->high);
        z[k] = (float)fmin(fmax(v, -LEARNED_CLIP), LEARNED_CLIP);
        /* features are logarithms, or as small as such: their excess is a distance */
        if (out > f->distance + 1e-6) {
            f->distance = out;
            f->status = FORECAST_EXTRAPOLATED;
            snprintf(f->why, sizeof f->why, "feature %s is %.3g beyond what was measured (%.4g, measured %.4g..%.4g)",
                     s->feature, out, p->feature[k], s->low, s->high);
        }
    }
}

/* Physics of one variant in us; the terms of the first go to the explanation. */
static double physics_us(const struct physics *p, double base_us, const float *b)
{
    double us = base_us;
    for (int k = 0; k < NTERMS; k++)
        us += (double)b[k] * p->term[k];
    return fmax(us, PHYSICS_LEAST_US);
}

/* The launch, the greatest terms of the mean of the variants, the rest, and the learned part: they add up to the time. */
static void explain(const struct learned *l, const struct learned_config *c, const struct physics *p, int target,
                    double t0_us, double floor_us, double state_us, double total_us, const int *near,
                    struct forecast *f)
{
    double term[NTERMS], sum = floor_us;
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
    forecast_add_term(f, "other terms", rest * 1e-6);
    forecast_add_term(f, "learned", (total_us - state_us - t0_us - sum) * 1e-6);
    size_t used = (size_t)snprintf(f->note, sizeof f->note,
                                   "physics x %.3g learned; nearest measured:", (total_us - state_us) / (t0_us + sum));
    for (int i = 0; i < NEAREST_SHOWN && near[i] >= 0 && used < sizeof f->note; i++)
        used +=
            (size_t)snprintf(f->note + used, sizeof f->note - used, "%s %s", i ? "," : "", l->matrix[near[i]].matrix);
}

/* Matrices of the points with the greatest covariances, -1 past the last. */
static void nearest(const struct learned_hyper *h, const struct learned_point *point, int64_t n, const float *z,
                    int near[NEAREST_SHOWN])
{
    double best[NEAREST_SHOWN];
    for (int i = 0; i < NEAREST_SHOWN; i++)
        near[i] = -1;
    for (int64_t i = 0; i < n && h; i++) {
        const double k = gp_covariance(h, point[i].z, z);
        int at = NEAREST_SHOWN;
        while (at > 0 && (near[at - 1] < 0 || best[at - 1] < k))
            at--;
        for (int j = NEAREST_SHOWN - 1; j > at; j--) {
            best[j] = best[j - 1];
            near[j] = near[j - 1];
        }
        if (at < NEAREST_SHOWN) {
            best[at] = k;
            near[at] = (int)point[i].matrix;
        }
    }
}

/* The matrix itself, or one of its pattern, was trained on. */
static void tell_training(const struct profile *p, struct forecast *f)
{
    const struct learned *l = p->learned;
    for (int64_t i = 0; i < l->nmatrices && *p->query.pattern_id && !f->in_training; i++) {
        f->in_training = *l->matrix[i].pattern_id
                         && (strcmp(l->matrix[i].pattern_id, p->query.pattern_id) == 0
                             || strcmp(l->matrix[i].matrix, p->query.recipe) == 0);
        if (f->in_training && f->status == FORECAST_OK)
            snprintf(f->why, sizeof f->why, "in training: %s was measured for this profile", l->matrix[i].matrix);
    }
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct target on = *t;
    struct config served;
    struct physics x;
    struct gp_answer a[LEARNED_VARIANTS];
    float z[NFEATURES];
    char why[ERRLEN], text[CONFIG_LEN];
    int near[NEAREST_SHOWN];
    const struct learned *l = p->learned;
    on.device = p->device;
    config_print(config, text);
    if (!l) {
        forecast_refuse(
            f,
            "profile %s has no learned forecasts: fit it again (spmv-fit), with rows of at least %d families of matrices",
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
    scale(l, &x, z, f);
    const bool pooled = c->families[target] < LEARNED_FAMILIES;
    const struct learned_point *point = l->point[t->precision] + c->first;
    const double t0 = learned_t0(l->launch, l->nlaunch, &x.grid), base = t0 + bound->floor_us;
    double mean = 0, variance = 0;
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        a[v] = (struct gp_answer){ .variance = c->deviation[target] * c->deviation[target] };
        if (!pooled)
            gp_ask(learned_hyper_of(l, c->kernel, v), point, c->n, target * LEARNED_VARIANTS + v, z, &a[v]);
        mean +=
            (log(physics_us(&x, base, c->b + (target * LEARNED_VARIANTS + v) * NTERMS)) + a[v].mean) / LEARNED_VARIANTS;
        variance += a[v].variance / LEARNED_VARIANTS;
    }
    const double rate = learned_rate(bound, x.memory_share), least = t0 + (rate > 0 ? x.least_bytes / rate : 0),
                 us = fmax(exp(pooled ? mean : gp_centre(mean, variance)), least),
                 width = bound->factor * sqrt(variance);
    f->time_s = (us + bound->state_us) * 1e-6;
    f->low_s = (fmax(us * exp(-width), least) + bound->state_us) * 1e-6;
    f->high_s = (us * exp(width) + bound->state_us) * 1e-6;
    if (pooled) {
        f->status = FORECAST_EXTRAPOLATED;
        snprintf(f->why, sizeof f->why, "measured on matrices of %d families only (%d needed): physics of all of %s",
                 (int)c->families[target], LEARNED_FAMILIES, c->kernel);
    }
    tell_training(p, f);
    nearest(pooled ? NULL : learned_hyper_of(l, c->kernel, 0), point, c->n, z, near);
    explain(l, c, &x, target, t0, bound->floor_us, bound->state_us, us + bound->state_us, near, f);
}

const struct model model_physics_gp = {
    .name = name,
    .about = "physics of each configuration, corrected by a Gaussian process; every measured kernel, with intervals",
    .source = "Rasmussen and Williams 2006; docs/method.md",
    .predict = predict,
};
