/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of "knn" and "knn-log", which lehnert2016 chose by hand: one set per kernel and target, by coordinate descent
 * from all 1 on the kernel's configuration with most matrices. Minimizes the mean |log(forecast / T)| over its matrices,
 * each forecast from matrices of other families; traits are scaled over all of them. */
#include <math.h>
#include <stdlib.h>
#include "models/lehnert2016/knn.h"

const char knn_name[] = "knn", knn_log_name[] = "knn-log";

void knn_scale_begin(struct knn_scale *s, int n, bool logs)
{
    s->n = n;
    s->logs = logs;
    for (int i = 0; i < n; i++) {
        s->low[i] = INFINITY;
        s->size[i] = -INFINITY; /* the greatest value, until knn_scale_end */
    }
}

void knn_scale_take(struct knn_scale *s, const double *x)
{
    for (int i = 0; i < s->n; i++) {
        const double v = s->logs ? log1p(x[i]) : x[i];
        s->low[i] = fmin(s->low[i], v);
        s->size[i] = fmax(s->size[i], v);
    }
}

void knn_scale_end(struct knn_scale *s)
{
    for (int i = 0; i < s->n; i++)
        s->size[i] -= s->low[i];
}

void knn_scaled(const struct knn_scale *s, const double *x, double *scaled)
{
    for (int i = 0; i < s->n; i++)
        scaled[i] = s->size[i] > 0 ? ((s->logs ? log1p(x[i]) : x[i]) - s->low[i]) / s->size[i] : 0;
}

void knn_share(struct knn_nearest *v)
{
    double sum = 0;
    for (int i = 0; i < v->n; i++)
        v->at[i].distance = sqrt(v->at[i].distance);
    for (int i = 0; i < v->n; i++) {
        v->at[i].share = v->at[0].distance > 0 ? 1 / v->at[i].distance : i == 0;
        sum += v->at[i].share;
    }
    for (int i = 0; i < v->n; i++)
        v->at[i].share /= sum;
}

enum { SWEEPS = 2, NVALUES = 5 };
static const double values[NVALUES] = { 0, 0.5, 1, 2, 4 };

struct search {
    const struct examples *examples;
    const struct example_list *list;
    const struct trait_set *set;
    double (*x)[TRAITS_MAX]; /* scaled */
};

/* Returns the forecast over the measured time of example i with these weights; NaN: no example of another family. */
static double ratio(const struct search *s, const double *weight, int64_t i)
{
    const struct example_list *list = s->list;
    const int *family = s->examples->family;
    struct knn_nearest nearest = { .k = s->set->neighbours };
    double time_s = 0;
    for (int64_t k = 0; k < list->n; k++)
        if (family[list->at[k]->matrix] != family[list->at[i]->matrix])
            knn_offer(&nearest, k, knn_square(s->x[i], s->x[k], weight, s->set->n));
    if (nearest.n == 0)
        return NAN;
    knn_share(&nearest);
    for (int k = 0; k < nearest.n; k++)
        time_s += nearest.at[k].share * list->at[nearest.at[k].which]->time_s;
    return time_s / list->at[i]->time_s;
}

static double error_of(const struct search *s, const double *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < s->list->n; i++)
        sum += fabs(log(ratio(s, weight, i)));
    return isnan(sum) ? INFINITY : sum / (double)s->list->n;
}

static void find_weights(const struct search *s, double *weight)
{
    double best;
    bool changed = true;
    for (int k = 0; k < s->set->n; k++)
        weight[k] = 1;
    best = error_of(s, weight);
    for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
        changed = false;
        for (int k = 0; k < s->set->n; k++) {
            double kept = weight[k];
            const double before = kept;
            for (int v = 0; v < NVALUES; v++) {
                weight[k] = values[v];
                const double error = values[v] == before ? INFINITY : error_of(s, weight);
                if (error < best) {
                    best = error;
                    kept = values[v];
                    changed = true;
                }
            }
            weight[k] = kept;
        }
    }
}

static void fit_kernel(const struct examples *e, const struct example_config *c, const struct example_list *list,
                       bool logs, struct trained_fit *f)
{
    const struct trait_set *set = traits_for(c->kernel);
    struct search s = { e, list, set, xmalloc(((unsigned long)list->n + 1) * sizeof *s.x) };
    struct knn_scale scale;
    double *error = xmalloc(((unsigned long)list->n + 1) * sizeof *error);
    knn_scale_begin(&scale, set->n, logs);
    for (int64_t i = 0; i < list->n; i++) {
        for (int k = 0; k < set->n; k++)
            s.x[i][k] = list->at[i]->x[set->trait[k]];
        knn_scale_take(&scale, s.x[i]);
    }
    knn_scale_end(&scale);
    for (int64_t i = 0; i < list->n; i++)
        knn_scaled(&scale, s.x[i], s.x[i]);
    trained_fit_begin(f, logs ? knn_log_name : knn_name, e, c, list);
    TEXT_SET(f->config, c->kernel->name);
    find_weights(&s, f->weight + 1);
    for (int64_t i = 0; i < list->n; i++)
        error[i] = fabs(ratio(&s, f->weight + 1, i) - 1);
    trained_fit_errors(f, error, list->n);
    free(error);
    free(s.x);
}

int knn_train(const struct examples *e, const bool *use, struct trained *out, bool logs, char why[ERRLEN])
{
    int kernels = 0;
    int64_t n = 0;
    while (kernel_at(kernels))
        kernels++;
    struct trained_fit *fit = xcalloc((unsigned long)kernels, sizeof *fit);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : n)
    for (int i = 0; i < kernels; i++) {
        struct example_list best = { 0 };
        const struct example_config *of = NULL;
        for (int64_t k = 0; k < e->nconfigs; k++) {
            if (e->config[k].kernel != kernel_at(i))
                continue;
            const struct example_list list = examples_of(e, &e->config[k], use);
            const bool more = list.n > best.n;
            free(more ? best.at : list.at);
            if (more) {
                best = list;
                of = &e->config[k];
            }
        }
        if (of && best.families > traits_for(of->kernel)->neighbours) {
            fit_kernel(e, of, &best, logs, &fit[i]);
            n++;
        }
        free(best.at);
    }
    for (int i = 0; i < kernels; i++)
        if (*fit[i].model)
            trained_add(out, &fit[i], NULL);
    free(fit);
    return n > 0 ? 0 : fail(why, "no kernel was measured on enough matrices; time more with spmv-run MATRIX...");
}
