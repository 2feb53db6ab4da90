/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of layouts and kernels; the parts of composites, which are kernels of the table; properties that include those of the parts. */
#include <string.h>
#include "formats/config_keys.h"
#include "formats/format.h"

#define LAYOUT(id) extern const struct layout id##_layout;
#include "formats/layouts.def"
#undef LAYOUT
#define KERNEL(id) extern const struct kernel id##_kernel;
#include "formats/kernels.def"
#undef KERNEL

static const struct layout *const layouts[] = {
#define LAYOUT(id) &id##_layout,
#include "formats/layouts.def"
#undef LAYOUT
    NULL
};
static const struct kernel *const kernels[] = {
#define KERNEL(id) &id##_kernel,
#include "formats/kernels.def"
#undef KERNEL
    NULL
};

const struct layout *layout_at(int i)
{
    return i >= 0 && i < (int)(sizeof layouts / sizeof layouts[0]) ? layouts[i] : NULL;
}

/* Returns k; bug() if its row of the table lacks a required member. */
static const struct kernel *stated(const struct kernel *k)
{
    if (k && k->work == WORK_UNSTATED)
        bug("kernel %s does not state its work (enum work in formats/format.h)", k->name);
    if (k && !k->mapping)
        bug("kernel %s does not state its mapping (formats/mapping.h)", k->name);
    return k;
}

const struct kernel *kernel_at(int i)
{
    return i >= 0 && i < (int)(sizeof kernels / sizeof kernels[0]) ? stated(kernels[i]) : NULL;
}

const struct layout *layout_find(const char *name)
{
    for (int i = 0; layouts[i]; i++)
        if (strcmp(layouts[i]->name, name) == 0)
            return layouts[i];
    return NULL;
}

const struct kernel *kernel_find(const char *name)
{
    for (int i = 0; kernels[i]; i++)
        if (strcmp(kernels[i]->name, name) == 0)
            return stated(kernels[i]);
    return NULL;
}

const struct kernel *kernel_baseline(void)
{
    for (int i = 0; kernels[i]; i++)
        if (kernels[i]->baseline)
            return kernels[i];
    bug("no kernel is the baseline");
}

bool kernel_runs_on(const struct kernel *k, enum device_kind kind)
{
    const char *there = kind_facts(kind)->library;

    return !k->library || (there && strcmp(k->library, there) == 0);
}

const char *parts_name(const struct layout *layout, int p)
{
    for (const struct param *q = layout->params; q && q->name; q++)
        if (q->type == PARAM_KERNEL && p-- == 0)
            return q->name;
    return NULL;
}

const struct param *config_param(const struct config *c, const char *key)
{
    const char *dot = strchr(key, '.');
    char part[sizeof c->set[0].key];

    if (!dot)
        return kernel_param_find(c->kernel, key);
    if ((size_t)(dot - key) >= sizeof part)
        return NULL;
    memcpy(part, key, (size_t)(dot - key));
    part[dot - key] = '\0';
    const char *name = config_word_or(c, part, NULL);
    const struct kernel *k = name ? kernel_find(name) : NULL;
    return k ? kernel_param_find(k, dot + 1) : NULL;
}

int config_part(const struct config *c, const char *part, struct config *out, char why[ERRLEN])
{
    const char *name = config_word_or(c, part, NULL);
    const size_t n = strlen(part);

    memset(out, 0, sizeof *out);
    if (!name || !(out->kernel = kernel_find(name)))
        return fail(why, "%s has no part '%s'", c->kernel->name, part);
    for (int i = 0; i < c->n; i++)
        if (strncmp(c->set[i].key, part, n) == 0 && c->set[i].key[n] == '.')
            config_append(out, "", c->set[i].key + n + 1, c->set[i].value);
    return 0;
}

int kernel_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const struct kernel *k = c->kernel;
    const int status = k->layout->applicable(f, c, t, why);

    return status == 0 && k->applicable ? k->applicable(f, c, t, why) : status;
}

int kernel_revision(const struct config *c)
{
    int sum = c->kernel->revision + (c->kernel->revised && c->kernel->revised(c));
    struct config part;
    char why[ERRLEN];
    const char *name;

    for (int p = 0; (name = parts_name(c->kernel->layout, p)) != NULL; p++) {
        if (config_part(c, name, &part, why) != 0)
            bug("kernel_revision: %s", why);
        sum += kernel_revision(&part);
    }
    return sum;
}

bool kernel_deterministic(const struct config *c)
{
    struct config part;
    char why[ERRLEN];
    const char *name;

    if (c->kernel->deterministic && !c->kernel->deterministic(c))
        return false;
    for (int p = 0; (name = parts_name(c->kernel->layout, p)) != NULL; p++) {
        if (config_part(c, name, &part, why) != 0)
            bug("kernel_deterministic: %s", why);
        if (!kernel_deterministic(&part))
            return false;
    }
    return true;
}

int kernel_threads_per_row(const struct config *c)
{
    return c->kernel->threads_per_row ? c->kernel->threads_per_row(c) : 1;
}

int64_t kernel_prepared_bytes(const struct features *f, const struct config *c, const struct target *t)
{
    return c->kernel->prepared_bytes ? c->kernel->prepared_bytes(f, c, t) : 0;
}

bool kernel_copies(const struct config *c) { return c->kernel->copies && c->kernel->copies(c); }

int kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    if (kind_facts(t->device.kind)->blocks)
        return c->kernel->grid(f, c, t, g);
    g->blocks = t->device.sms > 0 ? t->device.sms : 1;
    g->threads = 1;
    return 0;
}
