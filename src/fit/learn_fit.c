/* SPDX-License-Identifier: BSD-3-Clause */
/* One fit of physics-gp without intervals (learn.h): physics of each configuration, length scales of each kernel, weights of the
 * points. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn_inside.h"

/* Fewer terms and features generalize better from few measurements: of the variants, the first uses all, the second few of both, and the
 * third all terms but few features. */
static const int few_terms[] = { TERM_constant, TERM_bytes_l2,  TERM_bytes_memory, TERM_skipped_l2, TERM_skipped_memory,
                                 TERM_path_log, TERM_path,      TERM_lane_slots,   TERM_threads,    TERM_most_pieces,
                                 TERM_cut_rows, TERM_missed_l1, TERM_missed_l2 };
static const int few_features[] = { FEATURE_path,     FEATURE_bytes, FEATURE_waves, FEATURE_slots_a_nonzero,
                                    FEATURE_row_mean, FEATURE_own_0, FEATURE_own_1, FEATURE_sectors_32,
                                    FEATURE_rows };
static const struct {
    bool all_terms, all_features;
    double prior;
} variants[LEARNED_VARIANTS] = { { true, true, 5 }, { false, false, 2 }, { true, false, 2 } };
/* Below this number of families, the physics of a configuration also uses the other configurations of its kernel, with this total
 * weight relative to its own cases; below LEARNED_FAMILIES, with the weight that they would have beside as many families. Above it, with
 * fewer than LEARNED_FAMILIES families of one class (class_of), it uses their cases of that class, with the weight of as many families. */
enum { FEW_FAMILIES = 32 };
static const double leaning = 0.25;
/* Maximum groups per kernel, and points per group, for fitting length scales. */
enum { HYPER_GROUPS = 6, HYPER_POINTS = 240 };
/* Recipes weigh less and count as noisier: users have other matrices. Streams are noisier because host time differs between
 * processes. */
static const double recipe_weight = 0.1, recipe_noise = 4, stream_noise = 2.5;
static const double clip = 0.4; /* larger residuals are outliers */

void learn_terms_of(int variant, bool use[NTERMS])
{
    for (int k = 0; k < NTERMS; k++)
        use[k] = variants[variant].all_terms;
    for (unsigned long i = 0; i < sizeof few_terms / sizeof few_terms[0]; i++)
        use[few_terms[i]] = true;
}

static void features_of_variant(int variant, struct learned_hyper *h)
{
    for (int k = 0; k < NFEATURES; k++)
        h->scale[k] = variants[variant].all_features;
    for (unsigned long i = 0; i < sizeof few_features / sizeof few_features[0]; i++)
        h->scale[few_features[i]] = 1;
}

/* ---- points: matrices on which a configuration was measured */
static void make_points(const struct learn_data *d, const bool *use, struct learned *l, int64_t *point_of)
{
    int64_t *at = xmalloc(((unsigned long)d->runs->nmatrices + 1) * sizeof *at);
    for (int64_t i = 0, j; i < d->n; i = j) {
        for (j = i + 1; j < d->n && d->at[j].config == d->at[i].config; j++)
            ;
        struct learned_config *c = &l->config[d->at[i].config];
        const int64_t p = c->precision;
        c->first = l->npoints[p];
        for (int64_t m = 0; m < d->runs->nmatrices; m++)
            at[m] = -1;
        for (int64_t k = i; k < j; k++) {
            const struct learn_case *e = &d->at[k];
            point_of[k] = -1;
            if (!use[e->matrix] || e->effective != e->config)
                continue;
            if (at[e->matrix] < 0) {
                at[e->matrix] = l->npoints[p]++;
                struct learned_point *q = &l->point[p][at[e->matrix]];
                *q = (struct learned_point){ .matrix = e->matrix };
                struct physics x;
                learn_expand(e, &x);
                learned_scale_features(l, x.feature, q->z);
            }
            point_of[k] = at[e->matrix];
        }
        c->n = l->npoints[p] - c->first;
    }
    free(at);
}

/* ---- groups: a configuration under one target */
struct group {
    int config, target, n, families;
    int64_t class_families[2];
    const double *least; /* [NTERMS] of its precision and target */
    const struct learn_case **at;
    int64_t *point;
    double *base_us, *weight, *noise; /* noise: factor per point on the fitted noise */
    double *r[LEARNED_VARIANTS];      /* log(T / physics) */
};

/* Returns the variance of log T due to the session. */
static double session_noise(const struct learn_case *c) { return c->noise_us2 / (c->us * c->us); }

static void group_residuals(const struct learned *l, struct group *g)
{
    const struct learned_config *c = &l->config[g->config];
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        for (int i = 0; i < g->n; i++) {
            const double us =
                learn_physics_us(g->at[i], g->base_us[i], c->b + (g->target * LEARNED_VARIANTS + v) * NTERMS);
            g->r[v][i] = fmin(fmax(log(g->at[i]->us / us), -clip), clip);
        }
}

static bool of_kernel(const struct learned *l, const struct group *g, const struct group *of)
{
    const struct learned_config *a = &l->config[g->config], *b = &l->config[of->config];
    return g->target == of->target && strcmp(a->kernel, b->kernel) == 0 && a->precision == b->precision;
}

/* 0: data mostly from the L2, 1: from memory */
static int class_of(const struct learn_case *c) { return c->memory_share >= 0.5; }

/* Does the physics of a group lean on this case of another configuration of its kernel? It does if the group has few families, in all or of
 * the class of the case. */
static bool leans_on(const struct group *g, const struct learn_case *c)
{
    return g->families < FEW_FAMILIES || g->class_families[class_of(c)] < LEARNED_FAMILIES;
}

/* Returns the cases for the physics of a group. Cases of the kernel's other configurations cover other kinds of matrices. Caller frees the
 * arrays. */
static struct physics_fit cases_of(const struct learned *l, const struct group *group, int ngroups,
                                   const struct group *g)
{
    int n = g->n, most = g->n;
    double own = 0, others = 0;
    for (int i = 0; i < ngroups; i++)
        most += &group[i] != g && of_kernel(l, &group[i], g) ? group[i].n : 0;
    const struct learn_case **at = xmalloc(((unsigned long)most + 1) * sizeof *at);
    double *base = xmalloc(((unsigned long)most + 1) * sizeof *base),
           *weight = xmalloc(((unsigned long)most + 1) * sizeof *weight);
    memcpy(at, g->at, (unsigned long)g->n * sizeof *at);
    memcpy(base, g->base_us, (unsigned long)g->n * sizeof *base);
    memcpy(weight, g->weight, (unsigned long)g->n * sizeof *weight);
    for (int i = 0; i < ngroups && n < most; i++)
        if (&group[i] != g && of_kernel(l, &group[i], g))
            for (int k = 0; k < group[i].n; k++) {
                if (!leans_on(g, group[i].at[k]))
                    continue;
                at[n] = group[i].at[k];
                base[n] = group[i].base_us[k];
                weight[n] = group[i].weight[k];
                others += weight[n++];
            }
    for (int i = 0; i < g->n; i++)
        own += g->weight[i];
    const double of_one = own / g->families;
    const double of_others =
        g->families < FEW_FAMILIES ? leaning * fmax(own, LEARNED_FAMILIES * of_one) : LEARNED_FAMILIES * of_one;
    for (int i = g->n; i < n; i++)
        weight[i] *= of_others / others;
    return (struct physics_fit){ n, at, base, weight, g->least };
}

static bool is_of_kernel(const struct learned_config *c, const char *kernel, int64_t precision)
{
    return strcmp(c->kernel, kernel) == 0 && c->precision == precision;
}

/* All cases of a kernel; free with free_cases. n = 0: none. */
static struct physics_fit cases_of_kernel(const struct learned *l, const struct group *group, int ngroups,
                                          const char *kernel, int64_t precision, int target)
{
    int n = 0;
    for (int i = 0; i < ngroups; i++)
        if (group[i].target == target && is_of_kernel(&l->config[group[i].config], kernel, precision))
            n += group[i].n;
    const struct learn_case **at = xmalloc(((unsigned long)n + 1) * sizeof *at);
    double *base = xmalloc(((unsigned long)n + 1) * sizeof *base),
           *weight = xmalloc(((unsigned long)n + 1) * sizeof *weight);
    const double *least = NULL;
    n = 0;
    for (int i = 0; i < ngroups; i++)
        if (group[i].target == target && is_of_kernel(&l->config[group[i].config], kernel, precision))
            for (int k = 0; k < group[i].n; k++, n++) {
                at[n] = group[i].at[k];
                base[n] = group[i].base_us[k];
                weight[n] = group[i].weight[k];
                least = group[i].least;
            }
    return (struct physics_fit){ n, at, base, weight, least };
}

static void free_cases(const struct physics_fit *f)
{
    free((void *)f->at);
    free((void *)f->base_us);
    free((void *)f->weight);
}

/* Raises the least coefficients of bytes from the L2, or from memory, to those of the whole kernel if it was measured there and the
 * group was not on enough families. */
static void lean_on_kernel(const struct learned *l, const struct group *group, int ngroups, const struct group *g,
                           double least[NTERMS])
{
    static const int of_class[2][2] = { { TERM_bytes_l2, TERM_skipped_l2 },
                                        { TERM_bytes_memory, TERM_skipped_memory } };
    const struct learned_config *c = &l->config[g->config];
    memcpy(least, g->least, NTERMS * sizeof *least);
    if (g->class_families[0] >= LEARNED_FAMILIES && g->class_families[1] >= LEARNED_FAMILIES)
        return;
    const struct physics_fit f = cases_of_kernel(l, group, ngroups, c->kernel, c->precision, g->target);
    bool few[NTERMS], there[2] = { false };
    double b[NTERMS];
    for (int i = 0; i < f.n; i++)
        there[class_of(f.at[i])] = true;
    learn_terms_of(1, few);
    if (there[0] && there[1]) {
        learn_physics(&f, few, b);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2 && g->class_families[k] < LEARNED_FAMILIES; i++)
                least[of_class[k][i]] = b[of_class[k][i]];
    }
    free_cases(&f);
}

static void group_physics(struct learned *l, const struct group *group, int ngroups, struct group *g)
{
    struct physics_fit f = cases_of(l, group, ngroups, g);
    double least[NTERMS];
    lean_on_kernel(l, group, ngroups, g, least);
    f.least = least;
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        bool use[NTERMS];
        double b[NTERMS];
        learn_terms_of(v, use);
        learn_physics(&f, use, b);
        for (int k = 0; k < NTERMS; k++)
            l->config[g->config].b[(g->target * LEARNED_VARIANTS + v) * NTERMS + k] = (float)b[k];
    }
    free_cases(&f);
    group_residuals(l, g);
}

/* Solves (K + noise) alpha = r for the weights of the points. */
static void group_weights(const struct learned *l, struct group *g)
{
    const struct learned_config *c = &l->config[g->config];
    struct learned_point *point = l->point[c->precision];
    double *k = xmalloc(((unsigned long)g->n * (unsigned long)g->n + 1) * sizeof *k),
           *a = xmalloc(((unsigned long)g->n + 1) * sizeof *a);
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        const struct learned_hyper *h = learned_hyper_of(l, c->kernel, v);
        for (int i = 0; i < g->n; i++) {
            for (int j = 0; j <= i; j++)
                k[i * g->n + j] = gp_covariance(h, point[g->point[i]].z, point[g->point[j]].z);
            k[i * g->n + i] += h->noise * g->noise[i] + session_noise(g->at[i]);
            a[i] = g->r[v][i];
        }
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', g->n, 1, k, g->n, a, 1) != 0)
            bug("physics-gp: covariance of %s is not positive definite", c->config);
        for (int i = 0; i < g->n; i++)
            point[g->point[i]].alpha[g->target * LEARNED_VARIANTS + v] = (float)a[i];
    }
    free(k);
    free(a);
}

static void count_families(const struct learn_data *d, struct group *g)
{
    unsigned char *seen = xcalloc((unsigned long)d->nfamilies + 1, sizeof *seen); /* bits: classes */
    for (int i = 0; i < g->n; i++) {
        unsigned char *of = &seen[d->family[g->at[i]->matrix]];
        const int class = class_of(g->at[i]);
        g->families += !*of;
        g->class_families[class] += !(*of >> class & 1);
        *of |= (unsigned char)(1 << class);
    }
    free(seen);
}

static struct group *make_groups(const struct learn_data *d, const struct learned *l, const int64_t *point_of,
                                 double (*least)[LEARNED_TARGETS][NTERMS], int *ngroups)
{
    struct group *group = NULL;
    int n = 0;
    for (int64_t i = 0, j; i < d->n; i = j) {
        struct group g = { .config = d->at[i].config, .target = d->at[i].target };
        for (j = i; j < d->n && d->at[j].config == g.config && d->at[j].target == g.target; j++)
            g.n += point_of[j] >= 0;
        if (g.n == 0)
            continue;
        const unsigned long room = (unsigned long)g.n;
        g.at = xmalloc(room * sizeof *g.at);
        g.point = xmalloc(room * sizeof *g.point);
        double *v = xmalloc(room * (3 + LEARNED_VARIANTS) * sizeof *v);
        g.base_us = v;
        g.weight = v + room;
        g.noise = v + 2 * room;
        for (int k = 0; k < LEARNED_VARIANTS; k++)
            g.r[k] = v + (3 + (unsigned long)k) * room;
        const struct learned_bound *bound = learn_bound(d, l, &d->at[i]);
        g.n = 0;
        for (int64_t k = i; k < j; k++) {
            const struct learn_case *c = &d->at[k];
            if (point_of[k] < 0)
                continue;
            /* accuracy matters less far from the best */
            const double far = pow(fmax(1, c->us / (2 * c->best_us)), 2);
            g.at[g.n] = c;
            g.point[g.n] = point_of[k];
            g.base_us[g.n] = learned_t0(l->launch, l->nlaunch, &c->grid) + bound->floor_us;
            g.weight[g.n] = (learn_is_real(d, c->matrix) ? 1 : recipe_weight) / far;
            g.noise[g.n++] = far * (learn_is_real(d, c->matrix) ? 1 : recipe_noise)
                             * (learn_target(d, c).launch == STREAM ? stream_noise : 1);
        }
        count_families(d, &g);
        g.least = least[l->config[g.config].precision][g.target];
        group = xrealloc(group, ((unsigned long)n + 1) * sizeof *group);
        group[n++] = g;
    }
    *ngroups = n;
    return group;
}

static void free_groups(struct group *g, int n)
{
    for (int i = 0; i < n; i++) {
        free(g[i].at);
        free(g[i].point);
        free(g[i].base_us);
    }
    free(g);
}

/* ---- length scales */
struct pick {
    uint64_t order;
    int index;
};
static int by_order(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : x->index - y->index;
}

static void fit_hyper(const struct learn_data *d, const struct learned *l, const struct group *group, int ngroups,
                      struct learned_hyper *h)
{
    struct pick *of_kernel = xmalloc(((unsigned long)ngroups + 1) * sizeof *of_kernel);
    struct hyper_group chosen[HYPER_GROUPS];
    int n = 0, used = 0;
    for (int i = 0; i < ngroups; i++)
        if (strcmp(l->config[group[i].config].kernel, h->kernel) == 0 && group[i].families >= LEARNED_FAMILIES)
            of_kernel[n++] = (struct pick){ learn_draw(0, (uint64_t)i), i };
    qsort(of_kernel, (size_t)n, sizeof *of_kernel, by_order);
    for (; used < n && used < HYPER_GROUPS; used++) {
        const struct group *g = &group[of_kernel[used].index];
        const struct learned_point *point = l->point[l->config[g->config].precision];
        struct pick *p = xmalloc(((unsigned long)g->n + 1) * sizeof *p);
        for (int i = 0; i < g->n; i++) /* real matrices first */
            p[i] = (struct pick){
                learn_draw(0, (uint64_t)g->at[i]->matrix) >> 2 | (uint64_t)!learn_is_real(d, g->at[i]->matrix) << 60, i
            };
        qsort(p, (size_t)g->n, sizeof *p, by_order);
        const int m = g->n < HYPER_POINTS ? g->n : HYPER_POINTS;
        float(*z)[NFEATURES] = xmalloc(((unsigned long)m + 1) * sizeof *z);
        double *r = xmalloc(((unsigned long)m + 1) * sizeof *r),
               *noise = xmalloc(((unsigned long)m + 1) * sizeof *noise);
        for (int i = 0; i < m; i++) {
            memcpy(z[i], point[g->point[p[i].index]].z, sizeof z[i]);
            r[i] = g->r[h->variant][p[i].index];
            noise[i] = session_noise(g->at[p[i].index]);
        }
        chosen[used] = (struct hyper_group){ m, (const float(*)[NFEATURES])z, r, noise };
        free(p);
    }
    features_of_variant((int)h->variant, h);
    learn_hyper(chosen, used, variants[h->variant].prior, h);
    for (int i = 0; i < used; i++) {
        free((void *)chosen[i].z);
        free((void *)chosen[i].r);
        free((void *)chosen[i].noise);
    }
    free(of_kernel);
}

static void fit_hypers(const struct learn_data *d, const struct group *group, int ngroups, const struct learned *given,
                       struct learned *l)
{
    l->hyper = xcalloc((unsigned long)(l->nconfigs * LEARNED_VARIANTS) + 1, sizeof *l->hyper);
    for (int64_t i = 0; i < l->nconfigs; i++)
        for (int v = 0; v < LEARNED_VARIANTS && !learned_hyper_of(l, l->config[i].kernel, v); v++) {
            TEXT_SET(l->hyper[l->nhypers].kernel, l->config[i].kernel);
            l->hyper[l->nhypers++].variant = v;
        }
#pragma omp parallel for schedule(dynamic)
    for (int64_t i = 0; i < l->nhypers; i++) {
        const struct learned_hyper *there =
            given ? learned_hyper_of(given, l->hyper[i].kernel, (int)l->hyper[i].variant) : NULL;
        if (there)
            l->hyper[i] = *there;
        else
            fit_hyper(d, l, group, ngroups, &l->hyper[i]);
    }
}

/* ---- how well one physics serves all configurations of a kernel, for the intervals of those with few families */
static double deviation_of(double squares, int n) { return n > 1 ? fmax(sqrt(squares / n), 0.05) : 1; }

static void kernel_deviation(struct learned *l, struct group *group, int ngroups, const char *kernel, int64_t precision,
                             int target)
{
    const struct physics_fit f = cases_of_kernel(l, group, ngroups, kernel, precision, target);
    const int n = f.n;
    double b[NTERMS], squares[2] = { 0 };
    int cases[2] = { 0 };
    bool few[NTERMS];
    learn_terms_of(1, few);
    if (n > 0)
        learn_physics(&f, few, b);
    for (int i = 0; i < n; i++) {
        double us = f.base_us[i];
        for (int k = 0; k < NTERMS; k++)
            us += b[k] * (double)f.at[i]->term[k];
        squares[class_of(f.at[i])] += pow(log(f.at[i]->us / us), 2);
        cases[class_of(f.at[i])]++;
    }
    const double all = deviation_of(squares[0] + squares[1], n);
    for (int64_t i = 0; i < l->nconfigs && n > 0; i++) {
        struct learned_config *c = &l->config[i];
        if (!is_of_kernel(c, kernel, precision))
            continue;
        for (int k = 0; k < 2; k++) /* a class in which the kernel was not measured: as elsewhere */
            c->class_deviation[2 * target + k] = cases[k] > 1 ? deviation_of(squares[k], cases[k]) : all;
    }
    free_cases(&f);
}

static bool is_few(const struct learned_config *c, int target)
{
    return c->class_families[2 * target] < LEARNED_FAMILIES || c->class_families[2 * target + 1] < LEARNED_FAMILIES;
}

static void kernel_deviations(struct learned *l, struct group *group, int ngroups)
{
    for (int64_t i = 0; i < l->nconfigs; i++)
        for (int t = 0; t < LEARNED_TARGETS; t++)
            if (isnan(l->config[i].class_deviation[2 * t]) && is_few(&l->config[i], t))
                kernel_deviation(l, group, ngroups, l->config[i].kernel, l->config[i].precision, t);
}

/* ---- one fit, without intervals */
struct learned *learn_fit_once(const struct learn_data *d, const bool *use, const struct learned *given)
{
    struct learned *l = xcalloc(1, sizeof *l);
    learn_fit_scaling(d, use, l);
    learn_fit_launch(d, use, l);
    learn_fit_bounds(d, use, l);
    l->nconfigs = d->nconfigs;
    l->config = xmalloc(((unsigned long)d->nconfigs + 1) * sizeof *l->config);
    memcpy(l->config, d->config, (size_t)d->nconfigs * sizeof *l->config);
    for (int64_t i = 0; i < l->nconfigs; i++)
        for (int t = 0; t < LEARNED_TARGETS; t++)
            l->config[i].class_deviation[2 * t] = l->config[i].class_deviation[2 * t + 1] = NAN;
    for (int p = 0; p < NPRECISIONS; p++)
        l->point[p] = xmalloc(((unsigned long)d->n + 1) * sizeof *l->point[p]);
    int64_t *point_of = xmalloc(((unsigned long)d->n + 1) * sizeof *point_of);
    int ngroups;
    make_points(d, use, l, point_of);
    double least[NPRECISIONS][LEARNED_TARGETS][NTERMS];
    for (int p = 0; p < NPRECISIONS; p++)
        for (int t = 0; t < LEARNED_TARGETS; t++)
            learn_least_of(d, use, l, p, t, least[p][t]);
    struct group *group = make_groups(d, l, point_of, least, &ngroups);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < ngroups; i++) {
        struct learned_config *c = &l->config[group[i].config];
        c->families[group[i].target] = group[i].families;
        memcpy(&c->class_families[2 * group[i].target], group[i].class_families, sizeof *c->class_families * 2);
        group_physics(l, group, ngroups, &group[i]);
    }
    fit_hypers(d, group, ngroups, given, l);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < ngroups; i++)
        group_weights(l, &group[i]);
    kernel_deviations(l, group, ngroups);
    free_groups(group, ngroups);
    free(point_of);
    l->nmatrices = d->runs->nmatrices;
    l->matrix = xcalloc((unsigned long)l->nmatrices + 1, sizeof *l->matrix);
    for (int64_t i = 0; i < l->nmatrices; i++) {
        const struct matrix_row *m = &d->runs->matrices[i];
        TEXT_SET(l->matrix[i].source_id, m->source_id);
        TEXT_SET(l->matrix[i].pattern_id, use[i] ? m->pattern_id : "");
        TEXT_SET(l->matrix[i].matrix, m->matrix);
        TEXT_SET(l->matrix[i].group, m->group);
        TEXT_SET(l->matrix[i].family, use[i] ? d->family_name[d->family[i]] : "");
    }
    return l;
}
