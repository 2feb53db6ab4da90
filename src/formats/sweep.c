/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps are lists of configurations to time. quick has each kernel once, with its defaults; default has the settings
 * that each kernel's row of the table lists; exhaustive has all combinations of legal values, where ranges and keys of
 * parts keep their defaults and "auto" is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "formats/config.h"
#include "formats/config_keys.h"
#include "formats/format.h"

struct list {
    int n;
    const char **text;
};

struct product {
    struct list *list;
    const struct kernel *kernel;
    enum device_kind device;
    int param, keys; /* the next parameter; number of keys in text so far */
    char text[CONFIG_LEN];
};

static void list_append(struct list *l, const char *text)
{
    l->text = xrealloc(l->text, (unsigned long)(l->n + 2) * sizeof *l->text);
    l->text[l->n++] = xstrdup(text);
    l->text[l->n] = NULL;
}

static void product_step(struct product at);

static void product_value(const char *item, void *arg)
{
    struct product next = *(const struct product *)arg;
    const size_t n = strlen(next.text);
    const int m = snprintf(next.text + n, sizeof next.text - n, "%s%s=%s", next.keys ? "," : ":",
                           kernel_param(next.kernel, next.param)->name, item);

    if (strcmp(item, "auto") == 0)
        return; /* "auto" resolves to one of the other values */
    if (m < 0 || (size_t)m >= sizeof next.text - n)
        bug("sweep: the configuration is too long: %s", next.text);
    next.keys++;
    next.param++;
    product_step(next);
}

static void product_step(struct product at)
{
    const struct param *p = kernel_param(at.kernel, at.param);

    if (!p) {
        list_append(at.list, at.text);
    } else if ((!kind_facts(at.device)->blocks && (p->tags & PARAM_GPU_ONLY)) || strstr(p->legal, "..")) {
        at.param++;
        product_step(at);
    } else {
        legal_each(p->legal, product_value, &at);
    }
}

/* ---- what one kernel adds to a sweep */
static void list_exhaustive(struct list *l, const struct kernel *k, enum device_kind device)
{
    struct product start = { l, k, device, 0, 0, "" };

    snprintf(start.text, sizeof start.text, "%s", k->name);
    product_step(start);
}

static void list_quick(struct list *l, const struct kernel *k, enum device_kind device)
{
    (void)device;
    list_append(l, k->name);
}

/* Prints the configuration without the keys that have no effect on devices without thread blocks. */
static void print_without_blocks(const char *text, char out[CONFIG_LEN])
{
    struct config c, kept;
    char why[ERRLEN];

    if (config_parse(text, &c, why) != 0)
        bug("sweep: %s", why);
    kept = c;
    kept.n = 0;
    for (int i = 0; i < c.n; i++)
        if (!(config_param(&c, c.set[i].key)->tags & PARAM_GPU_ONLY))
            kept.set[kept.n++] = c.set[i];
    config_print(&kept, out);
}

static void list_default(struct list *l, const struct kernel *k, enum device_kind device)
{
    static const char *const plain[] = { "", NULL };
    const bool blocks = kind_facts(device)->blocks;
    const char *const *sweep = device == DEVICE_CPU && k->sweep_cpu ? k->sweep_cpu : k->sweep ? k->sweep : plain;
    const int first = l->n;

    for (int i = 0; sweep[i]; i++) {
        char text[CONFIG_LEN], mine[CONFIG_LEN], other[CONFIG_LEN];
        bool again = false;
        const int n = snprintf(text, sizeof text, "%s%s%s", k->name, *sweep[i] ? ":" : "", sweep[i]);

        if (n < 0 || (size_t)n >= sizeof text)
            bug("sweep: the configuration is too long: %s", text);
        if (!blocks)
            print_without_blocks(text, mine);
        for (int j = first; !blocks && j < l->n && !again; j++) {
            print_without_blocks(l->text[j], other);
            again = strcmp(mine, other) == 0;
        }
        if (!again)
            list_append(l, text);
    }
}

static const struct {
    const char *name;
    void (*list)(struct list *, const struct kernel *, enum device_kind device);
} sweeps[] = { { "quick", list_quick }, { "default", list_default }, { "exhaustive", list_exhaustive } };
enum { NSWEEPS = sizeof sweeps / sizeof sweeps[0] };

const char *config_sweep_names(void)
{
    static char names[64];
    if (!*names)
        for (int s = 0; s < NSWEEPS; s++)
            words_add(names, sizeof names, sweeps[s].name);
    return names;
}

/* Built once and cached. Not thread-safe: programs call it before they start threads. */
const char *const *config_sweep(const char *name, enum device_kind device)
{
    static struct list lists[NSWEEPS][NDEVICE_KINDS];
    const struct kernel *k;

    for (int s = 0; s < NSWEEPS; s++) {
        struct list *l = &lists[s][device];
        if (strcmp(name, sweeps[s].name) != 0)
            continue;
        const bool made = l->n > 0;
        for (int i = 0; !made && (k = kernel_at(i)) != NULL; i++)
            if (kernel_runs_on(k, device))
                sweeps[s].list(l, k, device);
        return l->text;
    }
    bug("unknown sweep '%s'", name);
}
