/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from CSR by the merge path (csr_merge.h), in one launch. With values of s bytes, it moves at least
 * nnz (4 + s) + 4 (rows + 1) + s (rows + touched x) bytes, and 16 per tile of ITEMS * BLOCK items. The order of every
 * sum is fixed, so the bits are the same each time.
 *
 * Thread block b handles tile b. It reads its entries as one run. Products and row ends go through shared memory,
 * where each thread walks an equal share of the path; a segmented scan over the block carries open rows from thread
 * to thread. A row cut by tiles is longer than BLOCK: each of its tiles leaves a piece, and the last block to arrive
 * adds all pieces in a fixed order. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_MERGE_CUH
#define SPMVCAST_FORMATS_CSR_CSR_MERGE_CUH
#include <climits>
#include "formats/csr/csr.cuh"
#include "formats/csr/csr_merge.h"

struct merge_args : csr_args {
    int32_t nnz;
    int64_t tiles;
    struct csr_merge_cut *cuts; /* [tiles + 1]; NULL: each block searches its two cuts */
    /* [2 tiles]: [t] is the piece of the cut row that tile t leaves open, [tiles + t] that of the cut row that it
     * ends */
    void *pieces;
    /* [tiles]: how many tiles have left their piece of the cut row that begins in tile t; 0 between launches */
    unsigned *arrived;
    struct device *device; /* used by the host only */
};

template <typename T> struct merge_shared {
    T scratch[WARP], tail[WARP], open; /* tail: open sum of each warp */
    bool closes[WARP];                 /* true if a row ends in the warp's share */
    struct csr_merge_cut cut[2];
};

/* Thread t of the grid finds cut t. */
static __global__ void __launch_bounds__(256) csr_merge_cuts(const merge_args a, int size, int whole)
{
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                  path = static_cast<int64_t>(a.rows) + a.nnz;

    if (t > a.tiles)
        return;
    const int64_t item = min(t * size, path);
    a.cuts[t] = csr_merge_cut_at(a.row_ptr, a.rows, a.nnz, csr_merge_row(a.row_ptr, a.rows, a.nnz, item), item, whole);
}

/* Returns the same as csr_merge_row. A whole warp searches, with 32 probes per step. */
static __device__ __forceinline__ int64_t merge_row_by_warp(const merge_args &a, int64_t item)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    int64_t low = item > a.nnz ? item - a.nnz : 0, high = item < a.rows ? item : a.rows;

    while (low < high) {
        const int64_t step = (high - low + WARP - 1) / WARP, probe = low + (lane + 1) * step - 1;
        const bool before = probe < high && csr_merge_before(a.row_ptr, probe, item);
        const int n = __popc(__ballot_sync(0xffffffffu, before));
        low += n * step;
        if (n < WARP)
            high = min(high, low + step - 1);
        low = min(low, high);
    }
    return low;
}

/* Finds the two cuts of the block, one warp each. */
template <typename T, int BLOCK, int ITEMS>
static __device__ __forceinline__ void merge_own_cuts(const merge_args &a, merge_shared<T> *s)
{
    const int warp = static_cast<int>(threadIdx.x) / WARP;
    const int64_t path = static_cast<int64_t>(a.rows) + a.nnz,
                  item = min((static_cast<int64_t>(blockIdx.x) + warp) * (BLOCK * ITEMS), path);

    if (warp < 2) {
        const int64_t row = merge_row_by_warp(a, item);
        if (threadIdx.x % WARP == 0)
            s->cut[warp] = csr_merge_cut_at(a.row_ptr, a.rows, a.nnz, row, item, BLOCK);
    }
    __syncthreads();
}

/* Stores the products of n <= COUNT * BLOCK entries from `first` on in shared memory, at most 8 entries per thread
 * at once. */
template <typename T, int BLOCK, int COUNT>
static __device__ __forceinline__ void merge_products(const merge_args &a, int32_t first, int32_t n, T *product)
{
    constexpr int TURNS = (COUNT + 7) / 8, BATCH = (COUNT + TURNS - 1) / TURNS;

    for (int at = 0; at < n; at += BATCH * BLOCK)
        csr_products<T, BLOCK, BATCH>(a, first + at, n - at, product + at);
}

/* Stores this tile's piece of a cut row in *slot. The last block to arrive adds all pieces, in a fixed order, and
 * writes y. Called by all threads of the block; `piece` is that of thread 0. */
template <typename T, int BLOCK>
static __device__ __forceinline__ void merge_arrive(const merge_args &a, int32_t row, int size, T *slot, T piece,
                                                    T *scratch)
{
    const T *open = static_cast<const T *>(a.pieces), *ended = open + a.tiles;
    int64_t first, last;
    bool adds = false;
    T sum = 0;

    csr_merge_tiles(a.row_ptr, row, size, &first, &last);
    if (threadIdx.x == 0) {
        *slot = piece;
        __threadfence();
        adds = atomicAdd(a.arrived + first, 1u) == static_cast<unsigned>(last - first);
        if (adds)
            a.arrived[first] = 0;
        __threadfence();
    }
    if (!__syncthreads_or(adds))
        return;
    for (int64_t t = first + threadIdx.x; t <= last; t += BLOCK)
        sum += __ldcg(t < last ? open + t : ended + last);
    sum = block_sum<BLOCK>(sum, scratch);
    if (threadIdx.x == 0)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}

/* Returns the sum that the preceding threads have of the row that is open where this thread begins: an exclusive scan
 * over the block, segmented by the threads that `closed` a row. The last thread stores the sum of the row that is open
 * at the end of the block in s->open. */
template <typename T, int BLOCK> static __device__ __forceinline__ T merge_scan(T open, bool closed, merge_shared<T> *s)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;
    const unsigned closers = __ballot_sync(0xffffffffu, closed), below = (1u << lane) - 1;
    const unsigned upto = closers & (below | 1u << lane);
    /* open sums of the lanes before this one belong to rows that have ended */
    const int head = upto ? WARP - 1 - __clz(static_cast<int>(upto)) : 0;
    T carry = 0;

#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, open, static_cast<unsigned>(d));
        if (lane - d >= head)
            open += other;
    }
    if (lane == WARP - 1) {
        s->tail[warp] = open;
        s->closes[warp] = closers != 0;
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < BLOCK / WARP - 1; w++)
        if (w < warp)
            carry = s->closes[w] ? s->tail[w] : carry + s->tail[w];
    const T before = __shfl_up_sync(0xffffffffu, open, 1u);
    if (threadIdx.x == BLOCK - 1)
        s->open = closers ? open : carry + open;
    if (lane == 0)
        return carry;
    return closers & below ? before : carry + before;
}

/* Processes a thread's share of a tile of `rows` row ends and n entries: the sums of rows that end in the share go to
 * sum[], the part of the row that continues after it to *open. Returns true if a row ends in the share; *first is the
 * first such row, whose sum lacks the parts of preceding threads. */
template <typename T, int BLOCK>
static __device__ __forceinline__ bool merge_walk(const T *product, const int32_t *ends, int rows, int n, T *sum,
                                                  int *first, T *open)
{
    const int share = ((rows + n + BLOCK - 1) / BLOCK) | 1; /* odd: avoids bank conflicts within a warp */
    int item = min(static_cast<int>(threadIdx.x) * share, rows + n);
    const int stop = min(item + share, rows + n);
    int row = max(0, item - n), high = min(item, rows);
    bool closed = false;
    T part = 0;

    while (row < high) {
        const int mid = (row + high) / 2;
        if (ends[mid] + mid < item)
            row = mid + 1;
        else
            high = mid;
    }
    *first = row;
    int32_t end = ends[row];
    for (int k = item - row; item < stop; item++) {
        if (k < end) {
            part += product[k++];
        } else {
            sum[row] = part;
            part = 0;
            closed = true;
            end = ends[++row];
        }
    }
    *open = part;
    return closed;
}

template <typename T, int BLOCK, int ITEMS> __global__ void __launch_bounds__(BLOCK) csr_spmv_merge(const merge_args a)
{
    constexpr int SIZE = BLOCK * ITEMS;
    __shared__ merge_shared<T> s;
    /* n <= SIZE + BLOCK - rows products, rows <= SIZE sums, rows + 1 row ends */
    alignas(16) __shared__ unsigned char memory[(SIZE + BLOCK) * sizeof(T) + (SIZE + 4) * sizeof(int32_t)];
    const int64_t tile = blockIdx.x;
    T *const pieces = static_cast<T *>(a.pieces), *const y = static_cast<T *>(a.y);

    if (!a.cuts)
        merge_own_cuts<T, BLOCK, ITEMS>(a, &s);
    const struct csr_merge_cut low = a.cuts ? a.cuts[tile] : s.cut[0], high = a.cuts ? a.cuts[tile + 1] : s.cut[1];
    const bool enters = low.row < 0, leaves = high.row < 0; /* the tile begins, or ends, inside a row that is cut */
    const int32_t row = enters ? ~low.row : low.row, next = leaves ? ~high.row : high.row;
    const int rows = next - row, n = high.entry - low.entry;
    T *const product = reinterpret_cast<T *>(memory), *const sum = product + n;
    int32_t *const ends = reinterpret_cast<int32_t *>(sum + rows);
    const int thread = static_cast<int>(threadIdx.x);
    T open;
    int first;

    if (rows == 0) { /* all entries belong to one row, or the matrix is empty */
        if (n == 0)
            return;
        const T total = csr_span<T, BLOCK>(a, low.entry, n, s.scratch);
        merge_arrive<T, BLOCK>(a, row, SIZE, pieces + tile, total, s.scratch);
        return;
    }
    const int32_t my_end = thread < rows ? __ldg(a.row_ptr + row + 1 + thread) - low.entry : INT_MAX;
    merge_products<T, BLOCK, ITEMS + 1>(a, low.entry, n, product);
    if (thread <= rows)
        ends[thread] = my_end;
    for (int i = thread + BLOCK; i <= rows; i += BLOCK)
        ends[i] = i < rows ? __ldg(a.row_ptr + row + 1 + i) - low.entry : INT_MAX;
    __syncthreads();
    const bool closed = merge_walk<T, BLOCK>(product, ends, rows, n, sum, &first, &open);
    const T before = merge_scan<T, BLOCK>(open, closed, &s);
    if (closed)
        sum[first] = before + sum[first];
    __syncthreads();
    for (int i = thread; i < rows; i += BLOCK)
        if (i > 0 || !enters)
            store_y(y + row + i, sum[i], a.add);
    if (enters)
        merge_arrive<T, BLOCK>(a, row, SIZE, pieces + a.tiles + tile, sum[0], s.scratch);
    if (leaves)
        merge_arrive<T, BLOCK>(a, next, SIZE, pieces + tile, s.open, s.scratch);
}
#endif
