/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts cases, and calibrates the width of intervals on families left out of inner fits (learn.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/samples.h"
#include "fit/learn_inside.h"

enum { INNER_FOLDS = 10, SPAN_CASES = 4096, SPAN_WIDE = 30 };
static const double level = 0.90;

bool learn_ask(const struct learn_data *d, const struct learned *l, const struct learn_case *c,
               struct learned_answer *a)
{
    if (c->effective < 0)
        return false;
    const struct learned_config *config = &l->config[c->effective];
    const struct learned_bound *bound = learn_bound(d, l, c);
    struct physics p;
    if (!bound || config->families[c->target] == 0)
        return false;
    learn_expand(c, &p);
    learned_ask(l, config, bound, c->target, &p, a);
    return true;
}

/* ---- intervals */

/* Split conformal: returns the `level` quantile of |log error| / deviation over the cases. Each family has weight one. */
static double conformal_quantile(struct sample *score)
{
    const double families = (double)sample_units(score, UNIT_FAMILY);
    double sum = 0, q = NAN;
    sample_weigh(score, UNIT_FAMILY);
    sample_sort(score);
    for (int64_t k = 0; k < score->n; k++) {
        sum += score->v[k].weight;
        q = score->v[k].value;
        if (sum >= level * (families + 1))
            break;
    }
    return q;
}

/* The forecasts of families that were left out. Intervals have to hold for the cases whose forecast is within twice the best one of
 * their contest and, since the chosen one errs more often on the fast side, for that alone. */
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
            struct learned_answer a;
            if (!use[c->matrix] || inner[c->matrix] || learn_is_real(d, c->matrix) != reals
                || !learn_ask(d, one, c, &a))
                continue;
            log_us[i] = fmax(a.log_us, log(fmax(a.min_us, PHYSICS_MIN_US)));
            deviation[i] = a.deviation;
        }
        learned_free(one);
    }
    for (int64_t i = 0; i < d->n; i++)
        if (!isnan(log_us[i])) {
            double *b = &best[d->at[i].contest];
            *b = fmin(*b, log_us[i]);
        }
    for (int64_t b = 0; b < l->nbounds; b++) {
        struct sample error = { 0 }, score = { 0 }, chosen = { 0 };
        for (int64_t i = 0; i < d->n; i++) {
            const struct learn_case *c = &d->at[i];
            if (isnan(log_us[i]) || learn_bound(d, l, c) != &l->bound[b] || log_us[i] > best[c->contest] + log(2))
                continue;
            sample_add(&error, fabs(exp(log_us[i]) / c->us - 1), c->matrix, d->family[c->matrix]);
            const double deviations = fabs(log(c->us) - log_us[i]) / deviation[i];
            sample_add(&score, deviations, c->matrix, d->family[c->matrix]);
            if (log_us[i] <= best[c->contest])
                sample_add(&chosen, deviations, c->matrix, d->family[c->matrix]);
        }
        sample_sort(&error);
        l->bound[b].error_median = sample_quantile(&error, 0.5);
        l->bound[b].error_p90 = sample_quantile(&error, 0.9);
        l->bound[b].factor = fmax(conformal_quantile(&score), conformal_quantile(&chosen));
        sample_free(&error);
        sample_free(&score);
        sample_free(&chosen);
    }
    free(inner);
    free(log_us);
    free(deviation);
    free(best);
}

/* Returns the median of high / low over forecasts of a target's cases, of every step-th case; kernel NULL: of all; NaN: there is none. */
static double span_of(const struct learn_data *d, const struct learned *l, const struct learned_bound *b,
                      const char *kernel)
{
    const int64_t step = d->n / SPAN_CASES + 1;
    struct sample span = { 0 };
    for (int64_t i = 0; i < d->n; i += step) {
        const struct learn_case *c = &d->at[i];
        struct learned_answer a;
        if (learn_bound(d, l, c) == b && (!kernel || strcmp(d->config[c->config].kernel, kernel) == 0)
            && learn_ask(d, l, c, &a))
            sample_add(&span, exp(2 * b->factor * a.deviation), c->matrix, d->family[c->matrix]);
    }
    sample_sort(&span);
    const double median = sample_quantile(&span, 0.5);
    sample_free(&span);
    return median;
}

void learn_warn_wide(const struct learn_data *d, const struct learned *l)
{
    for (int64_t i = 0; i < l->nbounds; i++) {
        const struct learned_bound *b = &l->bound[i];
        const double all = span_of(d, l, b, NULL);
        const char *widest = NULL;
        double span = 0;
        for (int64_t k = 0; k < l->nhypers && all > SPAN_WIDE; k += LEARNED_VARIANTS) {
            const double one = span_of(d, l, b, l->hyper[k].kernel);
            if (one > span) {
                span = one;
                widest = l->hyper[k].kernel;
            }
        }
        if (widest)
            warn(
                "%s, %s, %s: half of the 90 %% intervals reach from t to more than %.2g t, for %s %.2g t: the measured times contradict each "
                "other, probably because the machine was busy; measure them again on an idle one (--again all), then fit again",
                precision_name(b->precision), cache_name(b->cache), launch_name(b->launch), all, widest, span);
    }
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
