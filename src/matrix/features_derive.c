/* SPDX-License-Identifier: BSD-3-Clause */
/* Features without the matrix: those that follow from others, copies, and the fills of blocks. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "matrix/features.h"

/* All but shortest and longest row. squares: sum of the squared row lengths. */
__extension__ static void derive(struct features *f, unsigned __int128 squares)
{
    const struct histogram *h = &f->lengths[0];
    const uint64_t nnz = (uint64_t)f->nnz;
    __extension__ const unsigned __int128 all = nnz;
    squares = squares * (uint64_t)f->rows - all * nnz;
    f->row_mean = f->rows > 0 ? (double)f->nnz / (double)f->rows : 0;
    f->row_sd = f->rows > 0 ? sqrt((double)squares) / (double)f->rows : 0;
    f->row_empty = h->n > 0 && h->value[0] == 0 ? h->count[0] : 0;
    f->row_mode = histogram_mode(h);
    f->hyb_k = histogram_hyb_k(h, f->rows);
}

void features_derive(struct features *f)
{
    const struct histogram *h = &f->lengths[0];
    __extension__ unsigned __int128 squares = 0, v; /* exact: rows sum v^2 reaches 2^93 */
    for (int i = 0; i < h->n; i++) {
        v = (uint64_t)h->value[i];
        squares += v * v * (uint64_t)h->count[i];
    }
    f->row_min = h->n > 0 ? h->value[0] : 0;
    f->row_max = h->n > 0 ? h->value[h->n - 1] : 0;
    derive(f, squares);
}

void features_derive_from(struct features *f, int64_t squares, int64_t row_min, int64_t row_max)
{
    f->row_min = row_min;
    f->row_max = row_max;
    derive(f, (uint64_t)squares);
}

void features_free(struct features *f)
{
    for (int k = 0; k < GROUPS; k++)
        histogram_free(&f->lengths[k]);
    memset(f, 0, sizeof *f);
}

void features_copy(const struct features *from, struct features *to)
{
    *to = *from;
    to->estimates = NULL;
    for (int k = 0; k < GROUPS; k++) {
        size_t bytes = (size_t)from->lengths[k].n * sizeof(int64_t);
        to->lengths[k].value = xmalloc(bytes + sizeof(int64_t));
        to->lengths[k].count = xmalloc(bytes + sizeof(int64_t));
        if (bytes == 0)
            continue;
        memcpy(to->lengths[k].value, from->lengths[k].value, bytes);
        memcpy(to->lengths[k].count, from->lengths[k].count, bytes);
    }
}

/* In the order of block_fill.h. */
static const size_t fills[BLOCK_FILLS] = {
    offsetof(struct features, block_fill_2), offsetof(struct features, block_fill_3),
    offsetof(struct features, block_fill_4), offsetof(struct features, block_fill_6),
    offsetof(struct features, block_fill_5), offsetof(struct features, block_fill_7),
    offsetof(struct features, block_fill_8)
};

static double *fill_at(struct features *f, int i) { return (double *)(void *)((char *)f + fills[i]); }

void features_set_fill(struct features *f, const struct block_fill *b)
{
    for (int i = 0; i < BLOCK_FILLS; i++)
        *fill_at(f, i) = block_fill_ratio(b, i);
    memcpy(f->fill_entries, b->entries, sizeof f->fill_entries);
}

double features_fill_of(const struct features *f, int i)
{
    double fill;
    memcpy(&fill, (const char *)f + fills[i], sizeof fill);
    return fill > 0 ? fill : 0; /* NaN: the archive lacks the feature */
}

void features_copy_fill(struct features *to, const struct features *from)
{
    for (int i = 0; i < BLOCK_FILLS; i++)
        memcpy((char *)to + fills[i], (const char *)from + fills[i], sizeof(double));
    memcpy(to->fill_entries, from->fill_entries, sizeof to->fill_entries);
}
