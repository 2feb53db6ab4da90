/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run --list: prints kernels, their keys with defaults, and sweeps. */
#include <stdio.h>
#include "formats/format.h"
#include "run/work.h"
#include "table/textout.h"

static void put_params(struct table *t, const char *kernel, const char *about, const struct param *p, const char *kind)
{
    for (; p && p->name; p++) {
        table_put_text(t, "kernel", kernel);
        table_put_text(t, "key", p->name);
        table_put_text(t, "legal", p->legal);
        table_put_text(t, "default", p->initial);
        table_put_text(t, "part_of", kind);
        table_put_text(t, "about", p->about ? p->about : about);
        table_row_end(t);
    }
}

static void put_sweep(struct table *t, const char *name, enum device_kind device)
{
    const char *const *v = config_sweep(name, device);
    int n = 0;

    for (; v && v[n]; n++)
        table_note(t, "sweep %s (%s): %s", name, kind_facts(device)->name, v[n]);
}

static const struct column columns[] = {
    TEXT_COLUMN("kernel", "name of the kernel"),
    TEXT_COLUMN("key", "key of the kernel; -: the row describes the kernel itself"),
    TEXT_COLUMN("legal", "legal values of the key"),
    TEXT_COLUMN("default", "default value of the key"),
    TEXT_COLUMN("part_of", "layout or launch: what the key belongs to; of the kernel itself: the name of its layout"),
    TEXT_COLUMN("about", "what the key sets; of the kernel itself: what it does"),
    COLUMNS_END,
};

void list_kernels(void)
{
    static const char *const sweeps[] = { "quick", "default" };
    struct table *t = textout_begin(false, columns);
    textout_view(t, "kernel key legal default about");
    const struct kernel *k;

    for (int i = 0; (k = kernel_at(i)); i++) {
        table_put_text(t, "kernel", k->name);
        table_put_text(t, "key", "");
        table_put_text(t, "legal", "");
        table_put_text(t, "default", "");
        table_put_text(t, "part_of", k->layout->name);
        table_put_text(t, "about", k->about);
        table_row_end(t);
        put_params(t, k->name, k->about, k->layout->params, "layout");
        put_params(t, k->name, k->about, k->params, "launch");
    }
    for (enum device_kind device = 0; device < NDEVICE_KINDS; device++)
        for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
            put_sweep(t, sweeps[i], device);
    textout_end(t);
}
