/* SPDX-License-Identifier: BSD-3-Clause */
/* What the mapping functions of the kernels have in common. */
#include "formats/mapping.h"
#include <math.h>
#include <string.h>
#include "base/picked.h"

enum { WARP_ROWS = 32 };

/* Sums of integers, so their order does not matter. */
PICKED_AT_RUN_TIME
static void sum_groups(const struct histogram *h, double lanes, double most, double turn, struct mapping_sum *s)
{
    double groups = 0, slots = 0, longer = 0;
#pragma omp simd reduction(+ : groups, slots, longer)
    for (int i = 0; i < h->n; i++) {
        const double n = (double)h->count[i], length = (double)h->value[i], kept = length < most ? length : most;
        groups += n;
        slots += n * ceil(kept / lanes);
        longer += kept > turn ? n : 0;
    }
    *s = (struct mapping_sum){ .groups = groups, .slots = slots, .more = groups > 0 ? longer / groups : 0 };
}

struct mapping_sum mapping_groups(const struct histogram *h, double lanes, double most, double turn)
{
    struct mapping_sum s;
    sum_groups(h, lanes, most, turn, &s);
    return s;
}

int mapping_level(double rows)
{
    int k = 0;
    while (k + 1 < GROUPS && (double)(1 << (k + 1)) <= rows)
        k++;
    return k;
}

void mapping_padded(const struct features *f, const struct target *t, const struct traffic *bytes, const struct grid *g,
                    double lanes, double rows_each, double width, double slots, struct mapping *m)
{
    const double nnz = fmax((double)f->nnz, 1);
    m->path = ceil(width / lanes) * rows_each;
    m->slots = fmax(slots, nnz);
    m->block_rows = (double)g->threads / lanes * rows_each;
    m->rows_dealt = true;
    m->own[0] = ((double)traffic_storage(bytes) - m->slots * (double)precision_bytes(t->precision)) / nnz;
    m->own[1] = (double)f->row_max / lanes;
}

void mapping_blocked(const struct features *f, const struct grid *g, double blocks, int r, int c, double lanes,
                     struct mapping *m)
{
    const double nnz = fmax((double)f->nnz, 1), fill = fmax(blocks * r * c / nnz, 1);
    const int level = r >= 4 ? 2 : r >= 2 ? 1 : 0;
    m->path = fmax(ceil((double)f->heaviest[level] / (r * c) * fill / lanes), 1);
    m->slots = fmax(blocks * r * c, nnz);
    m->block_rows = (double)g->threads / lanes * r;
    m->rows_dealt = true;
    m->own[0] = fill;
    m->own[1] = blocks / ceil((double)f->rows / r);
}

void mapping_entries(const struct features *f, const struct grid *g, double items, struct mapping *m)
{
    m->path = items;
    m->slots = (double)g->blocks * g->threads * items;
    m->block_rows = (double)f->rows / (double)g->blocks;
    m->most_pieces = (double)f->row_max / (items * WARP_ROWS);
    m->cuts = m->most_pieces > 1;
    m->own[0] = m->most_pieces;
    m->own[1] = (double)f->rows / fmax((double)f->nnz, 1);
}

void kernel_mapping(const struct features *f, const struct config *c, const struct target *t,
                    const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    memset(m, 0, sizeof *m);
    c->kernel->mapping(f, c, t, bytes, g, m);
    m->slots = fmax(m->slots, 1);
    m->path = fmax(m->path, 1);
    m->block_rows = fmax(m->block_rows, 1);
}
