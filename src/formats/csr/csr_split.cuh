/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split and csr-packed on a CUDA device. csr-split moves what csr-vector moves and 16 bytes per piece. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_SPLIT_CUH
#define SPMVCAST_FORMATS_CSR_CSR_SPLIT_CUH
#include "formats/csr/csr.cuh"
#include "formats/csr/csr_split.h"
#include "formats/values.cuh"

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
    /* csr-packed */
    enum values_as as;
    const void *table;
};

/* Loads code[i] of the entries at + i * stride below n, counted from entry `begin`; 0 for others. Plain loads:
 * few codes fill a sector, and L1 has it for the next step. */
template <typename CODE, int STEPS>
static __device__ __forceinline__ void csr_load_codes(const csr_split_args &a, int32_t begin, uint32_t at,
                                                      uint32_t stride, uint32_t n, uint32_t (&code)[STEPS])
{
    const CODE *from = static_cast<const CODE *>(a.val) + begin;

#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        const uint32_t e = at + static_cast<uint32_t>(i) * stride;
        code[i] = e < n ? __ldg(from + e) : 0u;
    }
}

/* The same for codes of any width; narrow values come as the bits of a float. All threads of the grid take the same branch. */
template <int STEPS>
static __device__ __forceinline__ void csr_codes(const csr_split_args &a, int32_t begin, uint32_t at, uint32_t stride,
                                                 uint32_t n, uint32_t (&code)[STEPS])
{
    switch (a.as) {
    case AS_DICT8: csr_load_codes<uint8_t>(a, begin, at, stride, n, code); break;
    case AS_DICT16: csr_load_codes<uint16_t>(a, begin, at, stride, n, code); break;
    case AS_NARROW: csr_load_codes<uint32_t>(a, begin, at, stride, n, code); break;
    default:
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const uint32_t e = at + static_cast<uint32_t>(i) * stride, slot = static_cast<uint32_t>(begin) + e;
            code[i] = 0;
            if (a.as == AS_DICT1 && e < n)
                code[i] = __ldg(static_cast<const uint32_t *>(a.val) + slot / WARP) >> slot % WARP & 1u;
        }
    }
}

template <typename T> static __device__ __forceinline__ T csr_value(const csr_split_args &a, uint32_t code)
{
    return a.as == AS_NARROW ? static_cast<T>(__uint_as_float(code)) : __ldg(static_cast<const T *>(a.table) + code);
}

/* Sums a thread's share of entries begin .. end: entry `first` and every stride-th after it, STEPS loads in flight. LANES:
 * neighbouring threads that take them. */
template <typename T, bool PACKED, int STEPS, int LANES = WARP>
static __device__ __forceinline__ T csr_split_share(const csr_split_args &a, int32_t begin, int32_t end, uint32_t first,
                                                    uint32_t stride)
{
    constexpr bool PLAIN = LANES < CSR_LANES_TAKE_SECTOR;
    const T *x = static_cast<const T *>(a.x);
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
            if constexpr (!PACKED)
                v[i] = e < n ? load_entry<PLAIN>(static_cast<const T *>(a.val) + begin + e, a.policy) : T(0);
        }
        [[maybe_unused]] uint32_t code[STEPS];
        if constexpr (PACKED)
            csr_codes(a, begin, at, stride, n, code);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
            if constexpr (PACKED)
                v[i] = col[i] >= 0 ? csr_value<T>(a, code[i]) : T(0);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
    }
    return sum;
}

/* Sums entries begin .. end with LANES neighbouring threads; the result is in the first of them. */
template <typename T, bool PACKED, int LANES, int STEPS>
static __device__ __forceinline__ T csr_split_sum(const csr_split_args &a, int32_t begin, int32_t end)
{
    return group_sum<LANES>(csr_split_share<T, PACKED, STEPS, LANES>(a, begin, end, threadIdx.x % LANES, LANES));
}

/* Sums entries begin .. end with a thread block. Returns true in the first warp, whose first thread has the sum. */
template <typename T, bool PACKED>
static __device__ __forceinline__ bool csr_split_block_sum(const csr_split_args &a, int32_t begin, int32_t end, T *sum)
{
    __shared__ T scratch[CSR_BLOCK_MAX / WARP];
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;

    *sum = group_sum<WARP>(csr_split_share<T, PACKED, 4>(a, begin, end, threadIdx.x, blockDim.x));
    if (lane == 0)
        scratch[warp] = *sum;
    __syncthreads();
    if (warp > 0)
        return false;
    *sum = group_sum<WARP>(lane < static_cast<int>(blockDim.x) / WARP ? scratch[lane] : T(0));
    return true;
}

/* Processes piece w. The warp that finishes the last piece of a row adds all its pieces, in a fixed order. */
template <typename T, bool BY_BLOCK, bool PACKED>
static __device__ __forceinline__ void csr_split_take_piece(const csr_split_args &a, int32_t w)
{
    const int4 p = __ldg(a.piece + w);
    const int32_t count = (__ldg(a.row_ptr + p.x + 1) - __ldg(a.row_ptr + p.x) + a.piece_size - 1) / a.piece_size;
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    T *part = static_cast<T *>(a.part), sum;
    bool last = true;

    if constexpr (!BY_BLOCK)
        sum = csr_split_sum<T, PACKED, WARP, 8>(a, p.y, p.z);
    else if (!csr_split_block_sum<T, PACKED>(a, p.y, p.z, &sum))
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

template <typename T, int LANES, bool BY_BLOCK, bool PACKED>
__global__ void __launch_bounds__(CSR_BLOCK_MAX) csr_spmv_split(const csr_split_args a)
{
    const int64_t block = static_cast<int64_t>(blockIdx.x) - a.piece_blocks;

    if (block < 0) {
        const int64_t w = BY_BLOCK ? blockIdx.x : (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
        if (w < a.pieces)
            csr_split_take_piece<T, BY_BLOCK, PACKED>(a, static_cast<int32_t>(w));
        return;
    }
    const int64_t row = (block * blockDim.x + threadIdx.x) / LANES;
    const int32_t begin = __ldg(a.row_ptr + (row < a.rows ? row : a.rows)),
                  end = __ldg(a.row_ptr + (row < a.rows ? row + 1 : a.rows));
    const bool whole = row < a.rows && end - begin <= a.cut;
    const T sum = csr_split_sum<T, PACKED, LANES, 4>(a, begin, whole ? end : begin);
    if (whole && threadIdx.x % LANES == 0)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}
#endif
