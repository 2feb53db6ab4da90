/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps estimates (estimates.h). */
#include "matrix/estimates.h"
#include <string.h>

const struct features *estimates_begin(struct estimates *e, const struct features *f)
{
    e->n = 0;
    e->of = *f;
    e->of.estimates = e;
    return &e->of;
}

/* Copies of the features may be changed, so nothing is known of them. */
static struct estimates *kept_of(const struct features *f)
{
    return f->estimates && f == &f->estimates->of ? f->estimates : NULL;
}

bool estimate_known(const struct features *f, enum estimate which, const int64_t key[ESTIMATE_KEYS], void *value,
                    size_t bytes)
{
    const struct estimates *e = kept_of(f);
    for (int i = 0; e && i < e->n; i++)
        if (e->at[i].which == which && memcmp(e->at[i].key, key, sizeof e->at[i].key) == 0) {
            memcpy(value, e->at[i].value, bytes);
            return true;
        }
    return false;
}

void estimate_keep(const struct features *f, enum estimate which, const int64_t key[ESTIMATE_KEYS], const void *value,
                   size_t bytes)
{
    struct estimates *e = kept_of(f);
    if (!e || e->n == ESTIMATES_MOST)
        return;
    e->at[e->n].which = which;
    memcpy(e->at[e->n].key, key, sizeof e->at[e->n].key);
    memcpy(e->at[e->n++].value, value, bytes);
}
