/* SPDX-License-Identifier: BSD-3-Clause */
/* What the options of the programs that measure mean together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/device_kind.h"
#include "formats/parts.h"
#include "run/work.h"

void options_default(struct strlist *l, const char *const *v)
{
    for (const bool given = l->n > 0; !given && *v; v++)
        strlist_add(l, *v);
}

void run_options_free(struct run_options *o)
{
    struct strlist *list[] = { &o->configs, &o->precisions, &o->caches, &o->plans };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        strlist_free(list[i]);
}

enum device_kind run_kind(const struct run_options *o)
{
    enum device_kind kind = DEVICE_DEFAULT;

    if (o->backend && !kind_find(o->backend, &kind))
        bug("--backend %s is no choice", o->backend);
    return kind;
}

void run_options_finish(struct run_options *o)
{
    const enum device_kind kind = run_kind(o);
    char why[ERRLEN];

    if (o->configs.n && o->sweep)
        usage_die("--config and --sweep exclude each other: name the configurations, or a list of them");
    if (o->gpu >= 0 && kind == DEVICE_CPU)
        usage_die("--gpu %" PRId64 " and --backend %s exclude each other", o->gpu, o->backend);
    for (int i = 0; i < o->configs.n; i++) {
        struct config c;
        if (config_parse(o->configs.v[i], &c, why))
            usage_die("--config %s: %s", o->configs.v[i], why);
    }
    bool composite = false;
    for (int i = 0; i < o->configs.n; i++) {
        struct config c;
        composite = composite || (config_parse(o->configs.v[i], &c, why) == 0 && parts_name(c.kernel->layout, 0));
    }
    if (o->parts && o->configs.n && !composite)
        usage_die("--parts: none of the configurations has parts (--list: hyb has)");
    o->skips = !o->configs.n && !(o->sweep && !strcmp(o->sweep, "exhaustive"));
    if (!o->configs.n)
        for (const char *const *v = config_sweep(o->sweep ? o->sweep : "default", kind); v && *v; v++)
            strlist_add(&o->configs, *v);
}
