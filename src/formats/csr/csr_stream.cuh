/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-stream with share=entries: thread block t handles what lies between break points t and t + 1 (csr_stream.h). */
#ifndef SPMVCAST_FORMATS_CSR_CSR_STREAM_CUH
#define SPMVCAST_FORMATS_CSR_CSR_STREAM_CUH
#include "formats/csr/csr.cuh"
#include "formats/csr/csr_stream.h"

/* marks the row of a break point that lies inside the row */
static const int32_t CSR_STREAM_WITHIN = INT32_MIN;

struct csr_stream_args {
    int32_t rows;
    int32_t step; /* positions between break points */
    const int32_t *row_ptr, *col;
    const int2 *cut; /* [tiles + 1] break points: x is the row, or row | CSR_STREAM_WITHIN; y is the entry */
    bool atomic; /* true: pieces are added to y, which csr_stream_zero has zeroed; false: part and ticket are used */
    /* [tiles][2] sums of pieces: of the row that begins before the tile, and of the row that continues after it */
    void *part;
    /* [tiles] number of arrived pieces of the row that begins in the tile and continues after it; 0 between launches */
    unsigned *ticket;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* Returns the largest r <= rows with key(r) <= position (csr_stream.h). */
static __device__ __forceinline__ int32_t csr_stream_row(const int32_t *row_ptr, int32_t rows, int64_t position)
{
    int32_t low = 0, high = rows;

    while (low < high) {
        const int32_t mid = low + (high - low + 1) / 2;
        if (static_cast<int64_t>(row_ptr[mid]) + mid <= position)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Thread t of the grid finds break point t. */
static __global__ void csr_stream_cuts(const int32_t *row_ptr, int32_t rows, int32_t step, int32_t longest,
                                       int64_t tiles, int2 *cut, int *within)
{
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (t > tiles)
        return;
    const int64_t end = static_cast<int64_t>(row_ptr[rows]) + rows;
    const int64_t position = t < tiles && t * step < end ? t * step : end;
    int32_t row = csr_stream_row(row_ptr, rows, position);
    int32_t entry = row_ptr[row];
    if (row < rows && row_ptr[row + 1] - entry > longest) {
        const int64_t offset = position - entry - row;
        if (offset == row_ptr[row + 1] - entry) {
            entry = row_ptr[++row];
        } else if (offset > 0) {
            entry += static_cast<int32_t>(offset);
            row |= CSR_STREAM_WITHIN;
            *within = 1;
        }
    }
    cut[t] = make_int2(row, entry);
}

/* Zeroes y for each row that has pieces. */
template <typename T> static __global__ void csr_stream_zero(const int2 *cut, int64_t tiles, T *y)
{
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    let_next_start();
    if (t >= tiles)
        return;
    const int32_t row = __ldg(cut + t).x;
    if (row < 0)
        y[row & ~CSR_STREAM_WITHIN] = 0;
}

/* Sums product[b .. e) with each group of `threads` > 32 neighbouring threads; the result is in the first
 * thread of the group. */
template <typename T, int BLOCK>
static __device__ __forceinline__ T csr_stream_wide(const T *product, int32_t b, int32_t e, int threads, T *scratch)
{
    const int lane = static_cast<int>(threadIdx.x) % threads, warp = static_cast<int>(threadIdx.x) / WARP;
    T sum = 0;

#pragma unroll 4
    for (int32_t k = b + lane; k < e; k += threads)
        sum += product[k];
    sum = group_sum<WARP>(sum);
    if (threadIdx.x % WARP == 0)
        scratch[warp] = sum;
    __syncthreads();
    if (lane == 0)
        for (int w = 1; w < threads / WARP; w++)
            sum += scratch[warp + w];
    return sum;
}

/* Combines the pieces of row `row`: the last block to arrive adds all pieces, in a fixed order, and writes y. Called by
 * all threads of the block; `mine` in thread 0 is the piece of tile `tile`, the row's first piece if `begins`. */
template <typename T, int BLOCK>
static __device__ __forceinline__ void csr_stream_join(const csr_stream_args &a, int32_t row, int32_t tile, bool begins,
                                                       T mine, T *scratch, bool *last)
{
    const int64_t begin = __ldg(a.row_ptr + row), key = begin + row, length = __ldg(a.row_ptr + row + 1) - begin;
    const int64_t first = key / a.step, end = (key + length - 1) / a.step + 1;
    T *part = static_cast<T *>(a.part);
    T sum = 0;

    if (threadIdx.x == 0) {
        __stcg(part + 2 * static_cast<int64_t>(tile) + (begins ? 1 : 0), mine);
        __threadfence();
        *last = atomicAdd(a.ticket + first, 1u) == static_cast<unsigned>(end - first - 1);
        __threadfence();
    }
    __syncthreads();
    if (!*last)
        return;
    for (int64_t t = first + threadIdx.x; t < end; t += BLOCK)
        sum += __ldcg(part + 2 * t + (t == first ? 1 : 0));
    sum = block_sum<BLOCK>(sum, scratch);
    if (threadIdx.x == 0) {
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
        a.ticket[first] = 0;
    }
}

/* Reads each entry and row pointer once: with values of s bytes, it moves nnz (4 + s) + 4 rows bytes, 8 bytes per tile,
 * x and y. */
template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) csr_spmv_stream(const csr_stream_args a)
{
    __shared__ T product[BLOCK * ITEMS];
    __shared__ T scratch[WARP];
    __shared__ T piece[2]; /* sums: of the row that begins before the tile, and of the row that continues after it */
    __shared__ bool last;
    const int32_t tile = static_cast<int32_t>(blockIdx.x);
    int2 from = __ldg(a.cut + tile), to = __ldg(a.cut + tile + 1);
    const bool begun = from.x < 0, goes_on = to.x < 0;
    const int32_t n = to.y - from.y;
    csr_args entries = {};

    from.x &= ~CSR_STREAM_WITHIN;
    to.x &= ~CSR_STREAM_WITHIN;
    if (from.x == to.x && n == 0)
        return;
    entries.col = a.col;
    entries.val = a.val;
    entries.policy = a.policy;
    entries.x = a.x;
    const int count = to.x - from.x + (goes_on ? 1 : 0);
    /* Threads per row: a power of two, so that all rows are processed at once if there are fewer rows than threads. */
    const int threads = count >= BLOCK ? 1 : BLOCK >> (32 - __clz(count - 1));
    const int group = static_cast<int>(threadIdx.x) / threads;
    int32_t b = 0, e = 0;

    if (group < count) {
        b = max(__ldg(a.row_ptr + from.x + group) - from.y, 0);
        e = min(__ldg(a.row_ptr + from.x + group + 1) - from.y, n);
    }
    if (n <= BLOCK * ITEMS / 2)
        csr_products<T, BLOCK, ITEMS / 2>(entries, from.y, n, product);
    else
        csr_products<T, BLOCK, ITEMS>(entries, from.y, n, product);
    __syncthreads();
    for (int first = 0;; first += BLOCK) {
        T sum;

        if (threads > WARP) {
            sum = csr_stream_wide<T, BLOCK>(product, b, e, threads, scratch);
        } else {
            sum = csr_gather_products(product, b, e, threads, T(0));
            sum = group_sum(sum, threads);
        }
        if (static_cast<int>(threadIdx.x) % threads == 0 && first + group < count) {
            const int32_t row = first + group;
            if (row == 0 && begun)
                piece[0] = sum;
            else if (row == count - 1 && goes_on)
                piece[1] = sum;
            else
                store_y(static_cast<T *>(a.y) + from.x + row, sum, a.add);
        }
        if (first + BLOCK >= count)
            break;
        b = e = 0;
        if (first + BLOCK + group < count) { /* only if each thread has its own row (threads = 1) */
            b = max(__ldg(a.row_ptr + from.x + first + BLOCK + group) - from.y, 0);
            e = min(__ldg(a.row_ptr + from.x + first + BLOCK + group + 1) - from.y, n);
        }
    }
    if (!begun && !goes_on)
        return;
    __syncthreads();
    if (a.atomic) {
        T *y = static_cast<T *>(a.y);
        wait_for_previous();
        if (threadIdx.x == 0 && begun)
            atomicAdd(y + from.x, piece[0]);
        if (threadIdx.x == 0 && goes_on && !(begun && count == 1))
            atomicAdd(y + to.x, piece[1]);
        return;
    }
    if (begun)
        csr_stream_join<T, BLOCK>(a, from.x, tile, false, piece[0], scratch, &last);
    if (goes_on && !(begun && count == 1)) {
        __syncthreads();
        csr_stream_join<T, BLOCK>(a, to.x, tile, true, piece[1], scratch, &last);
    }
}
#endif
