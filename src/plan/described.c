/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan as rows (described.h). */
#include "plan/described.h"
#include <ctype.h>
#include <stdio.h>

void described_layout(const struct layout *l, char out[FORMAT_LEN])
{
    size_t n = 0;
    for (; l->name[n] && n + 1 < FORMAT_LEN; n++)
        out[n] = (char)toupper((unsigned char)l->name[n]);
    out[n] = 0;
}

/* The format as Table 3 names it: "CSR"; "ELL/HYB" where a composite's first part takes every entry, so that both are
 * one. */
static void name_format(const struct blocks *b, const struct config *chosen, const struct features *f,
                        const struct target *t, char name[FORMAT_LEN])
{
    const struct layout *layout = chosen->kernel->layout;
    char first[FORMAT_LEN], second[FORMAT_LEN];
    described_layout(layout, first);
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
        described_layout(part.kernel->layout, first);
        described_layout(outer, second);
        snprintf(name, FORMAT_LEN, "%.30s/%.30s", first, second);
        return;
    }
}

/* Which configuration the block is given, its time and status. */
static void fill_choice(const struct question *q, const struct blocks *b, const struct features *f,
                        const struct target *t, int first, int last, struct config *config, struct block_row *row)
{
    char why[ERRLEN];
    struct forecast alone;
    int choice;
    blocks_least(b, first, last, &choice);
    row->time_us = blocks_time(b, choice, first, last) * 1e6;
    if (config_resolve(&b->choice[choice].config, f, t, config, why) != 0)
        bug("%s has a time for strips %d..%d and cannot be resolved: %s", b->choice[choice].text, first, last, why);
    b->model->predict(&q->profile, f, config, t, &alone);
    TEXT_SET(row->status, outlook_status_name((enum outlook_status)alone.status));
}

/* whole: what takes the matrix whole, where the plan does not split it; else NULL. */
static void describe_block(const struct question *q, const struct blocks *b, const struct sketch *s,
                           const struct target *t, int first, int last, const struct outlook_row *whole,
                           struct described *out)
{
    struct config config;
    struct features f;
    *out = (struct described){ 0 };
    struct block_row *row = &out->row;
    int64_t end = (int64_t)(last + 1) * s->strip_rows;
    row->first_row = (int64_t)first * s->strip_rows;
    end = end < q->features.rows ? end : q->features.rows;
    struct csr_view view = csr_view_rows(&q->matrix.csr, row->first_row, end);
    features_of_view(&view, &f);
    row->rows = f.rows;
    row->nnz = f.nnz;
    row->first_strip = first + 1;
    row->last_strip = last + 1;
    if (whole) {
        config = whole->config;
        row->time_us = whole->forecast.time_s * 1e6;
        TEXT_SET(row->status, outlook_status_name(whole->status));
    } else {
        fill_choice(q, b, &f, t, first, last, &config, row);
    }
    config_print(&config, row->config);
    name_format(b, &config, &f, t, out->format);
    features_free(&f);
}

struct described *describe_plan(const struct question *q, const struct blocks *b, const struct sketch *s,
                                const struct target *t, const struct dp_partition *plan,
                                const struct outlook_row *single)
{
    struct described *block = xcalloc((unsigned long)plan->n, sizeof *block);
    for (int i = 0; i < plan->n; i++)
        describe_block(q, b, s, t, i ? plan->last[i - 1] + 1 : 0, plan->last[i], plan->n == 1 ? single : NULL,
                       &block[i]);
    return block;
}
