/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from CSR with 32-bit offsets. With values of s bytes, each kernel moves at least
 * nnz (4 + s) + 4 (rows + 1) + s (rows + touched x) bytes.
 * The order of every sum depends on the matrix and the configuration alone, so the bits are the same each time. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_CUH
#define SPMVCAST_FORMATS_CSR_CSR_CUH
#include "device/cuda_kernels.cuh"
#include "formats/csr/csr.h"

struct csr_args {
    int32_t rows, group_rows; /* csr-scalar: group_rows unused */
    const int32_t *row_ptr, *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

enum { CSR_BLOCK_MAX = 512, CSR_BLOCK_ITEMS = 8 }; /* csr-block: entries per thread and tile */

/* Thread t of the grid handles row t. */
template <typename T> __global__ void __launch_bounds__(CSR_BLOCK_MAX) csr_spmv_scalar(const csr_args a)
{
    const T *val = static_cast<const T *>(a.val), *x = static_cast<const T *>(a.x);
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T sum = 0;

    if (row >= a.rows)
        return;
    const int32_t end = __ldg(a.row_ptr + row + 1);
#pragma unroll 4
    for (int32_t k = __ldg(a.row_ptr + row); k < end; k++)
        sum += __ldg(val + k) * __ldg(x + __ldg(a.col + k));
    store_y(static_cast<T *>(a.y) + row, sum, a.add);
}

/* Loads an entry for one of several neighbouring threads. Few threads leave most of a sector to their later steps: PLAIN loads find it in
 * L1 then, and it is not the first to go from the L2. */
template <bool PLAIN, typename V> static __device__ __forceinline__ V load_entry(const V *p, uint64_t policy)
{
    if constexpr (PLAIN)
        return __ldg(p);
    else
        return load_once(p, policy);
}

/* Group g of LANES neighbouring threads handles the group_rows rows from g * group_rows on, CHUNK of them at once. Per
 * turn, a thread takes STEPS entries of each of these, so CHUNK * STEPS independent loads are in flight. */
template <typename T, int LANES, int CHUNK>
__global__ void __launch_bounds__(CSR_BLOCK_MAX) csr_spmv_vector(const csr_args a)
{
    constexpr int STEPS = 4 / CHUNK, LOADS = CHUNK * STEPS;
    /* In f64, with several rows at once, the compiler takes 12 more registers for plain loads, which costs more than these gain. */
    constexpr bool PLAIN = LANES < CSR_LANES_TAKE_SECTOR && (CHUNK == 1 || sizeof(T) == sizeof(float));
    const T *val = static_cast<const T *>(a.val), *x = static_cast<const T *>(a.x);
    const int64_t group = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const uint32_t lane = threadIdx.x % LANES;

    for (int j = 0; j < a.group_rows; j += CHUNK) {
        const int64_t row = group * a.group_rows + j;
        int32_t begin[CHUNK + 1];
        uint32_t longest = 0;
        T sum[CHUNK] = {};

#pragma unroll
        for (int c = 0; c <= CHUNK; c++)
            begin[c] = __ldg(a.row_ptr + (row + c < a.rows ? row + c : a.rows));
#pragma unroll
        for (int c = 0; c < CHUNK; c++)
            longest = max(longest, static_cast<uint32_t>(begin[c + 1] - begin[c]));
        for (uint32_t at = lane; at < longest; at += STEPS * LANES) {
            int32_t col[LOADS];
            T v[LOADS], xs[LOADS];
#pragma unroll
            for (int i = 0; i < LOADS; i++) {
                const int c = i / STEPS;
                const uint32_t e = at + static_cast<uint32_t>(i % STEPS * LANES);
                const bool mine = e < static_cast<uint32_t>(begin[c + 1] - begin[c]);
                col[i] = mine ? load_entry<PLAIN>(a.col + begin[c] + e, a.policy) : -1;
                v[i] = mine ? load_entry<PLAIN>(val + begin[c] + e, a.policy) : T(0);
            }
#pragma unroll
            for (int i = 0; i < LOADS; i++)
                xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
            for (int i = 0; i < LOADS; i++)
                sum[i / STEPS] += v[i] * xs[i];
        }
#pragma unroll
        for (int c = 0; c < CHUNK; c++) {
            const T total = group_sum<LANES>(sum[c]);
            if (lane == 0 && row + c < a.rows)
                store_y(static_cast<T *>(a.y) + row + c, total, a.add);
        }
    }
}

/* Stores the products of n <= ITEMS * BLOCK entries from `first` on in shared memory. */
template <typename T, int BLOCK, int ITEMS>
static __device__ __forceinline__ void csr_products(const csr_args &a, int32_t first, int32_t n, T *product)
{
    const T *val = static_cast<const T *>(a.val) + first, *x = static_cast<const T *>(a.x);
    const int32_t *from = a.col + first;
    int32_t col[ITEMS];
    T v[ITEMS];

#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int32_t e = static_cast<int32_t>(threadIdx.x) + i * BLOCK;
        col[i] = e < n ? load_once(from + e, a.policy) : -1;
        v[i] = e < n ? load_once(val + e, a.policy) : T(0);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (col[i] >= 0)
            v[i] *= __ldg(x + col[i]);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (col[i] >= 0)
            product[static_cast<int>(threadIdx.x) + i * BLOCK] = v[i];
}

/* Sums n entries from `first` on with the whole block; the result is in thread 0. */
template <typename T, int BLOCK>
static __device__ __forceinline__ T csr_span(const csr_args &a, int32_t first, int32_t n, T *scratch)
{
    constexpr int STEPS = 4;
    const T *val = static_cast<const T *>(a.val) + first, *x = static_cast<const T *>(a.x);
    const int32_t *from = a.col + first;
    T sum = 0;

    for (uint32_t at = threadIdx.x; at < static_cast<uint32_t>(n); at += STEPS * BLOCK) {
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const uint32_t e = at + static_cast<uint32_t>(i * BLOCK);
            col[i] = e < static_cast<uint32_t>(n) ? load_once(from + e, a.policy) : -1;
            v[i] = e < static_cast<uint32_t>(n) ? load_once(val + e, a.policy) : T(0);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
    }
    return block_sum<BLOCK>(sum, scratch);
}

/* Each group of `lanes` threads sums its piece product[b .. e); returns `sum` plus the calling thread's share of that.
 * Pieces that are long for their group are summed by the whole warp, one after another, if that takes fewer steps (one
 * such sum costs about as much as COOPERATION steps of all groups together). */
template <typename T>
static __device__ __forceinline__ T csr_gather_products(const T *product, int32_t b, int32_t e, int lanes, T sum)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    constexpr int COOPERATION = 8;
    const int steps = e > b ? (e - b + lanes - 1) / lanes : 0;
    bool big = lanes < WARP && steps > 2 * COOPERATION;
    unsigned waiting = __ballot_sync(0xffffffffu, big && lane % lanes == 0);
    if (waiting && __reduce_max_sync(0xffffffffu, steps) <= COOPERATION * __popc(waiting)) {
        big = false;
        waiting = 0;
    }

    for (; waiting; waiting &= waiting - 1) {
        const int source = __ffs(static_cast<int>(waiting)) - 1;
        const int32_t from = __shfl_sync(0xffffffffu, b, source), to = __shfl_sync(0xffffffffu, e, source);
        T part = 0;
        for (int32_t k = from + lane; k < to; k += WARP)
            part += product[k];
        part = __shfl_sync(0xffffffffu, group_sum<WARP>(part), 0);
        if (lane == source)
            sum += part;
    }
    if (!big) {
#pragma unroll 4
        for (int32_t k = b + lane % lanes; k < e; k += lanes)
            sum += product[k];
    }
    return sum;
}

/* Thread block b handles the group_rows rows (csr_block_rows) from b * group_rows on. Their entries are read as one
 * coalesced run, tile by tile. Products go through shared memory, where block / group_rows (at most 32) threads sum
 * a row. A row that extends more than half a tile past a tile's start is summed by the whole block, from registers. */
template <typename T, int BLOCK, int ITEMS = CSR_BLOCK_ITEMS>
__global__ void __launch_bounds__(BLOCK) csr_spmv_block(const csr_args a)
{
    constexpr int TILE = BLOCK * ITEMS;
    __shared__ T product[TILE];
    __shared__ T scratch[WARP];
    __shared__ T span_sum;
    __shared__ int32_t span_end;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * a.group_rows;
    const int count = static_cast<int>(min(static_cast<int64_t>(a.group_rows), a.rows - first));
    const int lanes = min(static_cast<int>(WARP), BLOCK / a.group_rows);
    const int group = static_cast<int>(threadIdx.x) / lanes;
    const bool leads = static_cast<int>(threadIdx.x) % lanes == 0 && group < count;

    if (count <= 0)
        return; /* an empty matrix */
    const int32_t low = __ldg(a.row_ptr + first), high = __ldg(a.row_ptr + first + count);
    const int32_t begin = group < count ? __ldg(a.row_ptr + first + group) : high;
    const int32_t end = group < count ? __ldg(a.row_ptr + first + group + 1) : high;
    T sum = 0;

    for (int32_t at = low; at < high;) {
        int32_t n = high - at;
        if (high - low > TILE) {
            const bool spans = leads && begin <= at && end > at && end - at > TILE / 2;
            if (__syncthreads_or(spans)) { /* also waits until all threads are done with the previous tile */
                if (spans)
                    span_end = end;
                __syncthreads();
                const int32_t to = span_end;
                const T total = csr_span<T, BLOCK>(a, at, to - at, scratch);
                if (threadIdx.x == 0)
                    span_sum = total;
                __syncthreads();
                if (spans)
                    sum += span_sum;
                at = to;
                continue;
            }
            n = min(n, TILE);
        }
        if (n <= TILE / 2)
            csr_products<T, BLOCK, ITEMS / 2>(a, at, n, product);
        else
            csr_products<T, BLOCK, ITEMS>(a, at, n, product);
        __syncthreads();
        sum = csr_gather_products(product, max(begin, at) - at, min(end - at, n), lanes, sum);
        at += n;
    }
    sum = group_sum(sum, lanes);
    if (leads)
        store_y(static_cast<T *>(a.y) + first + group, sum, a.add);
}
#endif
