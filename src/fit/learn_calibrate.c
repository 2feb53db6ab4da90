/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts cases, and calibrates the width of intervals on families left out of inner fits (learn.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "fit/learn_inside.h"

enum { INNER_FOLDS = 5 };
static const double level = 0.90;

bool learn_ask(const struct learn_data *d, const struct learned *l, const struct learn_case *c, double *log_us,
               double *deviation)
{
    if (c->effective < 0)
        return false;
    const struct learned_config *config = &l->config[c->effective];
    const struct learned_bound *bound = learn_bound(d, l, c);
    struct learned_answer a;
    struct physics p;
    if (!bound || config->families[c->target] == 0)
        return false;
    learn_expand(c, &p);
    learned_ask(l, config, bound, c->target, &p, &a);
    *log_us = fmax(a.log_us, log(fmax(a.least_us, PHYSICS_LEAST_US)));
    *deviation = a.deviation;
    return true;
}

/* ---- intervals */
struct outcome {
    int64_t i; /* the case */
    double log_us, score;
};

static int by_score(const void *a, const void *b)
{
    const struct outcome *x = a, *y = b;
    return (x->score > y->score) - (x->score < y->score);
}

/* Split conformal: returns the `level` quantile of |log error| / deviation over cases whose forecast is within twice the best
 * forecast of their contest. Each family has weight one. */
static double quantile_of(const struct learn_data *d, struct outcome *o, int64_t n)
{
    double *weight = xcalloc((unsigned long)d->nfamilies + 1, sizeof *weight), sum = 0, families = 0, q = NAN;
    for (int64_t k = 0; k < n; k++)
        weight[d->family[d->at[o[k].i].matrix]]++;
    for (int f = 0; f < d->nfamilies; f++)
        families += weight[f] > 0;
    qsort(o, (size_t)n, sizeof *o, by_score);
    for (int64_t k = 0; k < n; k++) {
        sum += 1 / weight[d->family[d->at[o[k].i].matrix]];
        q = o[k].score;
        if (sum >= level * (families + 1))
            break;
    }
    free(weight);
    return q;
}

static void calibrate(const struct learn_data *d, const bool *use, struct learned *l)
{
    bool *inner = xmalloc(((unsigned long)d->runs->nmatrices + 1) * sizeof *inner), reals = false;
    double *log_us = xmalloc(((unsigned long)d->n + 1) * sizeof *log_us),
           *deviation = xmalloc(((unsigned long)d->n + 1) * sizeof *deviation);
    double *best = xmalloc(((unsigned long)d->ncontests + 1) * sizeof *best);
    for (int64_t m = 0; m < d->runs->nmatrices; m++)
        reals = reals || (use[m] && learn_is_real(d, (int)m));
    for (int64_t i = 0; i < d->n; i++)
        log_us[i] = NAN;
    for (int64_t i = 0; i < d->ncontests; i++)
        best[i] = INFINITY;
    for (int fold = 0; fold < INNER_FOLDS; fold++) {
        for (int64_t m = 0; m < d->runs->nmatrices; m++)
            inner[m] = use[m] && learn_draw(0, (uint64_t)d->family[m]) % INNER_FOLDS != (uint64_t)fold;
        struct learned *one = learn_fit_once(d, inner, l);
#pragma omp parallel for schedule(dynamic, 256)
        for (int64_t i = 0; i < d->n; i++) {
            const struct learn_case *c = &d->at[i];
            if (use[c->matrix] && !inner[c->matrix] && learn_is_real(d, c->matrix) == reals
                && !learn_ask(d, one, c, &log_us[i], &deviation[i]))
                log_us[i] = NAN;
        }
        learned_free(one);
    }
    for (int64_t i = 0; i < d->n; i++)
        if (!isnan(log_us[i])) {
            double *b = &best[d->at[i].contest];
            *b = fmin(*b, log_us[i]);
        }
    struct outcome *o = xmalloc(((unsigned long)d->n + 1) * sizeof *o);
    for (int64_t b = 0; b < l->nbounds; b++) {
        int64_t n = 0;
        for (int64_t i = 0; i < d->n; i++)
            if (!isnan(log_us[i]) && learn_bound(d, l, &d->at[i]) == &l->bound[b]
                && log_us[i] <= best[d->at[i].contest] + log(2))
                o[n++] = (struct outcome){ i, log_us[i], fabs(log(d->at[i].us) - log_us[i]) / deviation[i] };
        double *error = xmalloc(((unsigned long)n + 1) * sizeof *error);
        for (int64_t k = 0; k < n; k++)
            error[k] = fabs(exp(o[k].log_us) / d->at[o[k].i].us - 1);
        stats_sort(error, n);
        l->bound[b].error_median = stats_quantile(error, n, 0.5);
        l->bound[b].error_p90 = stats_quantile(error, n, 0.9);
        free(error);
        l->bound[b].factor = n > 0 ? quantile_of(d, o, n) : NAN;
    }
    free(o);
    free(inner);
    free(log_us);
    free(deviation);
    free(best);
}

/* OpenBLAS threads would compete with ours. Weak: other libraries lack this function. */
extern void openblas_set_num_threads(int) __attribute__((weak));

int learn_fit(const struct learn_data *d, const bool *use, struct learned **out, char why[ERRLEN])
{
    bool *family = xcalloc((unsigned long)d->nfamilies + 1, sizeof *family);
    int families = 0;
    for (int64_t m = 0; m < d->runs->nmatrices; m++)
        if (use[m] && !family[d->family[m]]) {
            family[d->family[m]] = true;
            families++;
        }
    free(family);
    if (families < LEARNED_FAMILIES)
        return fail(
            why,
            "%d families of matrices measured, but at least %d required; measure more (spmv-gen physics-gp, spmv-run)",
            families, LEARNED_FAMILIES);
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    *out = learn_fit_once(d, use, NULL);
    calibrate(d, use, *out);
    return 0;
}
