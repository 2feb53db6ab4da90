/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, E(i, j): the literal forecast of strips i..j as a separate matrix. A window over the strips keeps the count
 * of every row length. It moves by adding and removing strips at its ends, so moving one end costs one strip per step.
 * The window's features equal those of the merged strips, so E(i, j) equals the forecast of predict.
 * E is not monotone: a mode can fall when rows are added, and HYB's rule gives K = 0 below 4096 rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "models/guo2014/guo2014.h"

struct block_cost {
    struct guo_view view;
    struct target target;
    const struct sketch *sketch;
    int first, last; /* the window; first > last: empty */
    int64_t rows, nnz;
    int nlengths;
    /* [nlengths]: the distinct row lengths of the matrix, ascending; the number of rows of each length in the window */
    int64_t *length, *count;
    int32_t *slot;           /* index in `length` of each histogram entry, strip after strip */
    int64_t *slot_begin;     /* [sketch->n] */
    struct histogram packed; /* the window's histogram */
};

struct block_cost *guo_blocks_open(const struct profile *p, const struct sketch *s, const struct config *config,
                                   const struct target *t, char why[ERRLEN])
{
    struct block_cost *b = xcalloc(1, sizeof *b);
    if (guo_open(p, config, t, &s->whole, &b->view, why) != 0) {
        free(b);
        return NULL;
    }
    const struct histogram *all = &s->whole.lengths[0];
    b->view.applicable_parts = true;
    b->target = *t;
    b->sketch = s;
    b->last = -1;
    b->nlengths = all->n;
    b->length = all->value;
    b->count = xcalloc((unsigned long)all->n + 1, sizeof *b->count);
    b->packed.value = xcalloc((unsigned long)all->n + 1, sizeof *b->packed.value);
    b->packed.count = xcalloc((unsigned long)all->n + 1, sizeof *b->packed.count);
    b->slot_begin = xcalloc((unsigned long)s->n + 1, sizeof *b->slot_begin);
    int64_t total = 0;
    for (int i = 0; i < s->n; i++) {
        b->slot_begin[i] = total;
        total += s->strip[i].lengths[0].n;
    }
    b->slot = xcalloc((unsigned long)total + 1, sizeof *b->slot);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->strip[i].lengths[0].n; k++)
            b->slot[b->slot_begin[i] + k] = histogram_slot(b->length, b->nlengths, s->strip[i].lengths[0].value[k]);
    return b;
}

static void move_strip(struct block_cost *b, int i, int64_t sign)
{
    const struct features *f = &b->sketch->strip[i];
    const int32_t *slot = b->slot + b->slot_begin[i];
    b->rows += sign * f->rows;
    b->nnz += sign * f->nnz;
    if (b->view.config.kernel->work == WORK_ENTRIES) /* needs only nnz */
        return;
    for (int k = 0; k < f->lengths[0].n; k++)
        b->count[slot[k]] += sign * f->lengths[0].count[k];
}

static void move_window(struct block_cost *b, int first, int last)
{
    /* Grow before shrinking: counts stay valid even if the old and new windows do not overlap. */
    while (b->first > first)
        move_strip(b, --b->first, 1);
    while (b->last < last)
        move_strip(b, ++b->last, 1);
    while (b->first < first)
        move_strip(b, b->first++, -1);
    while (b->last > last)
        move_strip(b, b->last--, -1);
}

/* Returns the most frequent length (the smallest of equals), as features_derive does. */
static int64_t window_mode(const struct block_cost *b)
{
    int64_t most = 0;
    int i = 0;
    for (int k = 0; k < b->nlengths; k++)
        most = b->count[k] > most ? b->count[k] : most;
    while (i < b->nlengths && b->count[i] != most)
        i++;
    return i < b->nlengths ? b->length[i] : 0;
}

static int64_t window_max(const struct block_cost *b)
{
    int i = b->nlengths - 1;
    while (i >= 0 && b->count[i] == 0)
        i--;
    return i < 0 ? 0 : b->length[i];
}

static void pack(struct block_cost *b)
{
    b->packed.n = 0;
    for (int i = 0; i < b->nlengths; i++)
        if (b->count[i] > 0) {
            b->packed.value[b->packed.n] = b->length[i];
            b->packed.count[b->packed.n++] = b->count[i];
        }
}

/* Computes only the features that the model and its layouts use, because this runs for every pair of strips. */
static void window_features(struct block_cost *b, struct features *f)
{
    const enum work work = b->view.config.kernel->work;
    memset(f, 0, sizeof *f);
    f->rows = b->rows;
    f->nnz = b->nnz;
    f->cols = b->sketch->whole.cols;
    f->row_mean = (double)b->nnz / (double)b->rows;
    if (work == WORK_PARTS) {
        pack(b);
        f->lengths[0] = b->packed;
        f->hyb_k = histogram_hyb_k(&b->packed, b->rows);
    } else if (work == WORK_ROW_GROUP)
        f->row_mode = window_mode(b);
    else if (work != WORK_ENTRIES)
        f->row_max = window_max(b);
}

double guo_block_time(struct block_cost *b, int first, int last)
{
    const struct layout *layout = b->view.config.kernel->layout;
    struct features f;
    struct forecast forecast;
    char why[ERRLEN];
    if (first < 0 || last < first || last >= b->sketch->n)
        bug("guo2014: invalid block of strips %d..%d of %d", first, last, b->sketch->n);
    move_window(b, first, last);
    window_features(b, &f);
    if (!layout->part && kernel_applicable(&f, &b->view.config, &b->target, why) != 0)
        return INFINITY;
    guo_forecast(&b->view, &f, &forecast);
    return forecast.status == FORECAST_REFUSED ? INFINITY : forecast.time_s;
}

void guo_blocks_close(struct block_cost *b)
{
    if (!b)
        return;
    free(b->count);
    free(b->packed.value);
    free(b->packed.count);
    free(b->slot);
    free(b->slot_begin);
    free(b);
}
