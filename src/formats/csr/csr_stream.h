/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-stream: how rows are distributed to thread blocks.
 *
 * share=rows: a block has csr_stream_rows() neighbouring rows. share=entries: the merged list of entries and row
 * ends, where row r begins at position key(r) = row_ptr[r] + r, is cut every csr_stream_step() positions. A cut
 * inside a row of at most csr_stream_long() entries moves to the start of the row; a cut inside a longer row stays,
 * so such a row has pieces in several blocks. A block then has at most block * items entries and at most as many
 * rows. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_STREAM_H
#define SPMVCAST_FORMATS_CSR_CSR_STREAM_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the maximum length of a row that is not cut. */
static inline int64_t csr_stream_long(int block, int items) { return (int64_t)block * items / 4; }
static inline int64_t csr_stream_step(int block, int items)
{
    return (int64_t)block * items - csr_stream_long(block, items);
}
static inline int64_t csr_stream_tiles(int64_t rows, int64_t nnz, int block, int items)
{
    const int64_t step = csr_stream_step(block, items), n = (rows + nnz + step - 1) / step;
    return n > 0 ? n : 1;
}

/* share=rows: returns the rows per block, a power of two up to `block` chosen for about items - 1 entries per
 * thread. */
static inline int csr_stream_rows(int64_t rows, int64_t nnz, int block, int items)
{
    const int64_t wanted = nnz > 0 ? (int64_t)(items > 1 ? items - 1 : 1) * block * rows / nnz : block;
    int n = 1;
    while (2 * n <= block && 2 * n <= wanted)
        n *= 2;
    return n;
}

static inline struct grid csr_stream_grid(int64_t rows, int64_t nnz, int by_rows, int block, int items)
{
    const int n = csr_stream_rows(rows, nnz, block, items);
    return grid_of((by_rows ? (rows + n - 1) / n : csr_stream_tiles(rows, nnz, block, items)) * block, block);
}
#ifdef __cplusplus
}
#endif
#endif
