/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates the learned tables (profile/learned.h), for the forecasts of physics-gp and for its cross-validation. */
#include "models/physics_gp/learned_ask.h"
#include <math.h>

const struct learned_config *learned_find_resolved(const struct learned_config *config, int64_t n,
                                                   const struct config *resolved, const struct features *f,
                                                   const struct target *t)
{
    char text[CONFIG_LEN];
    config_print(resolved, text);
    const struct learned_config *exact = learned_find(config, n, text, t->precision);
    if (exact)
        return exact;
    config_general(resolved, f, t, text);
    return learned_find(config, n, text, t->precision);
}

bool learned_lone_part(const struct learned_config *config, int64_t n, const struct config *composite,
                       const struct features *f, const struct target *t, struct config *part,
                       const struct learned_config **found)
{
    const struct layout *layout = composite->kernel->layout;
    struct config asked;
    struct features of_part;
    char why[ERRLEN];
    int with_entries = 0;
    bool resolves = false;
    for (int i = 0; layout->part && i < PARTS_MAX && layout->part(f, composite, i, &asked, &of_part) == 0; i++) {
        if (of_part.nnz > 0 && config_resolve(&asked, &of_part, t, part, why) == 0) {
            *found = learned_find_resolved(config, n, part, &of_part, t);
            resolves = true;
        }
        with_entries += of_part.nnz > 0;
        features_free(&of_part);
    }
    return with_entries == 1 && resolves;
}

float learned_scale_feature(const struct learned_scale *s, double feature)
{
    return (float)fmin(fmax((feature - s->mean) / s->sd, -LEARNED_CLIP), LEARNED_CLIP);
}

double learned_excess(const struct learned_scale *s, double feature)
{
    return fmax(s->low - feature, feature - s->high);
}

void learned_scale_features(const struct learned *l, const double *feature, float z[NFEATURES])
{
    for (int k = 0; k < NFEATURES; k++)
        z[k] = learned_scale_feature(&l->scale[k], feature[k]);
}

double learned_distance(const struct learned *l, const double *feature, int *which)
{
    double most = LEARNED_ROUNDING;
    *which = -1;
    for (int k = 0; k < NFEATURES; k++) {
        const double out = learned_excess(&l->scale[k], feature[k]);
        if (out > most) {
            most = out;
            *which = k;
        }
    }
    return *which >= 0 ? most : 0;
}

double learned_variant_us(const struct physics *p, double base_us, const float *b)
{
    double us = base_us;
    for (int k = 0; k < NTERMS; k++)
        us += (double)b[k] * p->term[k];
    return fmax(us, PHYSICS_MIN_US);
}

struct learned_least learned_least_of(const double term[NTERMS])
{
    struct learned_least l = { 0 };
    for (int k = 0; k < NTERMS; k++)
        if (term[k] > 0) {
            l.term[l.n] = term[k];
            l.at[l.n++] = k;
        }
    return l;
}

double learned_floor_us(const float *b, const struct learned_least *l, double base_us, double mb, double memory_share)
{
    const double from_l2 = (double)b[TERM_bytes_l2] / 5, from_memory = (double)b[TERM_bytes_memory] / 4;
    double us = base_us;
    for (int i = 0; i < l->n; i++)
        us += (double)b[l->at[i]] * l->term[i];
    return us + mb * fmin(from_l2 * (1 - memory_share) + from_memory * memory_share, from_memory);
}

double learned_physics_us(const struct learned *l, const struct learned_config *c, const struct learned_bound *bound,
                          int target, const struct physics *p)
{
    const double base = learned_t0(l->launch, l->nlaunch, &p->grid) + bound->floor_us;
    double mean = 0;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        mean += log(learned_variant_us(p, base, c->b + (target * LEARNED_VARIANTS + v) * NTERMS)) / LEARNED_VARIANTS;
    return exp(mean);
}

double learned_min_us(double t0_us, const struct learned_bound *bound, const struct physics *p)
{
    const double rate = learned_rate(bound, p->memory_share);
    return fmax(t0_us + bound->floor_us, bound->least_us + (rate > 0 ? p->least_bytes / rate : 0));
}

int64_t learned_families(const struct learned_config *c, int target, double memory_share)
{
    const int64_t of_class = c->class_families[2 * target + (memory_share >= 0.5)];
    return of_class < LEARNED_FAMILIES ? of_class : c->families[target];
}

/* Returns the variance to add because few families were measured from the L2 or from memory, by the shares of both. */
static double leaning_variance(const struct learned_config *c, int target, double memory_share)
{
    const double share[2] = { 1 - memory_share, memory_share };
    double variance = 0;
    for (int i = 0; i < 2; i++)
        if (c->class_families[2 * target + i] < LEARNED_FAMILIES && share[i] > 0)
            variance += share[i] * pow(c->class_deviation[2 * target + i], 2);
    return variance;
}

void learned_answer_set(struct learned_answer *a, double mean, double variance, const struct learned_config *c,
                        const struct learned_bound *bound, int target, const struct physics *p)
{
    a->log_us = gp_centre(mean, variance);
    a->min_us = learned_min_us(a->t0_us, bound, p);
    a->deviation = sqrt(variance + leaning_variance(c, target, p->memory_share));
}

double learned_range(const struct learned_answer *a, const struct learned_bound *bound, double *low_us, double *high_us)
{
    const double us = fmax(exp(a->log_us), a->min_us), width = bound->factor * a->deviation;
    *low_us = fmax(us * exp(-width), a->min_us);
    *high_us = us * exp(width);
    return us;
}

void learned_interval(const struct learned_answer *a, const struct learned_bound *bound, double *time_s, double *low_s,
                      double *high_s)
{
    double low_us, high_us;
    *time_s = (learned_range(a, bound, &low_us, &high_us) + bound->state_us) * 1e-6;
    *low_s = (low_us + bound->state_us) * 1e-6;
    *high_s = (high_us + bound->state_us) * 1e-6;
}

void learned_ask(const struct learned *l, const struct learned_config *c, const struct learned_bound *bound, int target,
                 const struct physics *p, struct learned_answer *a)
{
    const struct learned_point *point = l->point[c->precision] + c->first;
    const double t0 = learned_t0(l->launch, l->nlaunch, &p->grid);
    double mean = 0, variance = 0;
    float z[NFEATURES];
    *a = (struct learned_answer){ .few = learned_families(c, target, p->memory_share) < LEARNED_FAMILIES, .t0_us = t0 };
    learned_scale_features(l, p->feature, z);
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        struct gp_answer g;
        const int slot = target * LEARNED_VARIANTS + v;
        gp_ask(learned_hyper_of(l, c->kernel, v), point, c->n, slot, z, &g);
        mean += (log(learned_variant_us(p, t0 + bound->floor_us, c->b + slot * NTERMS)) + g.mean) / LEARNED_VARIANTS;
        variance += g.variance / LEARNED_VARIANTS;
        for (int i = 0; v == 0 && i < g.nnear; i++)
            a->near[a->nnear++] = (int)point[g.near[i]].matrix;
    }
    learned_answer_set(a, mean, variance, c, bound, target, p);
}

void learned_launch_near(const struct learned_launch *v, int64_t n, int threads, int64_t *first, int64_t *end)
{
    const double want = log((double)(threads > 0 ? threads : 1));
    double best = INFINITY;
    *first = *end = 0;
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[j].threads == v[i].threads; j++)
            ;
        const double d = fabs(log((double)v[i].threads) - want);
        if (d < best) {
            best = d;
            *first = i;
            *end = j;
        }
    }
}

double learned_t0_between(const struct learned_launch *v, int64_t first, int64_t end, int64_t blocks)
{
    const double at = log2((double)(blocks > 0 ? blocks : 1));
    if (end == first)
        return 0;
    int64_t i = first;
    while (i + 1 < end && v[i + 1].log2_blocks < at)
        i++;
    if (at <= v[first].log2_blocks || i + 1 == end)
        return at <= v[first].log2_blocks ? v[first].t0_us : v[end - 1].t0_us;
    const double w = (at - v[i].log2_blocks) / (v[i + 1].log2_blocks - v[i].log2_blocks);
    return v[i].t0_us + w * (v[i + 1].t0_us - v[i].t0_us);
}

double learned_t0(const struct learned_launch *v, int64_t n, const struct grid *g)
{
    int64_t first, end;
    learned_launch_near(v, n, g->threads, &first, &end);
    return learned_t0_between(v, first, end, g->blocks);
}

double learned_rate(const struct learned_bound *b, double share)
{
    const double l2 = b->bytes_per_us[0], memory = b->bytes_per_us[1];
    if (isnan(l2) || isnan(memory))
        return isnan(l2) ? memory : l2;
    return exp((1 - share) * log(l2) + share * log(memory));
}
