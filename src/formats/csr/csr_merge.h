/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-merge: the path that merges row ends with entries (Merrill and Garland, "Merge-based parallel sparse
 * matrix-vector multiplication", SC 2016), cut into equal shares. An item of the path is an entry or a row end: entry k
 * of row i is item k + i, and the end of row i is item row_ptr[i + 1] + i. There are rows + nnz items, and empty rows
 * count like entries.
 *
 * On a GPU a thread block handles a tile of `items` * `block` items. A row of at most `block` entries that a tile
 * border would cut belongs entirely to the tile where it ends. Only longer rows are cut, and their pieces have to be
 * combined. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_MERGE_H
#define SPMVCAST_FORMATS_CSR_CSR_MERGE_H
#include "formats/csr/csr.h"

#ifdef __CUDACC__
#define CSR_MERGE_BOTH static __host__ __device__ inline
#else
#define CSR_MERGE_BOTH static inline
#endif

static inline struct grid csr_merge_grid(int64_t rows, int64_t nnz, int items, int block)
{
    return grid_of((rows + nnz + items - 1) / items, block);
}

/* True if the end of the row comes before item `item`. */
CSR_MERGE_BOTH bool csr_merge_before(const int32_t *row_ptr, int64_t row, int64_t item)
{
    return row_ptr[row + 1] + row < item;
}

/* Returns the number of rows that end before item `item`, and so the index of the row that the item belongs to; `rows`
 * if item = rows + nnz. */
CSR_MERGE_BOTH int64_t csr_merge_row(const int32_t *row_ptr, int64_t rows, int64_t nnz, int64_t item)
{
    int64_t low = item > nnz ? item - nnz : 0, high = item < rows ? item : rows;

    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (csr_merge_before(row_ptr, mid, item))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Where a tile begins and the preceding one ends. row: the first row that has not ended before; ~row if that row is
 * cut there and has entries before `entry`. */
struct csr_merge_cut {
    int32_t row, entry;
};

/* Returns the cut at item `item`, which belongs to row `row` (csr_merge_row); rows of up to `whole` entries are not
 * cut. */
CSR_MERGE_BOTH struct csr_merge_cut csr_merge_cut_at(const int32_t *row_ptr, int64_t rows, int64_t nnz, int64_t row,
                                                     int64_t item, int whole)
{
    struct csr_merge_cut c = { (int32_t)row, (int32_t)(row < rows ? item - row : nnz) };

    if (row < rows && c.entry > row_ptr[row]) {
        if (row_ptr[row + 1] - row_ptr[row] <= whole)
            c.entry = row_ptr[row];
        else
            c.row = ~c.row;
    }
    return c;
}

/* Finds the tiles of `size` items that have pieces of a cut row: *first to *last. */
CSR_MERGE_BOTH void csr_merge_tiles(const int32_t *row_ptr, int64_t row, int size, int64_t *first, int64_t *last)
{
    *first = (row_ptr[row] + row) / size;
    *last = (row_ptr[row + 1] + row) / size;
}
#endif
