/* SPDX-License-Identifier: BSD-3-Clause */
/* lehnert2016, section 3.2: a linear function of the logarithms of the features for each thread mapping (a configuration)
 * and target, fitted to measured matrices by unweighted least squares:
 *   linear      T     = b0 + sum_k b_k log(1 + x_k)     as printed
 *   linear-log  log T = b0 + sum_k b_k log(1 + x_k)     ours: relative errors count alike, and T is always positive
 * x: the format's traits (models/traits.h). log(1 + x), since a standard deviation may be 0. T in seconds.
 * A configuration is fitted if it was measured on at least twice as many matrices as the line has coefficients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/lehnert2016/least_squares.h"
#include "models/trained_ask.h"

static const char name[] = "linear", log_name[] = "linear-log";

static double value(const struct trait_set *s, const double *b, const double x[NTRAITS])
{
    double sum = b[0];
    for (int k = 0; k < s->n; k++)
        sum += b[1 + k] * log1p(x[s->trait[k]]);
    return sum;
}

static void fit_config(const struct examples *e, const struct example_config *c, const struct example_list *list,
                       bool logs, struct trained_fit *f)
{
    const struct trait_set *s = traits_for(c->kernel);
    double *x = xmalloc((unsigned long)(list->n * (s->n + 2)) * sizeof *x), *y = x + list->n * s->n,
           *error = y + list->n;
    trained_fit_begin(f, logs ? log_name : name, e, c, list);
    for (int64_t i = 0; i < list->n; i++) {
        for (int k = 0; k < s->n; k++)
            x[i * s->n + k] = log1p(list->at[i]->x[s->trait[k]]);
        y[i] = logs ? log(list->at[i]->time_s) : list->at[i]->time_s;
    }
    least_squares(x, y, list->n, s->n, f->weight);
    for (int64_t i = 0; i < list->n; i++) {
        const double v = value(s, f->weight, list->at[i]->x);
        error[i] = fabs((logs ? exp(v) : v) / list->at[i]->time_s - 1);
    }
    trained_fit_errors(f, error, list->n);
    free(x);
}

static int train(const struct examples *e, const bool *use, struct trained *out, bool logs, char why[ERRLEN])
{
    struct trained_fit *fit = xcalloc((unsigned long)e->nconfigs + 1, sizeof *fit);
    int64_t n = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : n)
    for (int64_t i = 0; i < e->nconfigs; i++) {
        const struct example_list list = examples_of(e, &e->config[i], use);
        if (list.n >= trained_min_matrices(traits_for(e->config[i].kernel))) {
            fit_config(e, &e->config[i], &list, logs, &fit[i]);
            n++;
        }
        free(list.at);
    }
    for (int64_t i = 0; i < e->nconfigs; i++)
        if (*fit[i].model)
            trained_add(out, &fit[i], NULL);
    free(fit);
    return n > 0 ? 0 : fail(why, "no configuration was measured on enough matrices; time more with spmv-run MATRIX...");
}

static int train_linear(const struct examples *e, const bool *use, struct trained *out, char why[ERRLEN])
{
    return train(e, use, out, false, why);
}

static int train_log(const struct examples *e, const bool *use, struct trained *out, char why[ERRLEN])
{
    return train(e, use, out, true, why);
}

static void predict_linear(const struct profile *p, const struct features *m, const struct config *config,
                           const struct target *t, struct forecast *f)
{
    double x[NTRAITS];
    const struct trained_fit *fit = trained_ask(p, name, m, config, t, x, f);
    const struct trait_set *s = traits_for(config->kernel);
    if (!fit || !trained_inside(s, x, fit->low, fit->high, f))
        return;
    f->time_s = value(s, fit->weight, x);
    if (!(f->time_s > 0)) {
        forecast_refuse(f, "the fitted line gives a time of %.3g us, which is not positive", 1e6 * f->time_s);
        return;
    }
    forecast_add_term(f, "constant", fit->weight[0]);
    for (int k = 0; k < s->n; k++)
        forecast_add_term(f, trait_log_names[s->trait[k]], fit->weight[1 + k] * log1p(x[s->trait[k]]));
    trained_tell(p, f);
}

static void predict_log(const struct profile *p, const struct features *m, const struct config *config,
                        const struct target *t, struct forecast *f)
{
    double x[NTRAITS];
    const struct trained_fit *fit = trained_ask(p, log_name, m, config, t, x, f);
    const struct trait_set *s = traits_for(config->kernel);
    if (!fit || !trained_inside(s, x, fit->low, fit->high, f))
        return;
    f->time_s = exp(value(s, fit->weight, x));
    size_t used = (size_t)snprintf(f->note, sizeof f->note, "log T = %.6g", fit->weight[0]);
    for (int k = 0; k < s->n && used < sizeof f->note; k++)
        used +=
            (size_t)snprintf(f->note + used, sizeof f->note - used, " %c %.4g %s", fit->weight[1 + k] < 0 ? '-' : '+',
                             fabs(fit->weight[1 + k]), trait_log_names[s->trait[k]]);
    trained_tell(p, f);
}

const struct model model_linear = {
    .name = name,
    .about = "the time as a linear function of the logarithms of features, for each configuration",
    .source = "Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016, section 3.2",
    .literal = true,
    .trained = true,
    .needs = "nearest",
    .train = train_linear,
    .predict = predict_linear,
};
const struct model model_linear_log = {
    .name = log_name,
    .about = "the logarithm of the time as a linear function of the logarithms of features, for each configuration",
    .source = "adapted from Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016",
    .trained = true,
    .needs = "nearest",
    .train = train_log,
    .predict = predict_log,
};
