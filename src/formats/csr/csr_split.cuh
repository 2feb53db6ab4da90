/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split on a CUDA device. It moves what csr-vector moves and 16 bytes per piece. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_SPLIT_CUH
#define SPMVCAST_FORMATS_CSR_CSR_SPLIT_CUH
#include "formats/csr/csr.cuh"
#include "formats/csr/csr_split.h"

struct csr_split_args {
    int32_t rows, cut, piece_size;
    int32_t pieces, piece_blocks;
    const int32_t *row_ptr, *col;
    const int4 *piece; /* [pieces], as in struct row_pieces */
    void *part;        /* [pieces] sums of the pieces */
    /* [pieces] at the first piece of a row: number of its pieces that have arrived; 0 between launches */
    unsigned *ticket;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* Sums a thread's share of entries begin .. end: entry `first` and every stride-th after it, STEPS loads in flight. LANES:
 * neighbouring threads that take them. */
template <typename T, int STEPS, int LANES = WARP>
static __device__ __forceinline__ T csr_split_share(const csr_split_args &a, int32_t begin, int32_t end, uint32_t first,
                                                    uint32_t stride)
{
    constexpr bool PLAIN = LANES < CSR_LANES_TAKE_SECTOR;
    const T *val = static_cast<const T *>(a.val) + begin, *x = static_cast<const T *>(a.x);
    const int32_t *from = a.col + begin;
    const uint32_t n = static_cast<uint32_t>(end - begin);
    T sum = 0;

    for (uint32_t at = first; at < n; at += STEPS * stride) {
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const uint32_t e = at + static_cast<uint32_t>(i) * stride;
            col[i] = e < n ? load_entry<PLAIN>(from + e, a.policy) : -1;
            v[i] = e < n ? load_entry<PLAIN>(val + e, a.policy) : T(0);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
    }
    return sum;
}

/* Sums entries begin .. end with LANES neighbouring threads; the result is in the first of them. */
template <typename T, int LANES, int STEPS>
static __device__ __forceinline__ T csr_split_sum(const csr_split_args &a, int32_t begin, int32_t end)
{
    return group_sum<LANES>(csr_split_share<T, STEPS, LANES>(a, begin, end, threadIdx.x % LANES, LANES));
}

/* Sums entries begin .. end with a thread block. Returns true in the first warp, whose first thread has the sum. */
template <typename T>
static __device__ __forceinline__ bool csr_split_block_sum(const csr_split_args &a, int32_t begin, int32_t end, T *sum)
{
    __shared__ T scratch[CSR_BLOCK_MAX / WARP];
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;

    *sum = group_sum<WARP>(csr_split_share<T, 4>(a, begin, end, threadIdx.x, blockDim.x));
    if (lane == 0)
        scratch[warp] = *sum;
    __syncthreads();
    if (warp > 0)
        return false;
    *sum = group_sum<WARP>(lane < static_cast<int>(blockDim.x) / WARP ? scratch[lane] : T(0));
    return true;
}

/* Processes piece w. The warp that finishes the last piece of a row adds all its pieces, in a fixed order. */
template <typename T, bool BY_BLOCK>
static __device__ __forceinline__ void csr_split_take_piece(const csr_split_args &a, int32_t w)
{
    const int4 p = __ldg(a.piece + w);
    const int32_t count = (__ldg(a.row_ptr + p.x + 1) - __ldg(a.row_ptr + p.x) + a.piece_size - 1) / a.piece_size;
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    T *part = static_cast<T *>(a.part), sum;
    bool last = true;

    if constexpr (!BY_BLOCK)
        sum = csr_split_sum<T, WARP, 8>(a, p.y, p.z);
    else if (!csr_split_block_sum<T>(a, p.y, p.z, &sum))
        return;

    if (count > 1) {
        if (lane == 0) {
            __stcg(part + w, sum);
            __threadfence();
            last = atomicAdd(a.ticket + p.w, 1u) == static_cast<unsigned>(count - 1);
        }
        if (!__shfl_sync(0xffffffffu, last, 0))
            return;
        __threadfence();
        sum = 0;
        for (int32_t k = lane; k < count; k += WARP)
            sum += __ldcg(part + p.w + k);
        sum = group_sum<WARP>(sum);
        if (lane == 0)
            a.ticket[p.w] = 0;
    }
    if (lane == 0)
        store_y(static_cast<T *>(a.y) + p.x, sum, a.add);
}

template <typename T, int LANES, bool BY_BLOCK>
__global__ void __launch_bounds__(CSR_BLOCK_MAX) csr_spmv_split(const csr_split_args a)
{
    const int64_t block = static_cast<int64_t>(blockIdx.x) - a.piece_blocks;

    if (block < 0) {
        const int64_t w = BY_BLOCK ? blockIdx.x : (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
        if (w < a.pieces)
            csr_split_take_piece<T, BY_BLOCK>(a, static_cast<int32_t>(w));
        return;
    }
    const int64_t row = (block * blockDim.x + threadIdx.x) / LANES;
    const int32_t begin = __ldg(a.row_ptr + (row < a.rows ? row : a.rows)),
                  end = __ldg(a.row_ptr + (row < a.rows ? row + 1 : a.rows));
    const bool whole = row < a.rows && end - begin <= a.cut;
    const T sum = csr_split_sum<T, LANES, 4>(a, begin, whole ? end : begin);
    if (whole && threadIdx.x % LANES == 0)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}
#endif
