/* SPDX-License-Identifier: BSD-3-Clause */
/* The configurations that were parsed, by text. Rows repeat few texts many times. Entries are never changed or freed, so readers need
 * no lock. */
#include <stdatomic.h>
#include <string.h>
#include "base/hash.h"
#include "formats/config.h"

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
