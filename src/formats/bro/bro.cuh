/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from BRO-ELL. Thread l of a row (bro.h) decodes BRO_STEPS columns at a time from registers, then reads
 * their values and x. All threads of a slice use the same bit widths, so the threads of a warp shift and read symbols
 * in step, 32 neighbouring symbols at a time, each loaded one symbol ahead of its use. A thread stops at its first
 * delta of 0 and reads no padding of the values.
 * If LANES > 1, the sums of the threads of a row are added in order through shared memory.
 * Moves at least s nnz bytes of values, the symbols up to each warp's longest row, one byte per step of a slice (from
 * L1 and L2), 16 bytes per slice, x and y. */
#ifndef SPMVCAST_FORMATS_BRO_BRO_CUH
#define SPMVCAST_FORMATS_BRO_BRO_CUH
#include "device/cuda_kernels.cuh"
#include "formats/bro/bro.h"

enum { BRO_BLOCK_MAX = 512 };

struct bro_args {
    int32_t rows, h;
    int32_t shift; /* h is 1 << shift */
    const bro_slice *slice;
    const uint32_t *bits; /* bits of the steps: four steps per word, the first in the lowest byte */
    const void *symbol, *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* The symbols of a thread: the unread bits of the current symbol, shifted to its top, and the next symbol. */
template <typename S> struct bro_stream {
    static constexpr int SIZE = 8 * static_cast<int>(sizeof(S));
    const S *symbol; /* next symbol to load */
    uint64_t policy;
    uint32_t stride;
    int32_t more; /* symbols not loaded yet */
    int32_t left; /* unread bits of `current` */
    S current, next;

    __device__ __forceinline__ S ask(void)
    {
        const S s = more > 0 ? load_once(symbol, policy) : S(0);
        symbol += stride;
        more--;
        return s;
    }
    __device__ __forceinline__ bro_stream(const S *first, uint32_t apart, int32_t n, uint64_t keep)
        : symbol(first), policy(keep), stride(apart), more(n), left(SIZE)
    {
        current = ask();
        next = ask();
    }
    static __device__ __forceinline__ uint32_t top(S s, uint32_t bits) /* bits: 0 to 31 */
    {
        return __funnelshift_lc(static_cast<uint32_t>(s >> (SIZE - 32)), 0, bits);
    }
    __device__ __forceinline__ uint32_t take(uint32_t bits)
    {
        uint32_t delta = top(current, bits);

        current <<= bits;
        left -= static_cast<int32_t>(bits);
        if (left < 0) {
            delta |= top(next, static_cast<uint32_t>(-left));
            current = next << -left;
            left += SIZE;
            next = ask();
        }
        return delta;
    }
};

template <typename T, typename S, int LANES>
__global__ void __launch_bounds__(BRO_BLOCK_MAX, 2) bro_spmv(const bro_args a)
{
    __shared__ T partial[LANES > 1 ? BRO_BLOCK_MAX : 1];
    const T *x = static_cast<const T *>(a.x);
    const uint32_t group = blockDim.x / LANES, mine = threadIdx.x % group, lane = threadIdx.x / group;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * group + mine;
    T sum = 0;

    if (row < a.rows) {
        const int64_t slice = row >> a.shift, first = slice << a.shift;
        const uint32_t height = static_cast<uint32_t>(bro_height(a.rows, first, a.h)), apart = LANES * height;
        /* x, y, z, w are val, symbol, symbols, step of struct bro_slice */
        const int4 p = __ldg(reinterpret_cast<const int4 *>(a.slice) + slice);
        const uint32_t place = lane * height + static_cast<uint32_t>(row - first);
        const T *val = static_cast<const T *>(a.val) + p.x + place;
        const uint32_t *bits = a.bits + p.w / BRO_STEPS;
        uint32_t word = __ldg(bits);
        bro_stream<S> stream(static_cast<const S *>(a.symbol) + p.y + place, apart, p.z, a.policy);
        int32_t col = -1;

        for (;;) {
            const uint32_t following = word >> 24 ? __ldg(++bits) : 0;
            uint32_t delta[BRO_STEPS];
            T v[BRO_STEPS], xs[BRO_STEPS];

#pragma unroll
            for (int i = 0; i < BRO_STEPS; i++) {
                delta[i] = stream.take(word >> (8 * i) & 0xff);
                col += static_cast<int32_t>(delta[i]);
                v[i] = delta[i] ? load_once(val + static_cast<uint32_t>(i) * apart, a.policy) : T(0);
                xs[i] = delta[i] ? __ldg(x + col) : T(0);
            }
#pragma unroll
            for (int i = 0; i < BRO_STEPS; i++)
                sum += v[i] * xs[i];
            if (delta[BRO_STEPS - 1] == 0)
                break;
            val += BRO_STEPS * apart;
            word = following;
        }
    }
    if constexpr (LANES > 1) {
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (uint32_t l = 1; lane == 0 && l < LANES; l++)
            sum += partial[l * group + mine];
    }
    if (lane == 0 && row < a.rows)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}
#endif
