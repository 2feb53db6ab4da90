/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations of rows: those that were parsed, by text, and the keys that they lack. Rows repeat few texts many times. Entries are
 * never changed or freed, so readers need no lock. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "formats/config_keys.h"

struct entry {
    struct entry *next;
    struct config config;
    char text[];
};

enum { SLOTS = 4096 }; /* a sweep has hundreds of texts */
static struct entry *_Atomic slots[SLOTS];

static const struct config *find(const struct entry *e, const char *text)
{
    while (e && strcmp(e->text, text) != 0)
        e = e->next;
    return e ? &e->config : NULL;
}

const struct config *config_known(const char *text, char why[ERRLEN])
{
    struct entry *_Atomic *slot = &slots[hash_text(0, text) % SLOTS];
    struct entry *first = atomic_load_explicit(slot, memory_order_acquire);
    const struct config *known = find(first, text);
    struct config parsed;

    if (known)
        return known;
    if (config_parse(text, &parsed, why) != 0)
        return NULL;
    const size_t bytes = strlen(text) + 1;
    struct entry *e = xkept(sizeof *e + bytes);
    e->config = parsed;
    memcpy(e->text, text, bytes);
    do { /* another thread may have added the text since; both entries serve */
        e->next = first;
    } while (!atomic_compare_exchange_weak_explicit(slot, &first, e, memory_order_release, memory_order_relaxed));
    return &e->config;
}

int config_resolve_text(const char *text, const struct features *f, const struct target *t, struct config *out,
                        char why[ERRLEN])
{
    const struct config *asked = config_known(text, why);

    return asked ? config_resolve(asked, f, t, out, why) : FAIL;
}

/* True if the text has a key that has no effect on the CPU device, be it of the kernel or of a part. */
static bool names_launch_key(const struct config *c, const char *text)
{
    for (int i = 0; i < c->n; i++)
        if (config_param(c, c->set[i].key)->tags & PARAM_GPU_ONLY && config_item(text, c->set[i].key))
            return true;
    return false;
}

/* Rows of one configuration are adjacent in archives, so the last result is cached. */
void config_complete(char text[CONFIG_LEN])
{
    static _Thread_local char before[CONFIG_LEN], after[CONFIG_LEN];

    if (strcmp(text, before) != 0) {
        snprintf(before, sizeof before, "%s", text);
        snprintf(after, sizeof after, "%s", text);
        const struct config *c = strchr(text, ':') ? config_known(text, NULL) : NULL;
        if (c) {
            const bool launch = names_launch_key(c, text);
            struct config kept = *c;
            kept.n = 0;
            for (int i = 0; i < c->n; i++)
                if (launch || config_item(text, c->set[i].key) || config_param(c, c->set[i].key)->tags & PARAM_LAYOUT)
                    kept.set[kept.n++] = c->set[i];
            config_print(&kept, after);
        }
    }
    snprintf(text, CONFIG_LEN, "%s", after);
}

void configs_complete(void *config, int64_t n, size_t bytes)
{
    for (int64_t i = 0; i < n; i++)
        config_complete((char *)config + (size_t)i * bytes);
}
