/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves configurations. */
#include <stdio.h>
#include <string.h>
#include "formats/config_keys.h"

/* Resolves "auto" in each part from the features of that part. */
static int resolve_parts(struct config *c, const struct features *f, const struct target *t)
{
    const char *name;

    for (int p = 0; (name = parts_name(c->kernel->layout, p)) != NULL; p++) {
        struct config part;
        struct features pf;
        char key[2 * sizeof part.set[0].key];
        if (c->kernel->layout->part(f, c, p, &part, &pf) != 0)
            return FAIL;
        const struct kernel *k = part.kernel;
        const int rc = (k->layout->resolve && k->layout->resolve(&part, &pf, t) != 0)
                               || (k->resolve && k->resolve(&part, &pf, t) != 0)
                           ? FAIL
                           : 0;
        features_free(&pf);
        if (rc)
            return rc;
        for (int i = 0; i < part.n; i++) {
            snprintf(key, sizeof key, "%s.%s", name, part.set[i].key);
            config_set(c, key, part.set[i].value);
        }
    }
    return 0;
}

bool config_has_auto(const struct config *c)
{
    for (int i = 0; i < c->n; i++)
        if (config_is_auto(c->set[i].value))
            return true;
    return false;
}

static int keys_of(const struct config *c, const struct kernel *k)
{
    const struct param *p;
    int n = 0;

    for (int i = 0; (p = kernel_param(k, i)) != NULL; i++)
        n += 1 + (p->type == PARAM_KERNEL ? keys_of(c, kernel_find(config_word(c, p->name))) : 0);
    return n;
}

/* A configuration resolved for the CPU device lacks keys that the resolve functions look up: adds them back with
 * their defaults. */
static void restore_dropped(struct config *c)
{
    char text[CONFIG_LEN], why[ERRLEN];

    if (c->n == keys_of(c, c->kernel))
        return;
    config_print(c, text);
    if (config_parse(text, c, why) != 0)
        bug("cannot parse %s again: %s", text, why);
}

int config_resolve(const struct config *asked, const struct features *f, const struct target *t, struct config *out,
                   char why[ERRLEN])
{
    const struct kernel *k = asked->kernel;
    int n = 0;

    *out = *asked;
    if (config_has_auto(out)) { /* a configuration without "auto" is already resolved */
        restore_dropped(out);
        if (k->layout->resolve && k->layout->resolve(out, f, t) != 0)
            return fail(why, "%s: cannot choose layout parameters for this matrix; set them instead of auto", k->name);
        if (k->resolve && k->resolve(out, f, t) != 0)
            return fail(why, "%s: cannot choose launch parameters for this matrix; set them instead of auto", k->name);
    }
    if (config_has_auto(out) && parts_name(k->layout, 0) && resolve_parts(out, f, t) != 0)
        return fail(why, "%s: cannot choose parameters of the parts for this matrix; set them instead of auto",
                    k->name);
    for (int i = 0; i < out->n; i++)
        if (config_is_auto(out->set[i].value))
            bug("%s: no resolve function replaces %s=%s", k->name, out->set[i].key, out->set[i].value);
    if (kind_facts(t->device.kind)->blocks)
        return 0;
    for (int i = 0; i < out->n; i++)
        if (!(config_param(asked, out->set[i].key)->tags & PARAM_GPU_ONLY))
            out->set[n++] = out->set[i];
    memset(out->set + n, 0, (size_t)(out->n - n) * sizeof out->set[0]);
    out->n = n;
    return 0;
}
