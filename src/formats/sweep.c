/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps are lists of configurations to time. default has what is worth knowing about each kernel, as its row of the
 * table states; quick has each of these kernels once, with its defaults; exhaustive has every legal value of every
 * listed parameter (ranges and `value` keep their default, "auto" is left out); the sweep of a paper has every thread
 * mapping of its formats. */
#include <stdio.h>
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
    const char *fixed; /* "key=value,..." of the parameters that do not vary; "": none */
    int param, keys;   /* next parameter; keys in text so far */
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

    if (config_is_auto(item))
        return; /* it resolves to one of the other values */
    if (m < 0 || (size_t)m >= sizeof next.text - n)
        bug("sweep: the configuration is too long: %s", next.text);
    next.keys++;
    next.param++;
    product_step(next);
}

/* Finds the value of a fixed parameter. Returns false if it varies. */
static bool fixed_value(const char *fixed, const char *key, char value[CONFIG_LEN])
{
    const size_t n = strlen(key);

    for (const char *at = fixed; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, key, n) == 0 && at[n] == '=') {
            snprintf(value, CONFIG_LEN, "%.*s", (int)strcspn(at + n + 1, ","), at + n + 1);
            return true;
        }
    return false;
}

static void product_step(struct product at)
{
    const struct param *p = kernel_param(at.kernel, at.param);
    char value[CONFIG_LEN];

    if (!p) {
        list_append(at.list, at.text);
    } else if (fixed_value(at.fixed, p->name, value)) {
        product_value(value, &at);
    } else if ((!kind_facts(at.device)->blocks && (p->tags & PARAM_GPU_ONLY)) || strstr(p->legal, "..")
               || strstr(p->legal, "|least")) {
        at.param++;
        product_step(at);
    } else {
        legal_each(p->legal, product_value, &at);
    }
}

/* ---- what one kernel adds to a sweep */
static void list_exhaustive(struct list *l, const struct kernel *k, enum device_kind device)
{
    struct product start = { l, k, device, "", 0, 0, "" };

    snprintf(start.text, sizeof start.text, "%s", k->name);
    product_step(start);
}

/* lehnert2016, section 4.1: formats COO, CSR, ELL, SELL (C = 512, sigma = 2048) and BRO (slices of 256 rows, symbols of
 * 64 bits) with all thread mappings, i.e. threads per row or entries per thread, and block sizes. */
static void list_lehnert2016(struct list *l, const struct kernel *k, enum device_kind device)
{
    static const struct {
        const char *kernel, *fixed;
    } formats[] = { { "coo", "sum=segmented" },
                    { "csr-scalar", "" },
                    { "csr-vector", "rows=1" },
                    { "ell", "" },
                    { "sell", "c=512,sigma=2048,index=32,value=full" },
                    { "bro", "h=256,bits=64" } };

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(k->name, formats[i].kernel) == 0) {
            struct product start = { l, k, device, formats[i].fixed, 0, 0, "" };
            snprintf(start.text, sizeof start.text, "%s", k->name);
            product_step(start);
        }
}

/* What the default sweep times of a kernel. */
static const char *const *default_of(const struct kernel *k, enum device_kind device)
{
    static const char *const plain[] = { "", NULL };
    return device == DEVICE_CPU && k->sweep_cpu ? k->sweep_cpu : k->sweep ? k->sweep : plain;
}

static void list_quick(struct list *l, const struct kernel *k, enum device_kind device)
{
    if (default_of(k, device)[0])
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
    const bool blocks = kind_facts(device)->blocks;
    const char *const *sweep = default_of(k, device);
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
} sweeps[] = { { "quick", list_quick },
               { "default", list_default },
               { "exhaustive", list_exhaustive },
               { "lehnert2016", list_lehnert2016 } };
enum { NSWEEPS = sizeof sweeps / sizeof sweeps[0] };

const char *config_sweep_names(void)
{
    static char names[64];
    if (!*names)
        for (int s = 0; s < NSWEEPS; s++)
            words_add(names, sizeof names, sweeps[s].name);
    return names;
}

/* Built once and cached. Not thread-safe: programs call it before they start threads, libspmvcast before it shares a profile. */
const char *const *config_sweep(const char *name, enum device_kind device)
{
    static struct list lists[NSWEEPS][NDEVICE_KINDS];
    const struct kernel *k;

    for (int s = 0; s < NSWEEPS; s++) {
        struct list *l = &lists[s][device];
        if (strcmp(name, sweeps[s].name) != 0)
            continue;
        struct list made = { 0 };
        for (int i = 0; l->n == 0 && (k = kernel_at(i)) != NULL; i++)
            if (kernel_runs_on(k, device))
                sweeps[s].list(&made, k, device);
        if (l->n == 0)
            *l = made; /* complete, even if an allocation may have ended an earlier call */
        return l->text;
    }
    bug("unknown sweep '%s'", name);
}
