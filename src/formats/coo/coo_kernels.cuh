/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from coordinates sorted by row, of coo and coo-packed. Moves at least nnz (8 + s) + s (touched x + 2 rows) bytes, fewer
 * with packed values.
 *
 * Warp w of the grid handles the 32 ITEMS entries from 32 ITEMS w on, 32 neighbouring entries per step. A segment (the
 * entries of one row) is summed by a segmented scan over the warp (Bell and Garland 2009); open segments continue in
 * the next step. A segment that starts and ends inside the warp's entries belongs to this warp alone and is written.
 * The first and the last segment may continue in other warps:
 *   atomic      the sums of both are added to y atomically (y is zeroed beforehand);
 *   segmented   a thread block adds up the first and last segments of its warps in order and writes them, except a
 *               segment that started in an earlier block: its sum goes to a table of carries, which a second kernel
 *               adds in order. The result has the same bits each time. */
#ifndef SPMVCAST_FORMATS_COO_COO_KERNELS_CUH
#define SPMVCAST_FORMATS_COO_COO_KERNELS_CUH
#include <climits>
#include "device/cuda_kernels.cuh"
#include "formats/values.cuh"

enum { COO_BLOCK_MAX = 512, COO_NO_ROW = INT_MAX, COO_BATCH = 4 };

struct coo_args {
    int64_t nnz;
    const int32_t *row, *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
    int32_t *carry_row; /* [blocks], -1: no carry; segmented only */
    void *carry_sum;    /* [blocks] */
    const void *table;  /* of packed values */
};

/* Returns the sum over the lanes of the same row up to this one; rows ascend over the warp. *ends: the next lane has
 * a different row. */
template <typename T> static __device__ __forceinline__ T coo_scan(int32_t row, T sum, int lane, bool *ends)
{
    const int32_t before = __shfl_up_sync(0xffffffffu, row, 1);
    const unsigned heads = __ballot_sync(0xffffffffu, lane == 0 || before != row);
    /* distance from the first lane of the segment */
    const int back = lane - (31 - __clz(static_cast<int>(heads & (0xffffffffu >> (31 - lane)))));

#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(d));
        if (back >= d)
            sum += other;
    }
    *ends = lane < WARP - 1 && (heads >> (lane + 1) & 1u);
    return sum;
}

/* Calls first(row, sum) for the warp's first segment and whole(row, sum) for each further one, if the segment ends
 * before the warp's last entry. In all 32 threads, *row and *sum get the segment that is open at the end (COO_NO_ROW:
 * none). */
template <typename T, int ITEMS, int AS, typename FIRST, typename WHOLE>
static __device__ __forceinline__ void coo_warp(const coo_args &a, int64_t begin, int32_t first_row, FIRST first,
                                                WHOLE whole, int32_t *row, T *sum)
{
    constexpr int BATCH = ITEMS < COO_BATCH ? ITEMS : COO_BATCH;
    using raw = typename value_reader<T, AS>::raw;
    const T *x = static_cast<const T *>(a.x);
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    int32_t open_row = first_row;
    T open = 0;

    for (int item = 0; item < ITEMS; item += BATCH) {
        const value_reader<T, AS> values(a.val, a.table, begin + item * WARP + lane, a.policy);
        int32_t r[BATCH], c[BATCH];
        raw packed[BATCH];
        T p[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            const int64_t e = begin + (item + i) * WARP + lane;
            r[i] = e < a.nnz ? load_once(a.row + e, a.policy) : COO_NO_ROW;
            c[i] = e < a.nnz ? load_once(a.col + e, a.policy) : -1;
            if constexpr (AS == AS_FULL)
                packed[i] = e < a.nnz ? load_once(static_cast<const T *>(a.val) + e, a.policy) : raw(0);
            else
                packed[i] = e < a.nnz ? values.load(static_cast<uint64_t>(i) * WARP) : raw(0);
        }
        if constexpr (AS != AS_FULL)
            __syncwarp(); /* keeps all loads before the first wait */
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            p[i] = AS == AS_FULL ? static_cast<T>(packed[i]) : T(0);
            if (c[i] >= 0)
                p[i] = values.value(packed[i]) * __ldg(x + c[i]);
        }
        if (item == 0)
            wait_for_previous(); /* until y is zeroed; ptxas moves it to the begin of the kernel, at no loss */
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            bool ends;
            const bool leaves = lane == 0 && r[i] != open_row;
            T s = p[i];
            if (lane == 0 && !leaves)
                s += open;
            if (leaves) {
                if (open_row == first_row)
                    first(open_row, open);
                else
                    whole(open_row, open);
            }
            s = coo_scan(r[i], s, lane, &ends);
            if (ends) {
                if (r[i] == first_row)
                    first(r[i], s);
                else
                    whole(r[i], s);
            }
            open_row = __shfl_sync(0xffffffffu, r[i], WARP - 1);
            open = __shfl_sync(0xffffffffu, s, WARP - 1);
        }
    }
    *row = open_row;
    *sum = open;
}

template <typename T, int ITEMS, int AS>
__global__ void __launch_bounds__(COO_BLOCK_MAX) coo_spmv_atomic(const coo_args a)
{
    T *y = static_cast<T *>(a.y);
    const bool add = a.add;
    const int64_t begin = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP * (WARP * ITEMS);
    const auto shared = [y](int32_t r, T s) { atomicAdd(y + r, s); };
    const auto whole = [y, add](int32_t r, T s) { store_y(y + r, s, add); };
    int32_t row;
    T sum;

    if (begin >= a.nnz)
        return;
    coo_warp<T, ITEMS, AS>(a, begin, __ldg(a.row + begin), shared, whole, &row, &sum);
    if (threadIdx.x % WARP == 0 && row != COO_NO_ROW)
        shared(row, sum);
}

template <typename T, int ITEMS, int AS>
__global__ void __launch_bounds__(COO_BLOCK_MAX) coo_spmv_segmented(const coo_args a)
{
    __shared__ int32_t rows[WARP]; /* rows of the first and last segment of each warp, in order: up to 16 warps */
    __shared__ T sums[WARP];
    T *y = static_cast<T *>(a.y);
    const bool add = a.add;
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;
    const int64_t block_begin = static_cast<int64_t>(blockIdx.x) * blockDim.x * ITEMS,
                  begin = block_begin + warp * (WARP * ITEMS);
    const int32_t first_row = begin < a.nnz ? __ldg(a.row + begin) : COO_NO_ROW;
    T *slot = sums + 2 * warp;
    const auto whole = [y, add](int32_t r, T s) { store_y(y + r, s, add); };
    const auto first = [slot](int32_t, T s) { *slot = s; };
    int32_t row = COO_NO_ROW;
    T sum = 0;

    let_next_start();
    if (threadIdx.x < WARP)
        rows[threadIdx.x] = COO_NO_ROW;
    __syncthreads();
    if (begin < a.nnz)
        coo_warp<T, ITEMS, AS>(a, begin, first_row, first, whole, &row, &sum);
    if (lane == 0 && first_row != COO_NO_ROW) {
        rows[2 * warp] = first_row;
        rows[2 * warp + 1] = row;
        if (row == first_row)
            *slot = sum; /* one segment spans all of the warp's entries */
        slot[1] = row == first_row ? T(0) : sum;
    }
    __syncthreads();
    if (warp > 0)
        return;
    row = rows[lane];
    bool ends;
    sum = coo_scan(row, row != COO_NO_ROW ? sums[lane] : T(0), lane, &ends);
    const bool continued = blockIdx.x > 0 && first_row != COO_NO_ROW && __ldg(a.row + block_begin - 1) == first_row;
    if (lane == 0)
        a.carry_row[blockIdx.x] = continued ? first_row : -1;
    if (row == COO_NO_ROW || (lane < WARP - 1 && !ends))
        return;
    if (continued && row == first_row)
        static_cast<T *>(a.carry_sum)[blockIdx.x] = sum;
    else
        whole(row, sum);
}

/* If carry b is the first of its row, warp b of the grid adds all carries of this row to y, in a fixed order. */
template <typename T> __global__ void __launch_bounds__(COO_BLOCK_MAX) coo_spmv_carry(const coo_args a, int64_t carries)
{
    const T *sums = static_cast<const T *>(a.carry_sum);
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    T sum = 0;

    wait_for_previous();
    if (first == 0 || first >= carries)
        return;
    const int32_t row = a.carry_row[first];
    if (row < 0 || a.carry_row[first - 1] == row)
        return;
    for (int64_t at = first + lane; at < carries && a.carry_row[at] == row; at += WARP)
        sum += sums[at];
    sum = group_sum<WARP>(sum);
    if (lane == 0)
        static_cast<T *>(a.y)[row] += sum;
}
#endif
