/* SPDX-License-Identifier: BSD-3-Clause */
/* The configurations of a run archive, for spmv-run --like: the same work on another device, or of another version. */
#include <string.h>
#include "base/error.h"
#include "formats/format.h"
#include "measure/kept.h"
#include "run/run_options.h"
#include "table/textout.h"

/* Counts a row that is no whole product of one configuration, and returns whether this is one. */
static bool is_left(struct run_options *o, const struct run_row *r)
{
    const bool plan = strcmp(r->role, "plan") == 0, part = !plan && r->part[0];

    o->left_plans += plan;
    o->left_parts += part && !o->parts;
    return plan || part;
}

/* Adds what rows of whole products asked for and the device can run. If a sweep left one out, its limit applies to all rows that were not
 * measured. */
static void add_rows(struct run_options *o, const struct runs *runs)
{
    const bool precisions = o->precisions.n == 0, caches = o->caches.n == 0;

    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (is_left(o, r))
            continue;
        const struct config *c = config_known(r->asked, NULL);
        if (!c) {
            strlist_add_once(&o->unknown, r->asked);
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
    char why[ERRLEN];

    if (!o->like)
        return;
    if (o->configs.n || o->sweep)
        usage_die("--like and --%s are mutually exclusive", o->sweep ? "sweep" : "config");
    if (runs_load(o->like, &runs, why))
        die("--like: %s", why);
    add_rows(o, &runs);
    if (o->configs.n == 0) {
        char *unknown = strlist_join(&o->unknown, ", ");
        die("--like %s: it has no configuration that runs on this device%s%s", o->like,
            *unknown ? "; this version does not have " : "", unknown);
    }
    runs_free(&runs);
}

void run_like_put(struct table *t, const struct run_options *o)
{
    for (int i = 0; i < o->unknown.n; i++)
        warn("--like %s: %s is left out: this version has no such configuration", o->like, o->unknown.v[i]);
    if (o->left_parts > 0)
        table_note(t, "left out by --like: %s of parts; --parts times them", counted(o->left_parts, "row").text);
    if (o->left_plans > 0)
        table_note(t, "left out by --like: %s of plans; spmv-execute times them", counted(o->left_plans, "row").text);
}
