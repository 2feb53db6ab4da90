/* SPDX-License-Identifier: BSD-3-Clause */
/* The configurations of a run archive, for spmv-run --like: the same work on another device, or of another version. */
#include <string.h>
#include "base/error.h"
#include "formats/format.h"
#include "measure/kept.h"
#include "run/run_options.h"

/* Adds what rows of whole products asked for and the device can run. If a sweep left one out, its limit applies to all rows that were not
 * measured. unknown: configurations that this version does not have. */
static void add_rows(struct run_options *o, const struct runs *runs, struct strlist *unknown)
{
    const bool precisions = o->precisions.n == 0, caches = o->caches.n == 0;

    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (r->part[0] || strcmp(r->role, "plan") == 0)
            continue;
        const struct config *c = config_known(r->asked, NULL);
        if (!c) {
            strlist_add_once(unknown, r->asked);
            continue;
        }
        if (!kernel_runs_on(c->kernel, run_kind(o)))
            continue;
        strlist_add_once(&o->configs, r->asked);
        if (precisions)
            strlist_add_once(&o->precisions, precision_name((enum precision)r->precision));
        if (caches)
            strlist_add_once(&o->caches, cache_name((enum cache)r->cache));
        if (run_row_skipped(r))
            o->skips = true;
        else
            kept_add(&o->kept, r);
    }
    kept_sort(&o->kept);
}

void run_options_like(struct run_options *o)
{
    struct runs runs = { 0 };
    struct strlist unknown = { 0 };
    char why[ERRLEN];

    if (!o->like)
        return;
    if (o->configs.n || o->sweep)
        usage_die("--like and --%s are mutually exclusive", o->sweep ? "sweep" : "config");
    if (runs_load(o->like, &runs, why))
        die("--like: %s", why);
    add_rows(o, &runs, &unknown);
    if (o->configs.n == 0)
        die("--like %s: it has no configuration that runs on this device", o->like);
    for (int i = 0; i < unknown.n; i++)
        warn("--like %s: %s is left out: this version has no such configuration", o->like, unknown.v[i]);
    strlist_free(&unknown);
    runs_free(&runs);
}
