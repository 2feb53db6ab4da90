/* SPDX-License-Identifier: BSD-3-Clause */
/* config_has tells whether the layout of a configuration, or of one of its parts, has a property. */
#ifndef SPMVCAST_TESTS_FACTS_H
#define SPMVCAST_TESTS_FACTS_H
#include <stddef.h>
#include "formats/format.h"

static inline bool fact_fills(const struct layout *l) { return l->fills; }

static inline bool config_has(const struct config *c, bool (*fact)(const struct layout *))
{
    const char *name;
    char why[ERRLEN];

    if (fact(c->kernel->layout))
        return true;
    for (int p = 0; (name = parts_name(c->kernel->layout, p)) != NULL; p++) {
        struct config part;
        if (config_part(c, name, &part, why) != 0)
            bug("%s", why);
        if (fact(part.kernel->layout))
            return true;
    }
    return false;
}
#endif
