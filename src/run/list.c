/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run --list: prints kernels, their keys with defaults, and sweeps. */
#include <stdio.h>
#include "base/textout.h"
#include "formats/format.h"
#include "run/work.h"

static void put_params(struct textout *t, const char *kernel, const char *about, const struct param *p,
                       const char *kind)
{
    for (; p && p->name; p++) {
        textout_text(t, "kernel", kernel);
        textout_text(t, "key", p->name);
        textout_text(t, "legal", p->legal);
        textout_text(t, "default", p->initial);
        textout_text(t, "part_of", kind);
        textout_text(t, "about", p->about ? p->about : about);
        textout_row_end(t);
    }
}

static void put_sweep(struct textout *t, const char *name, enum device_kind device)
{
    const char *const *v = config_sweep(name, device);
    int n = 0;

    for (; v && v[n]; n++)
        textout_note(t, "sweep %s (%s): %s", name, kind_facts(device)->name, v[n]);
}

void list_kernels(void)
{
    static const char *const sweeps[] = { "quick", "default" };
    struct textout *t = textout_begin(false, "kernel\tkey\tlegal\tdefault\tpart_of\tabout");
    textout_view(t, "kernel key legal default about");
    const struct kernel *k;

    for (int i = 0; (k = kernel_at(i)); i++) {
        textout_text(t, "kernel", k->name);
        textout_text(t, "key", "");
        textout_text(t, "legal", "");
        textout_text(t, "default", "");
        textout_text(t, "part_of", k->layout->name);
        textout_text(t, "about", k->about);
        textout_row_end(t);
        put_params(t, k->name, k->about, k->layout->params, "layout");
        put_params(t, k->name, k->about, k->params, "launch");
    }
    for (enum device_kind device = 0; device < NDEVICE_KINDS; device++)
        for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
            put_sweep(t, sweeps[i], device);
    textout_end(t);
}
