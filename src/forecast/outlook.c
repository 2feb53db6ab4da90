/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects and forecasts the configurations of a profile (outlook.h). */
#include "forecast/outlook.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "formats/parts.h"
#include "matrix/estimates.h"
#include "profile/learned.h"
#include "profile/times.h"

const char *outlook_status_name(enum outlook_status s)
{
    static const char *const names[] = { "ok", "extrapolated", "refused", "na" };
    return names[s];
}

/* ---- which configurations */

/* Texts of the configurations that a profile knows, sorted and distinct. */
struct known {
    int n;
    const char **text;
};

/* Collects the distinct configurations that the profile knows for this target, sorted. Of coefficients, only those of
 * `model`; NULL: of all models. */
static void known_configs(const struct profile *p, const struct model *model, const struct target *t, struct known *k)
{
    k->n = 0;
    const int64_t learned = p->learned ? p->learned->nconfigs : 0;
    const int target = learned_target(t->cache, t->launch);
    k->text = xmalloc(sizeof *k->text * (unsigned long)(p->coefs.nruns + p->times.nconfigs + learned + 1));
    for (int64_t i = 0; i < p->coefs.nruns; i++) {
        const struct coef_row *c = &p->coefs.row[p->coefs.run[i]];
        bool same = TARGET_SAME(c, t) && (model ? strcmp(c->model, model->name) == 0 : !coef_is_cost(c));
        if (same && (k->n == 0 || strcmp(k->text[k->n - 1], c->config) != 0))
            k->text[k->n++] = c->config;
    }
    for (int64_t i = 0; i < p->times.nconfigs; i++) {
        const struct times_config *c = &p->times.config[i];
        if (c->n > 0 && TARGET_SAME(c, t))
            k->text[k->n++] = c->config;
    }
    for (int64_t i = 0; i < learned; i++) {
        const struct learned_config *c = &p->learned->config[i];
        if (target >= 0 && c->families[target] > 0 && c->precision == t->precision)
            k->text[k->n++] = c->config;
    }
    qsort(k->text, (size_t)k->n, sizeof *k->text, text_compare);
    int kept = 0;
    for (int i = 0; i < k->n; i++)
        if (kept == 0 || strcmp(k->text[kept - 1], k->text[i]) != 0)
            k->text[kept++] = k->text[i];
    k->n = kept;
}

static bool is_known(const struct known *k, const char *text)
{
    return bsearch(&text, k->text, (size_t)k->n, sizeof *k->text, text_compare) != NULL;
}

/* True if a configuration is known by its text or its general form, or, for a composite, if all its parts are. */
static bool has_coefficients(const struct known *k, const struct config *c, const struct features *f,
                             const struct target *t)
{
    char text[CONFIG_LEN];
    config_print(c, text);
    if (is_known(k, text))
        return true;
    config_general(c, f, t, text);
    if (is_known(k, text))
        return true;
    const struct layout *layout = c->kernel->layout;
    bool all = parts_name(layout, 0) != NULL;
    for (int i = 0; all && parts_name(layout, i); i++) {
        struct config part;
        char why[ERRLEN];
        all = config_part(c, parts_name(layout, i), &part, why) == 0 && has_coefficients(k, &part, f, t);
    }
    return all;
}

struct outlook_row *outlook_find(const struct outlook *o, const char *text)
{
    for (int i = 0; i < o->n; i++)
        if (strcmp(o->row[i].text, text) == 0)
            return &o->row[i];
    return NULL;
}

/* Adds a configuration unless it is there, and returns its row. One that cannot be resolved for this matrix has status
 * na. */
static struct outlook_row *add(struct outlook *o, const struct config *asked, const struct features *f)
{
    struct outlook_row row = { .config = *asked };
    row.forecast.time_s = row.forecast.low_s = row.forecast.high_s = NAN;
    for (int cost = 0; cost < NCOSTS; cost++)
        row.cost_s[cost] = NAN;
    if (config_resolve(asked, f, &o->target, &row.config, row.reason) != 0) {
        row.config = *asked;
        row.status = OUTLOOK_NA;
    }
    config_print(&row.config, row.text);
    struct outlook_row *there = outlook_find(o, row.text);
    if (there)
        return there;
    if ((o->n & (o->n - 1)) == 0) /* there is room for the next power of two */
        o->row = xrealloc(o->row, sizeof *o->row * (unsigned long)(o->n > 0 ? 2 * o->n : 1));
    o->row[o->n] = row;
    return &o->row[o->n++];
}

static void add_known(struct outlook *o, const struct known *k, const struct features *f)
{
    for (int i = 0; i < k->n; i++) {
        const struct config *c = config_known(k->text[i], NULL);
        if (c) /* coefficients of a whole device have no configuration */
            add(o, c, f);
    }
}

/* Does the profile know any configuration, for any target? Coefficients of a whole device have none. */
static bool knows_any(const struct profile *p)
{
    bool any = p->times.nconfigs > 0 || (p->learned && p->learned->nconfigs > 0);
    for (int64_t i = 0; i < p->coefs.n && !any; i++)
        any = strcmp(p->coefs.row[i].config, "*") != 0 && !coef_is_cost(&p->coefs.row[i]);
    return any;
}

static int fail_without_configs(const struct profile *p, char why[ERRLEN])
{
    const struct model *m;
    char only[256] = "";
    for (int i = 0; (m = model_at(i)); i++)
        if (coefs_have(&p->coefs, m->name))
            words_add(only, sizeof only, m->name);
    return fail(why,
                "profile %s has no coefficients of any configuration%s%s; fit it again on measured matrices with "
                "`spmv-fit RUN.h5... -o PROFILE.h5`, without -m, or measure one with spmv-profile",
                p->name, *only ? ", only of model " : "", only);
}

/* Adds configurations in sweep order, then the others that were measured for the learned forecasts or for this model:
 * grids of other models have configurations that only those forecast. If there are none, adds all. */
static int collect(const struct profile *p, const struct model *m, const struct features *f, struct outlook *o,
                   char why[ERRLEN])
{
    struct known k, own;
    known_configs(p, NULL, &o->target, &k);
    known_configs(p, m, &o->target, &own);
    int result = 0;
    const char *const *sweep = config_sweep("default", p->device.kind);
    for (int i = 0; sweep[i]; i++) {
        const struct config *c = config_known(sweep[i], why);
        struct config resolved;
        if (!c)
            bug("cannot parse sweep entry %s: %s", sweep[i], why);
        bool resolves = config_resolve(c, f, &o->target, &resolved, why) == 0;
        if (has_coefficients(&k, resolves ? &resolved : c, f, &o->target))
            add(o, c, f);
    }
    add_known(o, &own, f);
    if (o->n == 0)
        add_known(o, &k, f);
    if (o->n == 0 && !knows_any(p))
        result = fail_without_configs(p, why);
    else if (o->n == 0 && profile_has_launch(p, o->target.launch, why) != 0)
        result = FAIL;
    else if (o->n == 0)
        result =
            fail(why,
                 "profile %s has no coefficients for %s; choose another precision or cache state, or measure this one "
                 "with spmv-profile",
                 p->name, target_words(&o->target).text);
    free(k.text);
    free(own.text);
    return result;
}

/* ---- forecasts */

bool outlook_converts(const struct kernel *k) { return k->layout != kernel_baseline()->layout; }
bool outlook_sets_up(const struct kernel *k) { return outlook_converts(k) || k->library || k->prepares; }

void outlook_forecast(const struct profile *p, const struct model *m, const struct features *f, const struct target *t,
                      struct outlook_row *row)
{
    const struct layout *layout = row->config.kernel->layout;
    struct traffic traffic;
    row->model = m;
    row->csr = !outlook_converts(row->config.kernel);
    row->copies = kernel_copies(&row->config);
    if (row->status == OUTLOOK_NA)
        return;
    if (kernel_applicable(f, &row->config, t, row->reason) != 0) {
        row->status = OUTLOOK_NA;
        return;
    }
    row->reason[0] = 0;
    row->one_part = parts_all_in_one(f, &row->config);
    if (layout->traffic(f, &row->config, t, &traffic) == 0) {
        row->least_bytes = traffic_least(&traffic);
        row->storage_bytes = traffic_storage(&traffic) + kernel_prepared_bytes(f, &row->config, t);
    }
    model_forecast(m, p, f, &row->config, t, &row->forecast);
    row->status = (enum outlook_status)row->forecast.status;
    snprintf(row->reason, sizeof row->reason, "%s", row->forecast.why);
    profile_costs(p, f, &row->config, t, row->cost_s);
    row->free = !outlook_sets_up(row->config.kernel);
}

void outlook_check_configs(const struct strlist *asked)
{
    struct config c;
    char why[ERRLEN];
    for (int i = 0; i < asked->n; i++)
        if (config_parse(asked->v[i], &c, why) != 0)
            usage_die("-c %s: %s", asked->v[i], why);
}

int outlook_alone(const struct profile *p, const struct model *m, const struct features *f, const struct target *t,
                  const struct strlist *asked, struct outlook *o, char why[ERRLEN])
{
    *o = (struct outlook){ .target = *t,
                           .model = m,
                           .own_memory = kind_facts(p->device.kind)->own_memory,
                           .preparations = profile_has_preparations(p),
                           .csr_upload_s = NAN };
    struct estimates estimates;
    f = estimates_begin(&estimates, f);
    int result = collect(p, m, f, o, why);
    for (int i = 0; result == 0 && i < asked->n; i++) {
        struct config c;
        if (config_parse(asked->v[i], &c, why) != 0)
            bug("-c %s: %s", asked->v[i], why);
        struct outlook_row *r = add(o, &c, f);
        o->named += !r->shown;
        r->shown = true;
    }
    if (result != 0) {
        outlook_free(o);
        return result;
    }
    for (int i = 0; i < o->n; i++) {
        struct outlook_row *r = &o->row[i];
        r->shown = r->shown || asked->n == 0;
        outlook_forecast(p, m, f, t, r);
        if (r->csr && isnan(o->csr_upload_s))
            o->csr_upload_s = r->cost_s[COST_UPLOAD];
    }
    outlook_rank(o, &outlook_terms_default);
    return 0;
}

/* Forecasts the baseline with the model of the profile, unless the outlook's own model does, or forecasts nothing. */
static void add_baseline(const struct profile *p, const struct features *f, struct outlook *o)
{
    const struct model *usual = model_of_profile(p, false);
    if (usual == o->model)
        return;
    bool any = false;
    for (int i = 0; i < o->n; i++) {
        if (o->row[i].place > 0 && o->row[i].config.kernel->baseline)
            return;
        any = any || o->row[i].place > 0;
    }
    if (!any) /* the baseline alone would be recommended */
        return;
    for (int i = 0; i < o->n; i++) {
        struct outlook_row *r = &o->row[i];
        if (r->status == OUTLOOK_REFUSED && r->config.kernel->baseline)
            outlook_forecast(p, usual, f, &o->target, r);
    }
    outlook_rank(o, &outlook_terms_default);
}

int outlook_make(const struct profile *p, const struct model *m, const struct features *f, const struct target *t,
                 const struct strlist *asked, struct outlook *o, char why[ERRLEN])
{
    const int result = outlook_alone(p, m, f, t, asked, o, why);
    if (result == 0)
        add_baseline(p, f, o);
    return result;
}

static void count_kernel(const struct outlook *o, const struct kernel *k, char *text, size_t bytes)
{
    int n = 0;
    for (int i = 0; i < o->n; i++)
        n += o->row[i].shown && o->row[i].config.kernel == k;
    const size_t used = strlen(text);
    if (n > 0)
        snprintf(text + used, bytes - used, "%s%d %s", used ? ", " : "", n, k->name);
}

int outlook_elsewhere(const struct profile *p, const struct features *f, const struct outlook *o, char *text,
                      size_t bytes)
{
    struct outlook missing = { .target = o->target };
    const struct kernel *k;
    text[0] = 0;
    for (int c = 0; c < NCACHES; c++) {
        struct outlook other = { .target = o->target };
        char why[ERRLEN];
        other.target.cache = (enum cache)c;
        if (other.target.cache == o->target.cache || collect(p, o->model, f, &other, why) != 0)
            continue;
        for (int i = 0; i < other.n; i++)
            if (!outlook_find(o, other.row[i].text))
                add(&missing, &other.row[i].config, f)->shown = true;
        outlook_free(&other);
    }
    const int n = missing.n;
    for (int i = 0; (k = kernel_at(i)); i++)
        count_kernel(&missing, k, text, bytes);
    outlook_free(&missing);
    return n;
}

void outlook_free(struct outlook *o)
{
    free(o->row);
    *o = (struct outlook){ 0 };
}

bool outlook_in_training(const struct outlook *o)
{
    for (int i = 0; i < o->n; i++)
        if (o->row[i].place && o->row[i].forecast.in_training)
            return true;
    return false;
}
