/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x from R x C blocks (bcsr.h). Moves at least blocks (4 + bytes of a block's words) + 4 (block rows + 1) + s
 * (rows + touched x) bytes.
 * All sums are formed in an order that depends on the launch alone, so the result has the same bits each time. */
#ifndef SPMVCAST_FORMATS_BCSR_BCSR_CUH
#define SPMVCAST_FORMATS_BCSR_BCSR_CUH
#include "device/cuda_kernels.cuh"
#include "formats/bcsr/bcsr.h"

struct bcsr_args {
    int32_t rows, cols, block_rows;
    int lanes;
    const int32_t *row_ptr, *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* A word of a block: one value, or 16 bytes of values. */
template <typename T, int N> struct alignas(sizeof(T) * N) bcsr_word {
    T value[N];
};

template <typename T>
static __device__ __forceinline__ bcsr_word<T, 1> bcsr_load(const bcsr_word<T, 1> *p, uint64_t policy)
{
    return { { load_once(reinterpret_cast<const T *>(p), policy) } };
}
static __device__ __forceinline__ bcsr_word<float, 4> bcsr_load(const bcsr_word<float, 4> *p, uint64_t policy)
{
    const float4 v = load_once(reinterpret_cast<const float4 *>(p), policy);
    return { { v.x, v.y, v.z, v.w } };
}
static __device__ __forceinline__ bcsr_word<double, 2> bcsr_load(const bcsr_word<double, 2> *p, uint64_t policy)
{
    const double2 v = load_once(reinterpret_cast<const double2 *>(p), policy);
    return { { v.x, v.y } };
}

/* Adds the products of a block, whose words are `stride` words apart, to sum[]; loads about 16 values at a time.
 * Skips values that are 0: they may be fill, whose columns may lie beyond the end of x. */
template <typename T, int R, int C, int N>
static __device__ __forceinline__ void bcsr_block_times(const bcsr_word<T, N> *word, int stride, uint64_t policy,
                                                        const T (&xs)[C], T (&sum)[R])
{
    constexpr int WORDS = (R * C + N - 1) / N, BATCH = 16 / N;

#pragma unroll
    for (int first = 0; first < WORDS; first += BATCH) {
        bcsr_word<T, N> w[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (first + i < WORDS)
                w[i] = bcsr_load(word + static_cast<int64_t>(first + i) * stride, policy);
#pragma unroll
        for (int i = 0; i < BATCH; i++)
#pragma unroll
            for (int j = 0; j < N; j++) {
                const int e = (first + i) * N + j;
                if (e < R * C && w[i].value[j] != T(0))
                    sum[e / C] += w[i].value[j] * xs[e % C];
            }
    }
}

/* Group g of `lanes` neighbouring threads handles block row g; thread l of the group handles its blocks l, l + lanes, ...
 * and loads the column of its next block while it multiplies the current one. Sums are reduced by shuffles, and
 * through shared memory if a group exceeds a warp. */
template <typename T, int R, int C, int N, bool INTERLEAVE>
__global__ void __launch_bounds__(BCSR_THREADS) bcsr_spmv(const bcsr_args a)
{
    constexpr int WORDS = (R * C + N - 1) / N;
    __shared__ T part[BCSR_THREADS / WARP][R];
    const bcsr_word<T, N> *val = static_cast<const bcsr_word<T, N> *>(a.val);
    const T *x = static_cast<const T *>(a.x);
    const int64_t block_row = (static_cast<int64_t>(blockIdx.x) * BCSR_THREADS + threadIdx.x) >> (__ffs(a.lanes) - 1);
    const int lane = static_cast<int>(threadIdx.x) & (a.lanes - 1), group = INTERLEAVE ? a.lanes : 1,
              shift = __ffs(group) - 1;
    const bool mine = block_row < a.block_rows;
    const int32_t begin = mine ? __ldg(a.row_ptr + block_row) : 0, end = mine ? __ldg(a.row_ptr + block_row + 1) : 0;
    int64_t k = static_cast<int64_t>(begin) + lane;
    int32_t col = k < end ? load_once(a.col + k, a.policy) : 0;
    T sum[R] = {};

    while (k < end) {
        const int64_t next = k + a.lanes, first = (k >> shift) * WORDS * group + (k & (group - 1));
        const int32_t next_col = next < end ? load_once(a.col + next, a.policy) : 0;
        T xs[C];
#pragma unroll
        for (int j = 0; j < C; j++) {
            const int64_t at = static_cast<int64_t>(col) * C + j;
            xs[j] = C == 1 || at < a.cols ? __ldg(x + at) : T(0);
        }
        bcsr_block_times<T, R, C, N>(val + first, group, a.policy, xs, sum);
        k = next;
        col = next_col;
    }
    const int width = a.lanes < WARP ? a.lanes : WARP;
#pragma unroll
    for (int i = 0; i < R; i++)
        sum[i] = group_sum(sum[i], width);
    if (a.lanes > WARP) {
        const int warp = static_cast<int>(threadIdx.x) / WARP;
        if (threadIdx.x % WARP == 0)
#pragma unroll
            for (int i = 0; i < R; i++)
                part[warp][i] = sum[i];
        __syncthreads();
        if (lane == 0)
            for (int w = 1; w < a.lanes / WARP; w++)
#pragma unroll
                for (int i = 0; i < R; i++)
                    sum[i] += part[warp + w][i];
    }
    if (lane != 0 || !mine)
        return;
#pragma unroll
    for (int i = 0; i < R; i++)
        if (block_row * R + i < a.rows)
            store_y(static_cast<T *>(a.y) + block_row * R + i, sum[i], a.add);
}

struct bcsr_function {
    int r, c;
    const void *function[2][2]; /* [pack][interleave] */
};

template <typename T, int R, int C> static bcsr_function bcsr_function_of(void)
{
    constexpr int PACKED = BCSR_WORD_BYTES / static_cast<int>(sizeof(T));

    return { R,
             C,
             { { reinterpret_cast<const void *>(bcsr_spmv<T, R, C, 1, false>),
                 reinterpret_cast<const void *>(bcsr_spmv<T, R, C, 1, true>) },
               { reinterpret_cast<const void *>(bcsr_spmv<T, R, C, PACKED, false>),
                 reinterpret_cast<const void *>(bcsr_spmv<T, R, C, PACKED, true>) } } };
}

/* Returns the kernel for r x c blocks, NULL if none is compiled. Each precision has its own source file, so that both
 * compile in parallel. */
template <typename T> const void *bcsr_function_find(int r, int c, bool pack, bool interleave)
{
    static const bcsr_function table[] = {
        bcsr_function_of<T, 1, 1>(), bcsr_function_of<T, 1, 2>(), bcsr_function_of<T, 1, 3>(),
        bcsr_function_of<T, 1, 4>(), bcsr_function_of<T, 2, 1>(), bcsr_function_of<T, 2, 2>(),
        bcsr_function_of<T, 2, 3>(), bcsr_function_of<T, 2, 4>(), bcsr_function_of<T, 3, 1>(),
        bcsr_function_of<T, 3, 2>(), bcsr_function_of<T, 3, 3>(), bcsr_function_of<T, 3, 4>(),
        bcsr_function_of<T, 4, 1>(), bcsr_function_of<T, 4, 2>(), bcsr_function_of<T, 4, 3>(),
        bcsr_function_of<T, 4, 4>(), bcsr_function_of<T, 5, 5>(), bcsr_function_of<T, 6, 6>(),
        bcsr_function_of<T, 7, 7>(), bcsr_function_of<T, 8, 8>()
    };

    for (const bcsr_function &f : table)
        if (f.r == r && f.c == c)
            return f.function[pack][interleave];
    return nullptr;
}

const void *bcsr_function_f32(int r, int c, bool pack, bool interleave);
const void *bcsr_function_f64(int r, int c, bool pack, bool interleave);
#endif
