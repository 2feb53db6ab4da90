/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosers: forecasts of single candidates by the model and the costs of the profile themselves (chooser.h). */
#include <math.h>
#include <string.h>
#include "forecast/chooser_trials.h"
#include "forecast/pick.h"

/* Forecasts a resolved configuration. */
static int forecast_of(const struct chooser *o, const struct features *f, const struct chooser_terms *terms,
                       const struct config *resolved, struct chosen *out, char why[ERRLEN])
{
    const struct layout *layout = resolved->kernel->layout;
    const struct asking a = { .o = o, .f = f, .terms = terms };
    struct forecast forecast;
    double cost_s[NCOSTS];
    if (layout->applicable(f, resolved, &o->target, why) != 0)
        return FAIL;
    model_find(model_default)->predict(o->profile, f, resolved, &o->target, &forecast);
    if (forecast.status == FORECAST_REFUSED)
        return fail(why, "%s", forecast.why);
    profile_costs(o->profile, f, resolved, &o->target, cost_s);
    const bool csr = layout == kernel_baseline()->layout;
    *out = (struct chosen){ .config = *resolved,
                            .time_s = forecast.time_s,
                            .low_s = forecast.low_s,
                            .high_s = forecast.high_s,
                            .convert_s =
                                costs_convert(cost_s, csr, terms->location, chooser_csr_upload(&a), o->own_memory),
                            .prepare_s = o->preparations ? cost_s[COST_PREPARE] : 0,
                            .free = csr && !resolved->kernel->library && !resolved->kernel->prepares };
    config_print(resolved, out->text);
    return 0;
}

int chooser_forecast(const struct chooser *o, const struct features *f, const struct chooser_terms *terms,
                     const char *text, struct chosen *out, char why[ERRLEN])
{
    struct config asked, resolved, other;
    char wanted[CONFIG_LEN], found[CONFIG_LEN];
    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, f, &o->target, &resolved, why) != 0)
        return FAIL;
    config_print(&resolved, wanted);
    for (int i = 0; i < o->n; i++) {
        if (o->candidate[i].config.kernel != resolved.kernel
            || config_resolve(&o->candidate[i].config, f, &o->target, &other, NULL) != 0)
            continue;
        config_print(&other, found);
        if (strcmp(found, wanted) == 0)
            return forecast_of(o, f, terms, &resolved, out, why);
    }
    return fail(why, "%s is not a candidate", text);
}

int chooser_one_part(const struct chooser *o, const struct features *f, const struct chooser_terms *terms,
                     struct chosen *out)
{
    struct config resolved;
    double best = INFINITY;
    int found = 0;
    for (int i = 0; i < o->n; i++) {
        const struct candidate *c = &o->candidate[i];
        struct traffic bytes;
        struct chosen one;
        if (!c->composite || (terms->deterministic && !c->deterministic)
            || config_resolve(&c->config, f, &o->target, &resolved, NULL) != 0
            || resolved.kernel->layout->traffic(f, &resolved, &o->target, &bytes) != 0
            || (terms->max_bytes >= 0 && traffic_storage(&bytes) > terms->max_bytes)
            || forecast_of(o, f, terms, &resolved, &one, NULL) != 0)
            continue;
        const struct pick_row r = { one.time_s, one.high_s, one.convert_s + one.prepare_s, true };
        const double value = pick_weighed(&r, terms->products, terms->risk);
        if (found == 0 || value < best) {
            *out = one;
            best = value;
            found = 1;
        }
    }
    return found;
}
