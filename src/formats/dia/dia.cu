/* SPDX-License-Identifier: BSD-3-Clause */
/* DIA on a CUDA device: upload, build from CSR and prepared kernel. */
#include <cstdlib>
#include <cstring>
#include "formats/build_cuda.cuh"
#include "formats/dia/dia.h"
#include "formats/prepared.cuh"
#include "formats/values.cuh"

struct dia_args {
    uint32_t rows, cols;
    int32_t n;
    int64_t stride;
    const int32_t *offset;
    const void *val, *table, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
    int32_t near[DIA_NEAR];
};

/* ---------------------------------------------------------------------------------------------------------- layout */
/* Sets the bit of each diagonal that holds an entry; one warp per row. A bit is read from L2 first, so a diagonal of
 * many entries does not cause as many atomic operations. */
static __global__ void dia_mark(const int32_t *row_ptr, const int32_t *col, int64_t rows, uint32_t *bits)
{
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;

    if (i >= rows)
        return;
    for (int64_t k = row_ptr[i] + static_cast<int64_t>(threadIdx.x % WARP); k < row_ptr[i + 1]; k += WARP) {
        const int64_t bit = dia_bit(rows, i, col[k]);
        const uint32_t one = 1u << (bit & 31);
        if (!(__ldcg(bits + (bit >> 5)) & one))
            atomicOr(bits + (bit >> 5), one);
    }
}

/* Fills the diagonals: thread t of the grid handles row t, padding rows included. The entries of a row are in the
 * order of the diagonals. */
template <typename T>
static __global__ void dia_from_csr(const int32_t *row_ptr, const int32_t *col, const T *val, int64_t rows, int64_t n,
                                    int64_t stride, const int32_t *offset, const struct values values, void *to)
{
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (row >= stride) /* whole warps */
        return;
    int64_t k = row < rows ? row_ptr[row] : 0;
    const int64_t end = row < rows ? row_ptr[row + 1] : 0;
    for (int64_t i = 0; i < n; i++) {
        const bool entry = k < end && col[k] - row == offset[i];
        value_store(values, to, i * stride + row - static_cast<int64_t>(threadIdx.x % WARP), entry ? val[k] : T(0),
                    entry);
        k += entry;
    }
}

/* Finds the offsets of the nonempty diagonals; *offset is on the host and owned by the caller. */
static int find_offsets(struct device *d, const struct device_csr *csr, const struct config *config, int32_t **offset,
                        int64_t *n, char why[ERRLEN])
{
    const int64_t bytes = dia_words(csr->rows, csr->cols) * static_cast<int64_t>(sizeof(uint32_t));
    uint32_t *bits = nullptr, *host = static_cast<uint32_t *>(xmalloc(static_cast<unsigned long>(bytes) + 1));
    dim3 blocks, threads;
    int status = 0;

    if ((status = cuda_alloc(d, bytes, reinterpret_cast<void **>(&bits), why)) != 0)
        goto out;
    if (bytes > 0
        && (status = CUDA_CHECK(d, cudaMemsetAsync(bits, 0, static_cast<size_t>(bytes), cuda_stream(d)), why)) != 0)
        goto out;
    if ((status = cuda_grid(grid_of(csr->rows * WARP, 256), &blocks, &threads, why)) != 0)
        goto out;
    dia_mark<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, csr->col, csr->rows, bits);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    if ((status = cuda_get(d, host, bits, bytes, why)) != 0)
        goto out;
    status = dia_offsets(host, csr->rows, csr->cols, config, offset, n, why);
out:
    cuda_release(d, bits);
    free(host);
    return status;
}

template <typename T>
static void launch_from_csr(struct device *d, const struct device_csr *csr, struct dia_storage *s, dim3 blocks,
                            dim3 threads)
{
    dia_from_csr<T><<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, csr->col, static_cast<const T *>(csr->val),
                                                            csr->rows, s->n, s->stride, s->offset, dia_values(s),
                                                            s->val);
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *, struct storage **out, char why[ERRLEN])
{
    struct dia_storage *s = static_cast<struct dia_storage *>(storage_on(d, &dia_layout, csr));
    int32_t *offset = nullptr;
    int64_t n = 0;
    dim3 blocks, threads;
    int status = 0;

    if ((status = find_offsets(d, csr, config, &offset, &n, why)) != 0)
        goto out;
    s->n = n;
    s->as = values_as(config);
    s->stride = dia_stride(csr->rows);
    dia_near(s, offset);
    if ((status = storage_array(&s->base, &s->offset, why)) != 0)
        goto out;
    if ((status = cuda_put(d, s->offset, offset, n * static_cast<int64_t>(sizeof *offset), why)) != 0)
        goto out;
    if ((status = values_examine_cuda(d, csr, s->as, dia_values(s).zero, &s->base, &s->table, &s->entries, why)) != 0)
        goto out;
    if ((status = storage_array(&s->base, &s->val, why)) != 0)
        goto out;
    if ((status = cuda_grid(grid_of(s->stride, 256), &blocks, &threads, why)) != 0)
        goto out;
    if (csr->precision == F32)
        launch_from_csr<float>(d, csr, s, blocks, threads);
    else
        launch_from_csr<double>(d, csr, s, blocks, threads);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    status = CUDA_WAIT(d, why);
out:
    free(offset);
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda dia_layout_cuda = { .name = "dia", .build = layout_build, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
/* Returns *p if wanted, otherwise 0 without reading memory. Uses a predicate so that loads can be issued together. */
static __device__ __forceinline__ float load_if(const float *p, bool wanted)
{
    float v;
    asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; mov.f32 %0, 0f00000000; @q ld.global.nc.f32 %0, [%1];}"
                 : "=f"(v)
                 : "l"(p), "r"(static_cast<unsigned>(wanted)));
    return v;
}
static __device__ __forceinline__ double load_if(const double *p, bool wanted)
{
    double v;
    asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; mov.f64 %0, 0d0000000000000000; @q ld.global.nc.f64 %0, [%1];}"
                 : "=d"(v)
                 : "l"(p), "r"(static_cast<unsigned>(wanted)));
    return v;
}

/* Adds diagonals d .. d + STEPS - 1 to sum[]: loads all values, then all of x, then sums in the order of the
 * diagonals. Columns are taken modulo 2^32, so columns left of 0 also compare as beyond `cols`. */
template <int STEPS, int ROWS, bool ALL_NEAR, int AS, typename T>
static __device__ __forceinline__ void add_diagonals(const dia_args &a, int32_t d, const int32_t (&row)[ROWS],
                                                     T (&sum)[ROWS])
{
    const T *x = static_cast<const T *>(a.x);
    typename value_reader<T, AS>::raw packed[STEPS][ROWS];
    T v[STEPS][ROWS], xs[STEPS][ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const value_reader<T, AS> values(a.val, a.table, d * a.stride + row[r], a.policy);
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            packed[s][r] = values.load(static_cast<uint64_t>(s * a.stride));
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int32_t offset = ALL_NEAR ? a.near[d + s] : __ldg(a.offset + d + s);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint32_t col = static_cast<uint32_t>(row[r]) + static_cast<uint32_t>(offset);
            xs[s][r] = load_if(x + col, col < a.cols);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const value_reader<T, AS> values(a.val, a.table, d * a.stride + row[r], a.policy);
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            v[s][r] = values.value(packed[s][r]);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] += v[s][r] * (v[s][r] != T(0) ? xs[s][r] : T(0));
}

/* Adds the remaining diagonals, at most LEFT, in a single step of exactly that many. */
template <int LEFT, int ROWS, bool ALL_NEAR, int AS, typename T>
static __device__ __forceinline__ void add_rest(const dia_args &a, int32_t d, const int32_t (&row)[ROWS],
                                                T (&sum)[ROWS])
{
    if (a.n - d == LEFT)
        add_diagonals<LEFT, ROWS, ALL_NEAR, AS>(a, d, row, sum);
    else if constexpr (LEFT > 1)
        add_rest<LEFT - 1, ROWS, ALL_NEAR, AS>(a, d, row, sum);
}

/* Thread t of block b handles rows b * block * ROWS + t + r * block, r < ROWS: a warp reads 32 neighbouring slots of
 * a diagonal and as many neighbouring elements of x. Moves diagonals * rows * s bytes, x and y, and no index (up to
 * DIA_NEAR offsets are passed with the launch). If a thread has rows beyond the last, these repeat the last row and are
 * not stored. */
template <typename T, int ROWS, bool ALL_NEAR, int AS>
static __global__ void __launch_bounds__(512) dia_spmv(const __grid_constant__ dia_args a)
{
    constexpr int STEPS = ROWS > 2 ? 4 : 8;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * ROWS + threadIdx.x;
    int32_t row[ROWS], d = 0;
    T sum[ROWS] = {};

    if (first >= a.rows)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        row[r] =
            static_cast<int32_t>(min(first + r * static_cast<int64_t>(blockDim.x), static_cast<int64_t>(a.rows) - 1));
    for (; d + STEPS <= a.n; d += STEPS)
        add_diagonals<STEPS, ROWS, ALL_NEAR, AS>(a, d, row, sum);
    add_rest<STEPS - 1, ROWS, ALL_NEAR, AS>(a, d, row, sum);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (first + r * static_cast<int64_t>(blockDim.x) < a.rows)
            store_y(static_cast<T *>(a.y) + row[r], sum[r], a.add);
}

template <typename T, int AS> static const void *function_for(int rows, bool near)
{
    static const void *const functions[3][2] = {
        { address(dia_spmv<T, 1, false, AS>), address(dia_spmv<T, 1, true, AS>) },
        { address(dia_spmv<T, 2, false, AS>), address(dia_spmv<T, 2, true, AS>) },
        { address(dia_spmv<T, 4, false, AS>), address(dia_spmv<T, 4, true, AS>) }
    };
    return functions[rows / 2][near];
}

/* A dictionary has the 0 of fill, so none has a single value (const). */
template <typename T> static const void *function_of(enum values_as as, int rows, bool near)
{
    return as == AS_DICT1    ? function_for<T, AS_DICT1>(rows, near)
           : as == AS_DICT8  ? function_for<T, AS_DICT8>(rows, near)
           : as == AS_DICT16 ? function_for<T, AS_DICT16>(rows, near)
           : as == AS_NARROW ? function_for<double, AS_NARROW>(rows, near)
                             : function_for<T, AS_FULL>(rows, near);
}

static int dia_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    const struct dia_storage *s = reinterpret_cast<const struct dia_storage *>(base);
    const int rows = static_cast<int>(config_int(config, "rows")),
              block = static_cast<int>(config_int(config, "block"));
    const bool near = s->n <= DIA_NEAR;
    struct dia_args a = {};

    a.rows = static_cast<uint32_t>(base->rows);
    a.cols = static_cast<uint32_t>(base->cols);
    a.n = static_cast<int32_t>(s->n);
    a.stride = s->stride;
    a.offset = s->offset;
    a.val = s->val;
    a.policy = l2_policy(base);
    a.table = s->table;
    memcpy(a.near, s->near, sizeof a.near);
    return prepared_make(base->target.precision == F32 ? function_of<float>(s->as, rows, near)
                                                       : function_of<double>(s->as, rows, near),
                         dia_grid(base->rows, rows, block), a, prepared, why);
}

extern const struct kernel_cuda dia_kernel_cuda = { .name = "dia",
                                                    .prepare = dia_prepare,
                                                    .launch = prepared_launch<dia_args>,
                                                    .attributes = prepared_attributes<dia_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release,
                                                    .waits = false };
