/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens choosers: prepares everything that does not depend on the matrix (chooser.h). */
#include "forecast/chooser_candidates.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forecast/outlook.h"
#include "formats/config_keys.h"

/* ---- "auto" */
/* Returns the number of values that could be "auto" instead; sets general[mask] to the configuration with "auto" for those of the
 * first CHOOSER_AUTO of them whose bits are set. */
static int count_explicit(const struct config *c, struct config general[CHOOSER_FORMS])
{
    int n = 0;
    for (int mask = 0; mask < CHOOSER_FORMS; mask++)
        general[mask] = *c;
    for (int i = 0; i < c->n; i++) {
        const struct param *p = config_param(c, c->set[i].key);
        if (!p || p->type == PARAM_KERNEL || !strstr(p->legal, "|auto") || config_is_auto(c->set[i].value))
            continue;
        for (int mask = 0; mask < CHOOSER_FORMS; mask++)
            if (mask >> n & 1)
                TEXT_SET(general[mask].set[i].value, "auto");
        n++;
    }
    return n;
}

/* True if `other` has the values of c but for those that are "auto" in c, where it has none. */
static bool is_exact_rival(const struct config *c, const struct config *other)
{
    if (other->kernel != c->kernel || other->n != c->n || config_has_auto(other))
        return false;
    for (int i = 0; i < c->n; i++)
        if (!config_is_auto(c->set[i].value) && strcmp(c->set[i].value, other->set[i].value) != 0)
            return false;
    return true;
}

static bool same_config(const struct config *a, const struct config *b)
{
    bool same = a->kernel == b->kernel && a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = strcmp(a->set[i].key, b->set[i].key) == 0 && strcmp(a->set[i].value, b->set[i].value) == 0;
    return same;
}

/* Finds the candidates that may have the same resolved configuration. */
static void find_rivals(struct chooser *o)
{
    for (int i = 0; i < o->n; i++) {
        struct candidate *c = &o->candidate[i];
        for (int k = 0; k < o->n; k++) {
            const struct config *other = &o->candidate[k].config;
            c->exact_rivals = c->exact_rivals || (c->automatic && is_exact_rival(&c->config, other));
            c->general_serves =
                c->general_serves || (c->automatic && c->explicit == 1 && same_config(&c->general[1], other));
        }
    }
}

/* ---- costs */

/* Gets the coefficients of a configuration that has the form under which they are stored. Returns false if they are
 * stored in another way. */
static bool get_costs(const struct chooser *o, const struct config *c, const struct config *own, struct cost_set *s)
{
    const struct coefs *coefs = &o->profile->coefs;
    char layout[CONFIG_LEN], text[CONFIG_LEN];
    config_layout_key(c, layout);
    config_print(c, text);
    for (int cost = 0; cost < NCOSTS; cost++) {
        double *to = s->coefficient[cost];
        const char *key = cost == COST_PREPARE ? text : layout;
        s->known[cost] = cost_coefficients(coefs, (enum cost)cost, key, &o->target, to);
        if (!s->known[cost] && cost == COST_PREPARE && !config_has_auto(own)) {
            config_print(own, text);
            s->known[cost] = cost_coefficients(coefs, COST_PREPARE, text, &o->target, to);
        } else if (!s->known[cost] && cost == COST_PREPARE && o->preparations) {
            return false;
        }
        if (!s->known[cost] && cost == COST_UPLOAD)
            s->known[cost] = cost_coefficients(coefs, COST_UPLOAD, "*", &o->target, to);
    }
    return true;
}

static void prepare_costs(const struct chooser *o, struct candidate *c)
{
    c->costs_by_profile = c->explicit > CHOOSER_AUTO || o->older_costs
                          || (c->automatic && !kind_facts(o->target.device.kind)->blocks)
                          || !get_costs(o, &c->config, &c->config, &c->costs[0]);
    for (int mask = 1; mask < 1 << c->explicit && !c->costs_by_profile; mask++)
        c->costs_by_profile = !get_costs(o, &c->general[mask], &c->config, &c->costs[mask]);
    for (int cost = 0; c->csr && cost < NCOSTS; cost++) /* nothing is built */
        for (int mask = 0; cost != COST_PREPARE && mask < CHOOSER_FORMS; mask++)
            c->costs[mask].known[cost] = false;
}

/* ---- candidates */
static bool prepare(const struct chooser *o, const struct learned_config *learned, const struct config *asked,
                    struct candidate *c)
{
    const struct learned *l = o->learned;
    const struct features nothing = { 0 };
    struct config general[CHOOSER_FORMS];
    char why[ERRLEN];
    *c = (struct candidate){ .config = *asked, .learned = learned, .automatic = config_has_auto(asked) };
    if (!c->automatic && config_resolve(asked, &nothing, &o->target, &c->config, why) != 0)
        return false;
    const struct kernel *k = c->config.kernel;
    c->composite = k->layout->part != NULL;
    c->csr = !outlook_converts(k);
    c->copies = kernel_copies(&c->config);
    c->free = !outlook_sets_up(k);
    c->cheap = !k->layout->count && !c->composite;
    c->deterministic = kernel_deterministic(&c->config);
    c->explicit = count_explicit(&c->config, general);
    if (c->explicit > 0 && c->explicit <= CHOOSER_AUTO) {
        c->general = xmalloc(sizeof general);
        memcpy(c->general, general, sizeof general);
    }
    prepare_costs(o, c);
    for (int i = 0; i < CHOOSER_WARPS; i++)
        c->occupancy[i] =
            physics_occupancy(&o->target, i > 0 ? 32 * i : 1, (int)learned->registers, learned->shared_bytes);
    c->few = learned->families[o->index] < LEARNED_FAMILIES;
    const struct learned_hyper *hyper[LEARNED_VARIANTS];
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        hyper[v] = learned_hyper_of(l, learned->kernel, v);
    c->points =
        gp_points_of(hyper, l->point[o->target.precision] + learned->first, learned->n, o->index * LEARNED_VARIANTS);
    return true;
}

/* Cheap candidates first, composites last, otherwise in the order of the profile. */
static int compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->cheap != y->cheap)
        return x->cheap ? -1 : 1;
    if (x->composite != y->composite)
        return x->composite ? 1 : -1;
    return x->learned < y->learned ? -1 : x->learned > y->learned;
}

static void number_groups(struct chooser *o)
{
    char(*key)[CONFIG_LEN] = xmalloc(sizeof *key * (unsigned long)(o->n + 1));
    for (int i = 0; i < o->n; i++) {
        int g = 0;
        config_layout_key(&o->candidate[i].config, key[o->ngroups]);
        while (strcmp(key[g], key[o->ngroups]) != 0)
            g++;
        o->candidate[i].group = g;
        o->ngroups += g == o->ngroups;
    }
    free(key);
}

/* Writes the keys that say which entries each part of a composite has: all but the kernels of the parts. */
static void split_key(const struct config *c, char key[CONFIG_LEN])
{
    size_t n = (size_t)snprintf(key, CONFIG_LEN, "%s", c->kernel->layout->name);
    for (int i = 0; i < c->n; i++) {
        const struct param *p = config_param(c, c->set[i].key);
        if (p && p->type != PARAM_KERNEL && !strchr(c->set[i].key, '.') && n < CONFIG_LEN)
            n += (size_t)snprintf(key + n, CONFIG_LEN - n, ",%s=%s", c->set[i].key, c->set[i].value);
    }
}

static void number_splits(struct chooser *o)
{
    char key[CONFIG_LEN], other[CONFIG_LEN];
    for (int i = 0; i < o->n; i++) {
        struct candidate *c = &o->candidate[i];
        c->split = -1;
        if (!c->composite)
            continue;
        split_key(&c->config, key);
        for (int k = 0; k < i && c->split < 0; k++) {
            split_key(&o->candidate[k].config, other);
            if (o->candidate[k].composite && strcmp(key, other) == 0)
                c->split = o->candidate[k].split;
        }
        if (c->split < 0)
            c->split = o->nsplits++;
    }
}

static void prepare_launches(struct chooser *o)
{
    const struct learned *l = o->learned;
    o->min_t0_us = INFINITY;
    for (int64_t i = 0; i < l->nlaunch; i++)
        o->min_t0_us = fmin(o->min_t0_us, l->launch[i].t0_us);
    if (l->nlaunch == 0)
        o->min_t0_us = 0;
    for (int i = 0; i < CHOOSER_WARPS; i++)
        learned_launch_near(l->launch, l->nlaunch, 32 * i, &o->launch_first[i], &o->launch_end[i]);
}

static void collect(struct chooser *o, bool (*usable)(const struct config *))
{
    const struct learned *l = o->learned;
    o->candidate = xmalloc(sizeof *o->candidate * (unsigned long)(l->nconfigs + 1));
    for (int64_t i = 0; i < l->nconfigs; i++) {
        const struct learned_config *learned = &l->config[i];
        if (learned->families[o->index] == 0 || learned->precision != o->target.precision)
            continue;
        const struct config *c = config_known(learned->config, NULL);
        if (c && (!usable || usable(c)))
            o->n += prepare(o, learned, c, &o->candidate[o->n]);
    }
    qsort(o->candidate, (size_t)o->n, sizeof *o->candidate, compare);
    for (int i = 0; i < o->n; i++)
        o->nautomatic += o->candidate[i].automatic;
    number_groups(o);
    number_splits(o);
    find_rivals(o);
}

int chooser_open(const struct profile *p, const struct target *t, bool (*usable)(const struct config *),
                 struct chooser **out, char why[ERRLEN])
{
    *out = NULL;
    if (!p->learned)
        return fail(
            why, "profile %s has no learned forecasts; fit it again with spmv-fit on matrices of at least %d families",
            p->name, LEARNED_FAMILIES);
    struct chooser *o = xcalloc(1, sizeof *o);
    *o = (struct chooser){ .profile = p, .learned = p->learned, .target = *t };
    o->target.device = p->device;
    o->index = learned_target(t->cache, t->launch);
    o->bound = learned_bound_of(p->learned, t);
    o->own_memory = kind_facts(p->device.kind)->own_memory;
    o->preparations = profile_has_preparations(p);
    o->older_costs = coefs_have(&p->coefs, "convert");
    prepare_launches(o);
    if (config_parse(kernel_baseline()->name, &o->csr, why) != 0)
        bug("%s", why);
    get_costs(o, &o->csr, &o->csr, &o->csr_costs);
    if (o->index >= 0 && o->bound)
        collect(o, usable);
    if (o->n == 0) {
        chooser_free(o);
        return fail(why, "profile %s has no learned forecasts of a usable configuration for %s", p->name,
                    target_words(t).text);
    }
    *out = o;
    return 0;
}

void chooser_free(struct chooser *o)
{
    if (!o)
        return;
    for (int i = 0; i < o->n; i++) {
        gp_points_free(o->candidate[i].points);
        free(o->candidate[i].general);
    }
    free(o->candidate);
    free(o);
}
