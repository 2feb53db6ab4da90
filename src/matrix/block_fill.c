/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill of dense blocks (block_fill.h): marks the blocks of a block row in a bitmap. */
#include "matrix/block_fill.h"
#include <string.h>

enum { SIDE_MAX = 8, WINDOW = 1 << 18 };
const int block_fill_sides[BLOCK_FILLS] = { 2, 3, 4, 6, 5, 7, 8 };

/* The blocks of a window of block columns in which an entry was seen: those of a whole row of all but wide matrices. */
struct window {
    uint64_t seen[WINDOW / 64];
};

/* Marks the blocks of entries k <= i < stop in columns below `beyond`, of the window that begins with block `first`; moves *k beyond them.
 * Returns the number of blocks that were not marked. reciprocal: 2^34 / side, rounded up, exact for columns below 2^31. */
static int64_t mark(struct window *w, const struct csr_view *v, int64_t *k, int64_t stop, int64_t beyond,
                    uint64_t reciprocal, uint64_t first)
{
    int64_t i = *k, blocks = 0;
    for (; i < stop && v->col[i] < beyond; i++) {
        const uint64_t b = ((uint64_t)(v->col[i] - v->base) * reciprocal >> 34) - first, old = w->seen[b / 64];
        w->seen[b / 64] = old | (uint64_t)1 << b % 64;
        blocks += !(old >> b % 64 & 1);
    }
    *k = i;
    return blocks;
}

static void unmark(struct window *w, const struct csr_view *v, int64_t k, int64_t end, uint64_t reciprocal,
                   uint64_t first)
{
    for (; k < end; k++)
        w->seen[(((uint64_t)(v->col[k] - v->base) * reciprocal >> 34) - first) / 64] = 0;
}

/* Returns the number of blocks with an entry in `side` rows from row i (fewer at the end of the matrix). Adds the number of
 * entries to *entries. */
static int64_t count_row(struct window *w, const struct csr_view *v, int64_t i, int64_t end, int side, int64_t *entries)
{
    const uint64_t reciprocal = (((uint64_t)1 << 34) + (uint64_t)side - 1) / (uint64_t)side;
    const int n = end - i < side ? (int)(end - i) : side;
    int64_t k[SIDE_MAX], begin[SIDE_MAX], blocks = 0, next = 0;
    for (int r = 0; r < n; r++) {
        k[r] = v->begin[i + r];
        *entries += v->end[i + r] - k[r];
    }
    while (next != INT64_MAX) {
        const int64_t first = next / side / WINDOW * WINDOW, beyond = (first + WINDOW) * side + v->base;
        next = INT64_MAX;
        for (int r = 0; r < n; r++) {
            begin[r] = k[r];
            blocks += mark(w, v, &k[r], v->end[i + r], beyond, reciprocal, (uint64_t)first);
            if (k[r] < v->end[i + r] && v->col[k[r]] - v->base < next)
                next = v->col[k[r]] - v->base;
        }
        for (int r = 0; r < n; r++)
            unmark(w, v, begin[r], k[r], reciprocal, (uint64_t)first);
    }
    return blocks;
}

void block_fill_add(const struct csr_view *v, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t most,
                    struct block_fill *f)
{
    struct window window = { { 0 } };
    for (int s = 0; s < BLOCK_FILLS; s++) {
        const int side = block_fill_sides[s];
        const int64_t offset = (first + shift) % side, from = first + (offset ? side - offset : 0);
        int64_t entries = 0;
        for (int64_t i = from; i < end && entries < most; i += side)
            if (i + side <= end || end + shift == rows)
                f->blocks[s] += count_row(&window, v, i, end, side, &entries);
        f->entries[s] += entries;
    }
}

void block_fill_chunk(const struct csr_view *v, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t stride,
                      struct block_fill *f)
{
    if (first / BLOCK_FILL_CHUNK % stride == 0)
        block_fill_add(v, shift, first, end, rows, BLOCK_FILL_ENTRIES / 2, f);
}

void block_fill_of(const struct csr *m, struct block_fill *f)
{
    const struct csr_view v = csr_view_all(m);
    const int64_t stride = block_fill_stride(m->nnz), step = stride * BLOCK_FILL_CHUNK;
    memset(f, 0, sizeof *f);
#pragma omp parallel if (m->rows > step)
    {
        struct block_fill mine = { { 0 }, { 0 } };
#pragma omp for schedule(dynamic)
        for (int64_t first = 0; first < m->rows; first += step) {
            const int64_t end = first + BLOCK_FILL_CHUNK;
            block_fill_chunk(&v, 0, first, end < m->rows ? end : m->rows, m->rows, stride, &mine);
        }
#pragma omp critical(block_fill_merge)
        block_fill_merge(f, &mine);
    }
}

void block_fill_merge(struct block_fill *to, const struct block_fill *from)
{
    for (int s = 0; s < BLOCK_FILLS; s++) {
        to->blocks[s] += from->blocks[s];
        to->entries[s] += from->entries[s];
    }
}

int64_t block_fill_stride(int64_t nnz)
{
    return nnz > BLOCK_FILL_ENTRIES ? (nnz + BLOCK_FILL_ENTRIES - 1) / BLOCK_FILL_ENTRIES : 1;
}

double block_fill_ratio(const struct block_fill *f, int i)
{
    const double values = (double)f->blocks[i] * block_fill_sides[i] * block_fill_sides[i];
    return f->entries[i] > 0 ? values / (double)f->entries[i] : 0;
}
