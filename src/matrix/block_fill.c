/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill of dense blocks (block_fill.h): merges the rows of a block row by block column. */
#include "matrix/block_fill.h"
#include <string.h>

enum { SIDE_MAX = 8 };
const int block_fill_sides[BLOCK_FILLS] = { 2, 3, 4, 6, 5, 7, 8 };

/* Returns the number of blocks with an entry in `side` rows from row i (fewer at the end of the matrix). Adds the number of
 * entries to *entries. */
static int64_t count_row(const struct csr_view *v, int64_t i, int64_t end, int side, int64_t *entries)
{
    int64_t k[SIDE_MAX], stop[SIDE_MAX], blocks = 0;
    int32_t next = INT32_MAX;
    const int n = end - i < side ? (int)(end - i) : side;
    for (int r = 0; r < n; r++) {
        k[r] = v->begin[i + r];
        stop[r] = v->end[i + r];
        *entries += stop[r] - k[r];
        if (k[r] < stop[r] && v->col[k[r]] - v->base < next)
            next = v->col[k[r]] - v->base;
    }
    while (next != INT32_MAX) {
        const int64_t beyond = ((int64_t)next / side + 1) * side + v->base;
        next = INT32_MAX;
        blocks++;
        for (int r = 0; r < n; r++) {
            while (k[r] < stop[r] && v->col[k[r]] < beyond)
                k[r]++;
            if (k[r] < stop[r] && v->col[k[r]] - v->base < next)
                next = v->col[k[r]] - v->base;
        }
    }
    return blocks;
}

void block_fill_add(const struct csr_view *v, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t most,
                    struct block_fill *f)
{
    for (int s = 0; s < BLOCK_FILLS; s++) {
        const int side = block_fill_sides[s];
        const int64_t offset = (first + shift) % side, from = first + (offset ? side - offset : 0);
        int64_t entries = 0;
        for (int64_t i = from; i < end && entries < most; i += side)
            if (i + side <= end || end + shift == rows)
                f->blocks[s] += count_row(v, i, end, side, &entries);
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
