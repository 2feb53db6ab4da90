/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked ELLPACK on a CUDA device: upload and prepared kernel; the host builds the layout. */
#include "formats/bellpack/bellpack.h"
#include "formats/prepared.cuh"

struct bellpack_args {
    int32_t rows, cols;
    int64_t chunks;
    int chunk;
    const int32_t *first, *perm, *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* ---------------------------------------------------------------------------------------------------------- layout */
extern const struct layout_cuda bellpack_layout_cuda = { .name = "bellpack", .build = nullptr, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
/* Adds to sum[] the products of the N blocks at steps i, i + LANES, ... (below `end`) of one block row; cols and val
 * point to its position in the chunk. col[] holds the block columns of these N blocks and gets those of the next N.
 * Skips values that are 0: they may be fill or padding, whose columns may lie beyond the end of x. */
template <typename T, int R, int C, int LANES, int N>
static __device__ __forceinline__ void bellpack_step(const bellpack_args &a, const int32_t *cols, const T *val,
                                                     int32_t i, int32_t end, int32_t (&col)[N], T (&sum)[R])
{
    /* rows of a block whose values are loaded at a time */
    constexpr int LOADS = 18, FIT = LOADS / (C * N), BATCH = FIT < 1 ? 1 : FIT < R ? FIT : R;
    const T *x = static_cast<const T *>(a.x);
    int32_t next[N];
    T xs[N][C];

#pragma unroll
    for (int n = 0; n < N; n++) {
        const int64_t to = static_cast<int64_t>(i) + (N + n) * LANES;
        next[n] = to < end ? load_once(cols + to * a.chunk, a.policy) : -1;
    }
#pragma unroll
    for (int n = 0; n < N; n++)
#pragma unroll
        for (int j = 0; j < C; j++) {
            const int64_t at = static_cast<int64_t>(col[n]) * C + j;
            xs[n][j] = col[n] >= 0 && at < a.cols ? __ldg(x + at) : T(0);
        }
#pragma unroll
    for (int row = 0; row < R; row += BATCH) {
        T v[N][BATCH * C];
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int e = 0; e < BATCH * C; e++) {
                const int64_t step = static_cast<int64_t>(i) + n * LANES;
                v[n][e] = row + e / C < R && col[n] >= 0
                              ? load_once(val + (step * (R * C) + row * C + e) * a.chunk, a.policy)
                              : T(0);
            }
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int e = 0; e < BATCH * C; e++)
                if (row + e / C < R && v[n][e] != T(0))
                    sum[row + e / C] += v[n][e] * xs[n][e % C];
    }
#pragma unroll
    for (int n = 0; n < N; n++)
        col[n] = next[n];
}

/* A thread block handles `piece` = blockDim.x / LANES neighbouring block rows of one chunk. Thread l piece + t is
 * number l of the LANES threads of block row t and handles its blocks l, l + LANES, ...; `piece` is a multiple of the
 * warp size, so reads are coalesced over t. The sums of threads l > 0 are added in order through shared memory
 * [LANES - 1][R][piece]. Moves at least the storage's bytes and s (rows + touched x) bytes. */
template <typename T, int R, int C, int LANES>
static __global__ void __launch_bounds__(BELLPACK_THREADS_MAX) bellpack_spmv(const bellpack_args a)
{
    extern __shared__ double shared[];
    constexpr int N = R * C <= 4 ? 4 : R * C <= 9 ? 2 : 1;
    T *part = reinterpret_cast<T *>(shared), *y = static_cast<T *>(a.y);
    const int piece = static_cast<int>(blockDim.x) / LANES, t = static_cast<int>(threadIdx.x) % piece,
              lane = static_cast<int>(threadIdx.x) / piece;
    const int64_t slot = static_cast<int64_t>(blockIdx.x) * piece + t, q = slot >> (__ffs(a.chunk) - 1);

    if (q >= a.chunks)
        return; /* a matrix without rows: all threads of the only block return */
    const int at = static_cast<int>(slot) & (a.chunk - 1);
    const int32_t begin = __ldg(a.first + q), end = __ldg(a.first + q + 1);
    const int32_t block_row = lane == 0 ? __ldg(a.perm + slot) : -1;
    int32_t col[N];
    T sum[R] = {};

#pragma unroll
    for (int n = 0; n < N; n++) {
        const int64_t i = static_cast<int64_t>(begin) + lane + n * LANES;
        col[n] = i < end ? load_once(a.col + i * a.chunk + at, a.policy) : -1;
    }
    for (int64_t i = static_cast<int64_t>(begin) + lane; i < end; i += N * LANES)
        bellpack_step<T, R, C, LANES, N>(a, a.col + at, static_cast<const T *>(a.val) + at, static_cast<int32_t>(i),
                                         end, col, sum);
    if (LANES > 1) {
        if (lane > 0)
#pragma unroll
            for (int row = 0; row < R; row++)
                part[((lane - 1) * R + row) * piece + t] = sum[row];
        __syncthreads();
        if (lane == 0)
#pragma unroll
            for (int l = 0; l < LANES - 1; l++)
#pragma unroll
                for (int row = 0; row < R; row++)
                    sum[row] += part[(l * R + row) * piece + t];
    }
    if (block_row < 0)
        return;
#pragma unroll
    for (int row = 0; row < R; row++) {
        const int64_t to = static_cast<int64_t>(block_row) * R + row;
        if (to < a.rows)
            store_y(y + to, sum[row], a.add);
    }
}

struct bellpack_function {
    int r, c;
    const void *function[NPRECISIONS][4]; /* [precision][log2 lanes] */
};

template <typename T, int R, int C, int LANES> static const void *address(void)
{
    return reinterpret_cast<const void *>(bellpack_spmv<T, R, C, LANES>);
}

template <int R, int C> static struct bellpack_function functions_of(void)
{
    return { R,
             C,
             { { address<float, R, C, 1>(), address<float, R, C, 2>(), address<float, R, C, 4>(),
                 address<float, R, C, 8>() },
               { address<double, R, C, 1>(), address<double, R, C, 2>(), address<double, R, C, 4>(),
                 address<double, R, C, 8>() } } };
}

static const void *function_find(int r, int c, int lanes, enum precision p)
{
    static const struct bellpack_function table[] = { functions_of<1, 2>(), functions_of<2, 2>(), functions_of<2, 3>(),
                                                      functions_of<3, 2>(), functions_of<3, 3>(), functions_of<3, 4>(),
                                                      functions_of<4, 4>(), functions_of<5, 5>(), functions_of<6, 6>(),
                                                      functions_of<7, 7>(), functions_of<8, 8>() };
    int level = 0;

    while (1 << level < lanes)
        level++;
    for (const struct bellpack_function &f : table)
        if (f.r == r && f.c == c)
            return f.function[p][level];
    return nullptr;
}

static int bellpack_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                            char why[ERRLEN])
{
    const struct bellpack_storage *s = reinterpret_cast<const struct bellpack_storage *>(base);
    const int r = static_cast<int>(config_int(config, "r")), c = static_cast<int>(config_int(config, "c"));
    const int chunk = static_cast<int>(config_int(config, "chunk")),
              lanes = static_cast<int>(config_int(config, "lanes"));
    const void *function = function_find(r, c, lanes, base->target.precision);
    const int64_t shared =
        static_cast<int64_t>(lanes - 1) * r * bellpack_piece(chunk, lanes) * precision_bytes(base->target.precision);
    struct bellpack_args a = {};

    if (!function)
        return fail(why, "bellpack: no kernel for %dx%d blocks", r, c);
    a.rows = static_cast<int32_t>(base->rows);
    a.cols = static_cast<int32_t>(base->cols);
    a.chunks = s->chunks;
    a.chunk = chunk;
    a.first = s->first;
    a.perm = s->perm;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    return prepared_make(function, bellpack_grid(base->rows, r, chunk, lanes), a, prepared, why,
                         static_cast<size_t>(shared));
}

extern const struct kernel_cuda bellpack_kernel_cuda = { .name = "bellpack",
                                                         .prepare = bellpack_prepare,
                                                         .launch = prepared_launch<bellpack_args>,
                                                         .attributes = prepared_attributes<bellpack_args>,
                                                         .part = nullptr,
                                                         .release = prepared_release,
                                                         .waits = false };
