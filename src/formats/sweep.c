/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps: lists of configurations to time. quick has each kernel once; default what is worth knowing of each; exhaustive
 * every legal value of every listed parameter (ranges and "auto" stay at their default). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "formats/config_keys.h"
#include "formats/format.h"

static const char *const quick_gpu[] = { "csr-scalar", "csr-vector", "csr-block", "coo", "ell", "hyb", "cusparse-csr", NULL };
static const char *const quick_cpu[] = { "csr-scalar", "csr-vector", "csr-block", "coo", "ell", "hyb", NULL };
static const char *const default_gpu[] = {
    "csr-scalar",
    "csr-vector:lanes=2", "csr-vector:lanes=4", "csr-vector:lanes=8", "csr-vector:lanes=16", "csr-vector:lanes=32",
    "csr-vector:lanes=4,rows=4", "csr-vector:lanes=8,rows=2",
    "csr-block:block=128", "csr-block:block=512",
    "coo:sum=atomic", "coo:sum=segmented",
    "ell",
    "hyb:tail=coo", "hyb:tail=csr-vector",
    "cusparse-csr:alg=1,pre=0", "cusparse-csr:alg=1,pre=1", "cusparse-csr:alg=2,pre=0", "cusparse-csr:alg=2,pre=1",
    NULL
};
static const char *const default_cpu[] = {
    "csr-scalar", "csr-vector:lanes=4", "csr-vector:lanes=8", "csr-vector:lanes=16", "csr-block",
    "coo:sum=atomic", "coo:sum=segmented", "ell", "hyb:tail=coo", "hyb:tail=csr-vector", NULL
};

struct list { int n; const char **text; };

struct product {
    struct list *list;
    const struct kernel *kernel;
    bool cpu;
    int param, keys;            /* next parameter; keys in text so far */
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
    const int m = snprintf(next.text + n, sizeof next.text - n, "%s%s=%s", next.keys ? "," : ":", kernel_param(next.kernel, next.param)->name, item);

    if (m < 0 || (size_t)m >= sizeof next.text - n) bug("sweep: configuration too long: %s", next.text);
    next.keys++;
    next.param++;
    product_step(next);
}

static void product_step(struct product at)
{
    const struct param *p = kernel_param(at.kernel, at.param);
    const struct kernel *part;

    if (!p) {
        list_append(at.list, at.text);
    } else if (p->type == PARAM_KERNEL) {
        for (int i = 0; (part = kernel_at(i)) != NULL; i++)
            if (kernel_fits_part(part)) product_value(part->name, &at);
    } else if ((at.cpu && (p->tags & PARAM_GPU_ONLY)) || strstr(p->legal, "..")) {
        at.param++;
        product_step(at);
    } else {
        legal_each(p->legal, product_value, &at);
    }
}

/* Made once and kept; one caller at a time (programs ask before they start threads). */
static const char *const *exhaustive(bool cpu)
{
    static struct list lists[2];
    struct list *l = &lists[cpu];
    const struct kernel *k;

    if (l->n > 0) return l->text;
    for (int i = 0; (k = kernel_at(i)) != NULL; i++) {
        if (cpu && k->yardstick) continue;
        struct product start = { l, k, cpu, 0, 0, "" };
        snprintf(start.text, sizeof start.text, "%s", k->name);
        product_step(start);
    }
    return l->text;
}

const char *const *config_sweep(const char *name, bool cpu)
{
    if (strcmp(name, "quick") == 0) return cpu ? quick_cpu : quick_gpu;
    if (strcmp(name, "default") == 0) return cpu ? default_cpu : default_gpu;
    if (strcmp(name, "exhaustive") == 0) return exhaustive(cpu);
    bug("no sweep '%s'", name);
}
