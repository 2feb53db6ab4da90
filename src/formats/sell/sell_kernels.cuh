/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from SELL-C-sigma. A warp has a strip of 32 rows, thread i its row i; with SPLIT, 1 << lanes_log neighbouring warps of a
 * block take the strip's steps in turn and their sums are added in order, in shared memory. The same bits each time.
 * Moves at least: s bytes a slot, 4 a slot (index=32) or 8 a step and its codes (narrow), 4 a slice, 4 a row where rows are sorted,
 * s (rows + touched x). */
#ifndef SPMVCAST_FORMATS_SELL_KERNELS_CUH
#define SPMVCAST_FORMATS_SELL_KERNELS_CUH
#include "device/cuda_kernels.cuh"
#include "formats/sell/sell.h"

enum { SELL_BLOCK_MAX = 1024 };

struct sell_args {
    uint32_t strips, last_slice, last_height;       /* of the last slice: its rows, filled up */
    int32_t rows, c;
    uint32_t slice_log, lanes_log;                  /* of strips in a slice, of warps that share a strip */
    const int32_t *off, *perm, *col;
    const struct sell_step *step;
    const uint8_t *code;
    const void *val, *x;
    void *y;
    bool add;
};

/* A warp's share of a strip: steps first, first + hop ... of `steps`; slot of its first entry of step 0; slots between two steps. */
struct sell_share { uint32_t steps, first, hop; int64_t slot, step; uint32_t height; };

static __device__ __forceinline__ struct sell_share sell_share_of(const sell_args &a, uint32_t strip, uint32_t lane, uint32_t first, uint32_t hop)
{
    const uint32_t slice = strip >> a.slice_log, within = strip & ((1u << a.slice_log) - 1);
    const int32_t begin = __ldg(a.off + slice), width = __ldg(a.off + slice + 1) - begin;
    struct sell_share s;

    s.steps = static_cast<uint32_t>(width);
    s.first = first;
    s.hop = hop;
    s.height = slice == a.last_slice ? a.last_height : static_cast<uint32_t>(a.c);
    s.slot = static_cast<int64_t>(begin) * a.c + within * WARP + lane;
    s.step = (static_cast<int64_t>(begin) << a.slice_log) + static_cast<int64_t>(within) * width;
    return s;
}

/* STEPS steps at a time: columns and values, then x. A thread leaves behind its row's last entry. */
template <typename T, int STEPS> static __device__ __forceinline__ T sell_sum_wide(const sell_args &a, const sell_share &s)
{
    const T *x = static_cast<const T *>(a.x);
    const int64_t slot = s.slot + static_cast<int64_t>(s.first) * s.height, stride = static_cast<int64_t>(s.hop) * s.height;
    const T *val = static_cast<const T *>(a.val) + slot;
    const int32_t *cols = a.col + slot;
    T sum = 0;

    for (uint32_t j = s.first; j < s.steps; j += STEPS * s.hop) {
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (uint32_t i = 0; i < STEPS; i++) {
            const bool on = j + i * s.hop < s.steps;
            col[i] = on ? load_once(cols + i * stride) : -1;
            v[i] = on ? load_once(val + i * stride) : T(0);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++) xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++) sum += v[i] * xs[i];
        if (col[STEPS - 1] < 0) break;
        cols += STEPS * stride;
        val += STEPS * stride;
    }
    return sum;
}

template <bool SPLIT> static __device__ __forceinline__ int2 sell_load_step(const struct sell_step *p)
{
    int2 v;
    if constexpr (SPLIT) return __ldg(reinterpret_cast<const int2 *>(p));       /* a sector is shared with the other warps */
    asm volatile("ld.global.nc.L1::no_allocate.v2.s32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}

/* The word that holds this thread's code: one kind of load for every width. Without codes each byte is 1. */
static __device__ __forceinline__ uint32_t sell_load_word(const uint8_t *code, uint32_t at, uint32_t lane)
{
    const uint32_t log = at % 4, byte = (lane << log) / 2;
    const uint8_t *p = code + static_cast<uint64_t>(at / 4) * SELL_UNIT + (byte & ~3u);
    return log > 0 ? static_cast<uint32_t>(load_once(reinterpret_cast<const int32_t *>(p))) : 0x01010101u;
}
static __device__ __forceinline__ uint32_t sell_code(uint32_t word, uint32_t at, uint32_t lane)
{
    const uint32_t log = at % 4, byte = (lane << log) / 2;
    return log == 3 ? word : word >> (byte % 4 * 8) & (log == 2 ? 0xffffu : 0xffu);
}

/* Thread k reads the description of the warp's step k of 32 and tells it to all when its turn comes; the first values are on their
 * way meanwhile. Then STEPS steps at a time: codes, x, and the next values. All 32 threads take part to the end. */
template <typename T, int STEPS, bool SPLIT>
static __device__ __forceinline__ T sell_sum_narrow(const sell_args &a, const sell_share &s, int32_t row, uint32_t lane)
{
    const T *x = static_cast<const T *>(a.x);
    const int64_t stride = static_cast<int64_t>(s.hop) * s.height;
    const T *val = static_cast<const T *>(a.val) + s.slot + static_cast<int64_t>(s.first) * s.height;
    T sum = 0;

    for (uint32_t chunk = s.first; chunk < s.steps; chunk += WARP * s.hop) {
        const uint32_t mine = chunk + lane * s.hop;
        int2 step = make_int2(SELL_NO_STEP, 0);
        T v[STEPS];

        if (mine < s.steps) step = sell_load_step<SPLIT>(a.step + s.step + mine);
#pragma unroll
        for (uint32_t i = 0; i < STEPS; i++) v[i] = chunk + i * s.hop < s.steps ? load_once(val + i * stride) : T(0);
        const uint32_t n = static_cast<uint32_t>(__popc(__ballot_sync(0xffffffffu, step.x != SELL_NO_STEP)));
        for (uint32_t j = 0; j < n; j += STEPS) {
            uint32_t at[STEPS], word[STEPS];
            int32_t col[STEPS];
            T xs[STEPS];
#pragma unroll
            for (uint32_t i = 0; i < STEPS; i++) {
                at[i] = static_cast<uint32_t>(__shfl_sync(0xffffffffu, step.y, static_cast<int>(j + i)));
                word[i] = j + i < n ? sell_load_word(a.code, at[i], lane) : 0;
            }
#pragma unroll
            for (uint32_t i = 0; i < STEPS; i++) col[i] = row + __shfl_sync(0xffffffffu, step.x, static_cast<int>(j + i));
#pragma unroll
            for (uint32_t i = 0; i < STEPS; i++) {
                const uint32_t code = sell_code(word[i], at[i], lane);
                xs[i] = code ? __ldg(x + (static_cast<uint32_t>(col[i]) + code)) : T(0);
            }
#pragma unroll
            for (int i = 0; i < STEPS; i++) sum += v[i] * xs[i];
            val += STEPS * stride;
#pragma unroll
            for (uint32_t i = 0; i < STEPS; i++) v[i] = j + STEPS + i < n ? load_once(val + i * stride) : T(0);
        }
        if (n < WARP) break;
    }
    return sum;
}

template <typename T, bool NARROW, bool SPLIT> __global__ void __launch_bounds__(SELL_BLOCK_MAX) sell_spmv(const sell_args a)
{
    constexpr int STEPS = 32 / static_cast<int>(sizeof(T));
    const uint32_t lane = threadIdx.x % WARP, warp = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    const uint32_t hop = SPLIT ? 1u << a.lanes_log : 1u, first = SPLIT ? warp & (hop - 1) : 0u, strip = SPLIT ? warp >> a.lanes_log : warp;
    const uint32_t place = strip * WARP + lane;
    const bool there = strip < a.strips && place < static_cast<uint32_t>(a.rows);
    const int32_t row = there && a.perm ? __ldg(a.perm + place) : static_cast<int32_t>(place);
    T sum = 0;

    if (strip < a.strips) {
        const struct sell_share share = sell_share_of(a, strip, lane, first, hop);
        if constexpr (NARROW) sum = sell_sum_narrow<T, STEPS, SPLIT>(a, share, row, lane);
        else sum = sell_sum_wide<T, STEPS>(a, share);
    }
    if constexpr (SPLIT) {
        __shared__ T partial[SELL_BLOCK_MAX];
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (uint32_t l = 1; l < hop && first == 0; l++) sum += partial[threadIdx.x + l * WARP];
    }
    if (there && first == 0) store_y(static_cast<T *>(a.y) + row, sum, a.add);
}
#endif
