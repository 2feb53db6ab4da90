/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill of dense blocks (block_fill.h): marks the blocks of a block row with the number of that row, so nothing has to be unmarked. */
#include "matrix/block_fill.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 8, WINDOW = 1 << 18 };
const int block_fill_sides[BLOCK_FILLS] = { 2, 3, 4, 6, 5, 7, 8 };

struct block_marks block_marks_alloc(int64_t cols)
{
    const int64_t columns = cols / 2 + 1 < WINDOW ? cols / 2 + 1 : WINDOW;
    return (struct block_marks){ xcalloc((unsigned long)columns, sizeof(uint16_t)), columns, 0 };
}

/* Marks the blocks of n columns, sorted and counted from `base`. Returns the number of blocks that were not marked. reciprocal: 2^34 / side,
 * rounded up, exact for columns below 2^31. Not inlined: its loop needs the registers. */
__attribute__((noinline)) static int64_t mark(uint16_t *row, uint16_t current, const int32_t *col, int64_t n,
                                              int32_t base, uint64_t reciprocal)
{
    int64_t blocks = 0;
    for (int64_t k = 0; k < n; k++) {
        uint16_t *const block = row + ((uint64_t)(uint32_t)(col[k] - base) * reciprocal >> 34);
        blocks += *block != current;
        *block = current;
    }
    return blocks;
}

static uint16_t next_row(struct block_marks *m)
{
    if (++m->current == 0) {
        memset(m->row, 0, (size_t)m->columns * sizeof *m->row);
        m->current = 1;
    }
    return m->current;
}

/* Returns the number of blocks with an entry in n <= side rows from row i. */
static int64_t count_row(struct block_marks *m, const struct csr_view *v, int64_t i, int n, int side)
{
    const uint64_t reciprocal = (((uint64_t)1 << 34) + (uint64_t)side - 1) / (uint64_t)side;
    const int64_t width = m->columns * side; /* of a window */
    int64_t k[SIDE_MAX], blocks = 0, first = 0, next = 0;
    if (v->cols <= width && v->end == v->begin + 1)
        return mark(m->row, next_row(m), v->col + v->begin[i], v->end[i + n - 1] - v->begin[i], v->base, reciprocal);
    memcpy(k, v->begin + i, (size_t)n * sizeof *k);
    for (; next != INT64_MAX; first = next / side * side) {
        const uint16_t current = next_row(m);
        next = INT64_MAX;
        for (int r = 0; r < n; r++) {
            int64_t stop = v->end[i + r];
            if (stop > k[r] && v->col[stop - 1] - v->base - first >= width) {
                for (stop = k[r]; v->col[stop] - v->base - first < width;)
                    stop++;
                next = v->col[stop] - v->base < next ? v->col[stop] - v->base : next;
            }
            blocks += mark(m->row, current, v->col + k[r], stop - k[r], v->base + (int32_t)first, reciprocal);
            k[r] = stop;
        }
    }
    return blocks;
}

static int64_t entries_of(const struct csr_view *v, int64_t i, int n)
{
    int64_t entries = 0;
    for (int r = 0; r < n; r++)
        entries += v->end[i + r] - v->begin[i + r];
    return entries;
}

void block_fill_add(const struct csr_view *v, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t most,
                    struct block_marks *m, struct block_fill *f)
{
    for (int s = 0; s < BLOCK_FILLS; s++) {
        const int side = block_fill_sides[s];
        const int64_t offset = (first + shift) % side;
        int64_t entries = 0;
        for (int64_t i = first + (offset ? side - offset : 0); i < end && entries < most; i += side) {
            const int n = end - i < side ? (int)(end - i) : side;
            if (n < side && end + shift != rows)
                break;
            entries += entries_of(v, i, n);
            f->blocks[s] += count_row(m, v, i, n, side);
        }
        f->entries[s] += entries;
    }
}

void block_fill_chunk(const struct csr_view *v, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t stride,
                      struct block_marks *m, struct block_fill *f)
{
    if (first / BLOCK_FILL_CHUNK % stride == 0)
        block_fill_add(v, shift, first, end, rows, BLOCK_FILL_ENTRIES / 2, m, f);
}

void block_fill_of(const struct csr *m, struct block_fill *f)
{
    const struct csr_view v = csr_view_all(m);
    const int64_t stride = block_fill_stride(m->nnz), step = stride * BLOCK_FILL_CHUNK;
    memset(f, 0, sizeof *f);
#pragma omp parallel if (m->rows > step)
    {
        struct block_fill mine = { { 0 }, { 0 } };
        struct block_marks marks = block_marks_alloc(m->cols);
#pragma omp for schedule(dynamic)
        for (int64_t first = 0; first < m->rows; first += step) {
            const int64_t end = first + BLOCK_FILL_CHUNK;
            block_fill_chunk(&v, 0, first, end < m->rows ? end : m->rows, m->rows, stride, &marks, &mine);
        }
        free(marks.row);
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
