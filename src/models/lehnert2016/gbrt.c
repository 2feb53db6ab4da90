/* SPDX-License-Identifier: BSD-3-Clause */
/* lehnert2016, section 3.2 (after Friedman 2001): for each configuration and target, gradient-boosted regression trees of
 * log T over the format's traits (models/traits.h):
 *   log T = mean + sum of the leaves that x reaches
 * "linear+gbrt" combines them as the paper does: the line for COO, CSR and ELL, trees for SELL and BRO, no other format.
 * log T instead of T, and depth, rounds and rate chosen by cross-validation within the training set (gbrt_fit.c), are
 * ours: the paper does not say how it chose. */
#include "models/lehnert2016/gbrt.h"
#include <math.h>
#include <stdio.h>

static const char name[] = "gbrt", combined_name[] = "linear+gbrt";

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    double x[NTRAITS];
    float at[TRAITS_MAX];
    const struct trained_fit *fit = trained_ask(p, name, m, config, t, x, f);
    const struct trait_set *s = traits_for(config->kernel);
    if (!fit || !trained_inside(s, x, fit->low, fit->high, f))
        return;
    for (int k = 0; k < s->n; k++)
        at[k] = (float)x[s->trait[k]];
    const double mean_s = exp(fit->weight[0]);
    f->time_s = exp(fit->weight[0] + (double)trees_value(p->trained->node + fit->first, fit->nodes, fit->rounds, at));
    forecast_add_term(f, "geometric mean of training", mean_s);
    forecast_add_term(f, "trees", f->time_s - mean_s);
    snprintf(f->note, sizeof f->note, "%d trees of at most %d levels, learning rate %.2g", (int)fit->rounds,
             (int)fit->depth, fit->rate);
    trained_tell(p, f);
}

extern const struct model model_linear;

static void predict_combined(const struct profile *p, const struct features *m, const struct config *config,
                             const struct target *t, struct forecast *f)
{
    const struct trait_set *s = traits_for(config->kernel);
    if (!s->paper)
        forecast_refuse(f, "lehnert2016 has no model of format %s; %s covers coo, csr, ell, sell and bro",
                        config->kernel->layout->name, combined_name);
    else if (s->trees)
        predict(p, m, config, t, f);
    else
        model_linear.predict(p, m, config, t, f);
}

const struct model model_gbrt = {
    .name = name,
    .about = "gradient-boosted regression trees of log T over features, for each configuration",
    .source = "Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016, section 3.2",
    .literal = true,
    .trained = true,
    .needs = "nearest",
    .train = gbrt_train,
    .predict = predict,
};
const struct model model_linear_gbrt = {
    .name = combined_name,
    .about = "linear for COO, CSR and ELL, gbrt for SELL and BRO",
    .source = "Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016, sections 3.2 and 4",
    .literal = true,
    .trained = true,
    .needs = "linear,gbrt,nearest",
    .predict = predict_combined,
};
