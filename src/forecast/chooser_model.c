/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosers: candidates that are forecast, ranked and picked as spmvcast_rank does it, by an outlook (chooser.h). */
#include <stdlib.h>
#include <string.h>
#include "forecast/chooser_trials.h"
#include "forecast/outlook.h"

/* Returns an outlook without rows, under the terms of the question. Free with outlook_free. */
static struct outlook outlook_of(const struct chooser *o, const struct features *f, const struct chooser_terms *terms)
{
    const struct asking a = { .o = o, .f = f, .terms = terms };
    return (struct outlook){ .target = o->target,
                             .model = model_find(model_default),
                             .terms = { terms->products, terms->location, terms->risk },
                             .own_memory = o->own_memory,
                             .preparations = o->preparations,
                             .csr_upload_s = chooser_csr_upload(&a) };
}

/* Forecasts a resolved configuration and adds it. FAIL: it has no forecast (why). */
static int add(struct outlook *to, const struct chooser *o, const struct features *f, const struct config *resolved,
               char why[ERRLEN])
{
    to->row = xrealloc(to->row, sizeof *to->row * (unsigned long)(to->n + 1));
    struct outlook_row *r = &to->row[to->n];
    *r = (struct outlook_row){ .config = *resolved, .shown = true };
    config_print(resolved, r->text);
    outlook_forecast(o->profile, to->model, f, &to->target, r);
    if (r->status == OUTLOOK_NA || r->status == OUTLOOK_REFUSED)
        return fail(why, "%s", r->reason);
    to->n++;
    return 0;
}

/* Returns 1 with the recommended row, if there is one, else 0; frees the outlook. */
static int recommended(struct outlook *from, struct chosen *out)
{
    outlook_rank(from, &from->terms);
    const struct outlook_row *r = outlook_pick(from);
    if (r) {
        *out = (struct chosen){ .config = r->config,
                                .time_s = r->forecast.time_s,
                                .low_s = r->forecast.low_s,
                                .high_s = r->forecast.high_s,
                                .convert_s = r->convert_s,
                                .prepare_s = r->prepare_s,
                                .free = r->free };
        config_print(&r->config, out->text);
    }
    outlook_free(from);
    return r != NULL;
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
        if (strcmp(found, wanted) != 0)
            continue;
        struct outlook one = outlook_of(o, f, terms);
        const int status = add(&one, o, f, &resolved, why);
        recommended(&one, out);
        return status;
    }
    return fail(why, "%s is not a candidate", text);
}

int chooser_one_part(const struct chooser *o, const struct features *f, const struct chooser_terms *terms,
                     struct chosen *out)
{
    struct outlook all = outlook_of(o, f, terms);
    struct config resolved;
    for (int i = 0; i < o->n; i++) {
        const struct candidate *c = &o->candidate[i];
        if (!c->composite || (terms->deterministic && !c->deterministic)
            || config_resolve(&c->config, f, &o->target, &resolved, NULL) != 0 || add(&all, o, f, &resolved, NULL) != 0)
            continue;
        if (terms->max_bytes >= 0 && all.row[all.n - 1].storage_bytes > terms->max_bytes)
            all.n--;
    }
    return recommended(&all, out);
}
