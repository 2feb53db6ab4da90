/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-gen --list (gen_list.h). */
#include "gen/gen_list.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/strings.h"
#include "gen/grid.h"

/* A line of --list. */
struct list_line {
    const char *what, *name, *key, *legal, *initial, *about; /* NULL: none */
};

static void put_line(struct table *out, struct list_line l)
{
    table_put_text(out, "what", l.what);
    table_put_text(out, "name", l.name);
    table_put_text(out, "key", l.key);
    table_put_text(out, "legal", l.legal);
    table_put_text(out, "default", l.initial);
    table_put_text(out, "about", l.about);
    table_row_end(out);
}

static void put_kind(struct table *out, const struct recipe_about *kind)
{
    put_line(out, (struct list_line){ .what = "kind", .name = kind->name, .about = kind->about });
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++)
        put_line(out, (struct list_line){ .what = "kind",
                                          .name = kind->name,
                                          .key = kind->params[i].name,
                                          .legal = kind->params[i].legal,
                                          .initial = kind->params[i].initial ? kind->params[i].initial : "required",
                                          .about = kind->params[i].about });
}

static const struct column columns[] = {
    TEXT_COLUMN("what", "model (a grid of benchmark matrices), kind (of recipe) or device"),
    TEXT_COLUMN("name", "name of the model, kind or device"),
    TEXT_COLUMN("key", "key of the model or kind; -: the row describes the model, kind or device itself"),
    TEXT_COLUMN("legal", "legal values of the key"),
    TEXT_COLUMN("default", "default value of the key; required: it has none"),
    TEXT_COLUMN("about", "what the model, kind or key is; of a device: its rows per strip"),
    COLUMNS_END,
};

void gen_print_list(bool json)
{
    struct table *out = textout_begin(json, columns);
    textout_view(out, "name key legal default about");
    for (const struct grid_model *m = grid_models; m->name; m++) {
        char most[24];
        snprintf(most, sizeof most, "%" PRId64, m->max_bytes);
        put_line(out, (struct list_line){ .what = "model", .name = m->name, .about = m->about });
        put_line(out, (struct list_line){ .what = "model",
                                          .name = m->name,
                                          .key = "quick",
                                          .legal = "0|1",
                                          .initial = "0",
                                          .about = "only a few small cells" });
        put_line(out, (struct list_line){ .what = "model",
                                          .name = m->name,
                                          .key = "max_bytes",
                                          .legal = "1024..1099511627776",
                                          .initial = most,
                                          .about = "maximum size of a CSR matrix in bytes" });
    }
    for (int k = 0; k < NRECIPES; k++)
        put_kind(out, recipe_about(k));
    for (int i = 0; geometry_at(i); i++) {
        char strips[sizeof(struct counted) + 16];
        snprintf(strips, sizeof strips, "strips of %s", counted(geometry_strip(geometry_at(i), CUDA_WARP), "row").text);
        put_line(out, (struct list_line){ .what = "device", .name = geometry_at(i)->name, .about = strips });
    }
    textout_end(out);
}
