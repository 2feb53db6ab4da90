/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan as rows (plan_blocks.h). */
#include "plan/plan_blocks.h"
#include <ctype.h>
#include <stdio.h>

void layout_in_capitals(const struct layout *l, char out[FORMAT_LEN])
{
    size_t n = 0;
    for (; l->name[n] && n + 1 < FORMAT_LEN; n++)
        out[n] = (char)toupper((unsigned char)l->name[n]);
    out[n] = 0;
}

/* Writes the format's name as in guo2014, Table 3: "CSR", or "ELL/HYB" if the first part of a composite holds every entry, so that both
 * formats are the same. */
static void name_format(const struct blocks *b, const struct config *chosen, const struct features *f,
                        const struct target *t, char name[FORMAT_LEN])
{
    const struct layout *layout = chosen->kernel->layout;
    char first[FORMAT_LEN], second[FORMAT_LEN];
    layout_in_capitals(layout, first);
    snprintf(name, FORMAT_LEN, "%s", first);
    for (int i = 0; i < b->n; i++) {
        struct config composite, part;
        struct features head;
        char why[ERRLEN];
        const struct layout *outer = b->choice[i].config.kernel->layout;
        if (!outer->part || config_resolve(&b->choice[i].config, f, t, &composite, why) != 0
            || outer->part(f, &composite, 0, &part, &head) != 0)
            continue;
        bool whole = head.nnz == f->nnz && (layout == outer || layout == part.kernel->layout);
        features_free(&head);
        if (!whole)
            continue;
        layout_in_capitals(part.kernel->layout, first);
        layout_in_capitals(outer, second);
        snprintf(name, FORMAT_LEN, "%.30s/%.30s", first, second);
        return;
    }
}

static void describe_block(const struct planned *a, const struct split_block *b, struct plan_block *out)
{
    struct block_row *row = &out->row;
    *out = (struct plan_block){ .row = { .first_row = (int64_t)b->first * a->sketch->strip_rows,
                                         .rows = b->features.rows,
                                         .nnz = b->features.nnz,
                                         .first_strip = b->first + 1,
                                         .last_strip = b->last + 1,
                                         .time_us = b->time_s * 1e6,
                                         .low_us = b->low_s * 1e6,
                                         .high_us = b->high_s * 1e6 } };
    TEXT_SET(row->status, outlook_status_name(b->status));
    config_print(&b->config, row->config);
    name_format(a->blocks, &b->config, &b->features, &a->outlook->target, out->format);
}

struct plan_block *plan_blocks_of(const struct planned *a)
{
    struct plan_block *block = xcalloc((unsigned long)a->split->n, sizeof *block);
    for (int i = 0; i < a->split->n; i++)
        describe_block(a, &a->split->block[i], &block[i]);
    return block;
}
