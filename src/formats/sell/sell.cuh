/* SPDX-License-Identifier: BSD-3-Clause */
/* What the CUDA sources of sell share. */
#ifndef SPMVCAST_FORMATS_SELL_SELL_CUH
#define SPMVCAST_FORMATS_SELL_SELL_CUH
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/sell/sell.h"
#include "formats/values.cuh"

/* sell_build.cu: layout_cuda->build. */
int sell_build_cuda(struct device *, const struct device_csr *, const struct config *, const struct features *,
                    struct storage **, char why[ERRLEN]);

/* y = A x from SELL-C-sigma. A warp handles a strip of 32 rows, thread i its row i. With SPLIT, 1 << lanes_log
 * neighbouring warps of a block take turns at the steps of the strip, and their sums are added in order in shared
 * memory. The bits are the same each time. With values of s bytes, the kernel moves at least s bytes per slot, 4 per
 * slot (index=32) or 8 per step and the step's codes (index=narrow), 4 per slice, 4 per row if rows are sorted, and
 * s (rows + touched x). */
enum { SELL_BLOCK_FEW = 256, SELL_BLOCK_MAX = 1024, SELL_STEPS_PACKED = 8 };

struct sell_args {
    uint32_t strips, last_slice, last_height; /* last_height: rows of the last slice, including padding rows */
    int32_t rows, c;
    uint32_t slice_log, lanes_log; /* log2 of strips per slice, log2 of warps per strip */
    const int32_t *off, *perm, *col;
    const struct sell_step *step;
    const uint8_t *code;
    const void *val, *table, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* A warp's share of a strip: every hop-th step. `slot` is this thread's slot in the first of these steps; steps are
 * `stride` slots apart. */
struct sell_share {
    uint32_t steps, hop, stride;
    int64_t slot, step;
};

static __device__ __forceinline__ struct sell_share sell_share_of(const sell_args &a, uint32_t strip, uint32_t lane,
                                                                  uint32_t first, uint32_t hop)
{
    const uint32_t slice = strip >> a.slice_log, within = strip & ((1u << a.slice_log) - 1);
    const int32_t begin = __ldg(a.off + slice);
    const uint32_t width = static_cast<uint32_t>(__ldg(a.off + slice + 1) - begin);
    const uint32_t height = slice == a.last_slice ? a.last_height : static_cast<uint32_t>(a.c);
    struct sell_share s;

    s.steps = width > first ? (width - first + hop - 1) / hop : 0;
    s.hop = hop;
    s.stride = hop * height;
    s.slot = static_cast<int64_t>(begin) * a.c + within * WARP + lane + static_cast<int64_t>(first) * height;
    s.step = (static_cast<int64_t>(begin) << a.slice_log) + static_cast<int64_t>(within) * width + first;
    return s;
}

/* A number of steps known at compile time. */
template <int N> struct sell_size {
    static constexpr int value = N;
};

/* Calls batch with the number of remaining steps as a compile-time constant, so the loads of all are in flight
 * together. */
template <int N, typename BATCH> static __device__ __forceinline__ void sell_rest(uint32_t left, BATCH batch)
{
    if constexpr (N > 0) {
        if (left == N)
            batch(sell_size<N>());
        else
            sell_rest<N - 1>(left, batch);
    }
}

/* Processes STEPS steps at a time, columns and values first, then x, until no row continues. All 32 threads take
 * part until the end. */
template <typename T, int STEPS>
static __device__ __forceinline__ T sell_sum_wide(const sell_args &a, const sell_share &s)
{
    const T *x = static_cast<const T *>(a.x), *val = static_cast<const T *>(a.val) + s.slot;
    const int32_t *cols = a.col + s.slot;
    bool more = true;
    T sum = 0;

    const auto batch = [&](auto size) {
        constexpr int N = decltype(size)::value;
        int32_t col[N];
        T v[N], xs[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            col[i] = load_once(cols + static_cast<uint64_t>(s.stride) * i, a.policy);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = load_once(val + static_cast<uint64_t>(s.stride) * i, a.policy);
        __syncwarp(); /* keeps the loads of values before the wait for columns */
#pragma unroll
        /* padding loads x[0], which is not used */
        for (int i = 0; i < N; i++)
            xs[i] = __ldg(x + max(col[i], 0));
#pragma unroll
        for (int i = 0; i < N; i++)
            sum += v[i] * (col[i] >= 0 ? xs[i] : T(0));
        more = __any_sync(0xffffffffu, col[N - 1] >= 0);
        cols += static_cast<uint64_t>(s.stride) * N;
        val += static_cast<uint64_t>(s.stride) * N;
    };
    uint32_t left = s.steps;
    for (; left >= STEPS && more; left -= STEPS)
        batch(sell_size<STEPS>());
    if (more)
        sell_rest<STEPS - 1>(left, batch);
    return sum;
}

/* Selects bytes of a and b (0 to 3, 4 to 7) by the nibbles of selector. Unlike __byte_perm it does not mask the
 * selector, as no nibble here exceeds 7. */
static __device__ __forceinline__ uint32_t sell_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t v;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(selector));
    return v;
}

/* What a thread needs to find its code in a step of any code width, given the log of the width. For all widths,
 * the word that holds the code is loaded. places: byte `log` is the word's place in the step, plus 3 - log, because
 * step.at includes the log and `words` points 3 words before the codes. few (logs 0 and 1), many (2 and 3): 16 bits per
 * log, a selector of the code's bytes among those of the word and of the constant 1; for log 0 it selects the 1. */
struct sell_finder {
    const uint32_t *words;
    uint32_t places, few, many;
};

static __device__ __forceinline__ struct sell_finder sell_finder_of(const uint8_t *code, uint32_t lane)
{
    struct sell_finder f;

    f.words = reinterpret_cast<const uint32_t *>(code) - 3;
    f.places = 3 | (lane / 4 + 2) << 8 | (lane / 2 + 1) << 16 | lane << 24;
    f.few = 0x5554u | (0x5550u + lane % 4) << 16;
    f.many = (0x5510u + lane % 2 * 0x22u) | 0x3210u << 16;
    asm volatile("" : "+r"(f.places), "+r"(f.few), "+r"(f.many)); /* prevents recomputation in each step */
    return f;
}

/* Loads the word that holds the code; for a step without codes, a word of another step or of the unit after the
 * last. */
static __device__ __forceinline__ uint32_t sell_load_word(const struct sell_finder &f, uint32_t at, uint64_t policy)
{
    const uint32_t *p = f.words + (at + sell_bytes(f.places, 0, 0x4440u | at % 4));
    return static_cast<uint32_t>(load_once(reinterpret_cast<const int32_t *>(p), policy));
}
static __device__ __forceinline__ uint32_t sell_code(const struct sell_finder &f, uint32_t word, uint32_t at)
{
    return sell_bytes(word, 1, sell_bytes(f.few, f.many, at % 4 * 0x22u + 0x10u));
}

/* Of each 32 steps of the warp, thread k reads the description of step k and broadcasts it when the step's turn comes,
 * while values are loading. Processes STEPS steps at a time: values, codes, then x. All 32 threads take part until the
 * end. */
template <typename T, int STEPS, bool SPLIT, int AS>
static __device__ __forceinline__ T sell_sum_narrow(const sell_args &a, const sell_share &s, int32_t row, uint32_t lane)
{
    const struct sell_finder finder = sell_finder_of(a.code, lane);
    const T *x = static_cast<const T *>(a.x);
    value_reader<T, AS> values(a.val, a.table, s.slot, a.policy);
    int2 step = make_int2(0, 0);
    uint32_t turn = 0;
    T sum = 0;

    const auto batch = [&](auto size) {
        constexpr int N = decltype(size)::value;
        uint32_t at[N], logs = 0;
        int32_t col[N];
        typename value_reader<T, AS>::raw packed[N];
        T v[N], xs[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            packed[i] = values.load(static_cast<uint64_t>(s.stride) * i);
#pragma unroll
        for (int i = 0; i < N; i++) {
            at[i] = static_cast<uint32_t>(__shfl_sync(0xffffffffu, step.y, static_cast<int>(turn) + i));
            col[i] = row + __shfl_sync(0xffffffffu, step.x, static_cast<int>(turn) + i);
            logs |= at[i] % 8;
        }
        if (logs == 0) { /* no codes, so no padding either */
#pragma unroll
            for (int i = 0; i < N; i++)
                xs[i] = __ldg(x + (col[i] + 1));
#pragma unroll
            for (int i = 0; i < N; i++)
                v[i] = values.value(packed[i]);
        } else {
            uint32_t word[N];
#pragma unroll
            for (int i = 0; i < N; i++)
                word[i] = sell_load_word(finder, at[i], a.policy);
            __syncwarp(); /* keeps all loads before the first wait */
#pragma unroll
            for (int i = 0; i < N; i++) {
                const uint32_t code = sell_code(finder, word[i], at[i]);
                col[i] = code ? static_cast<int32_t>(static_cast<uint32_t>(col[i]) + code) : -1;
                xs[i] = __ldg(x + max(col[i], 0));
            }
#pragma unroll
            for (int i = 0; i < N; i++)
                v[i] = values.value(packed[i]);
#pragma unroll
            for (int i = 0; i < N; i++) {
                xs[i] = col[i] >= 0 ? xs[i] : T(0);
                if constexpr (AS != AS_FULL) /* its padding has a code of some value */
                    v[i] = col[i] >= 0 ? v[i] : T(0);
            }
        }
#pragma unroll
        for (int i = 0; i < N; i++)
            sum += v[i] * xs[i];
        values.advance(static_cast<uint64_t>(s.stride) * N);
        turn += N;
    };
    for (uint32_t begin = 0; begin < s.steps; begin += WARP) {
        uint32_t n = min(s.steps - begin, static_cast<uint32_t>(WARP));

        step = make_int2(SELL_NO_STEP, 0);
        if (lane < n)
            step = load_once(
                reinterpret_cast<const int2 *>(a.step + s.step + static_cast<int64_t>(begin + lane) * s.hop), a.policy);
        if (a.slice_log > 0)
            n = static_cast<uint32_t>(__popc(__ballot_sync(0xffffffffu, step.x != SELL_NO_STEP)));
        for (turn = 0; n - turn >= STEPS;)
            batch(sell_size<STEPS>());
        sell_rest<STEPS - 1>(n - turn, batch);
        if (n < WARP)
            break;
    }
    return sum;
}

/* BLOCK: maximum threads per block; a lower one leaves the compiler more registers, so each thread has more loads in
 * flight. */
template <typename T, bool NARROW, bool SPLIT, int BLOCK, int AS>
__global__ void __launch_bounds__(BLOCK, 1) sell_spmv(const sell_args a)
{
    /* few bytes a step need more steps in flight */
    constexpr int STEPS = AS == AS_FULL ? 32 / static_cast<int>(sizeof(T)) : SELL_STEPS_PACKED;
    const uint32_t lane = threadIdx.x % WARP, warp = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    const uint32_t hop = SPLIT ? 1u << a.lanes_log : 1u, first = SPLIT ? warp & (hop - 1) : 0u,
                   strip = SPLIT ? warp >> a.lanes_log : warp;
    const uint32_t place = strip * WARP + lane;
    const bool there = strip < a.strips && place < static_cast<uint32_t>(a.rows);
    const int32_t row = there && a.perm ? __ldg(a.perm + place) : static_cast<int32_t>(place);
    T sum = 0;

    if (strip < a.strips) {
        const struct sell_share share = sell_share_of(a, strip, lane, first, hop);
        if constexpr (NARROW)
            sum = sell_sum_narrow<T, STEPS, SPLIT, AS>(a, share, row, lane);
        else
            sum = sell_sum_wide<T, STEPS>(a, share);
    }
    if constexpr (SPLIT) {
        __shared__ T partial[BLOCK];
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (uint32_t l = 1; l < hop && first == 0; l++)
            sum += partial[threadIdx.x + l * WARP];
    }
    if (there && first == 0)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}
#endif
