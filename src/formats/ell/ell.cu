/* SPDX-License-Identifier: BSD-3-Clause */
/* ELLPACK on a CUDA device: upload, build from CSR and prepared kernel. */
#include "formats/build_cuda.cuh"
#include "formats/ell/ell.h"
#include "formats/prepared.cuh"

struct ell_args {
    int32_t rows;
    int64_t height, width;
    uint32_t lanes_log; /* log2 of the warps that share 32 rows */
    const int32_t *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* ---------------------------------------------------------------------------------------------------------- layout */
/* Fills the columns: thread t of the grid handles row t, padding rows included. */
template <typename T>
static __global__ void ell_from_csr(const int32_t *row_ptr, const int32_t *col, const T *val, int64_t rows,
                                    int64_t height, int64_t width, int32_t *to_col, T *to_val)
{
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (row >= height)
        return;
    const int64_t begin = row < rows ? row_ptr[row] : 0, length = row < rows ? row_ptr[row + 1] - begin : 0;
    for (int64_t e = 0; e < width; e++) {
        to_col[e * height + row] = e < length ? col[begin + e] : -1;
        to_val[e * height + row] = e < length ? val[begin + e] : T(0);
    }
}

template <typename T>
static void launch_from_csr(struct device *d, const struct device_csr *csr, struct ell_storage *s, dim3 blocks,
                            dim3 threads)
{
    ell_from_csr<T><<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, csr->col, static_cast<const T *>(csr->val),
                                                            csr->rows, s->height, s->width, s->col,
                                                            static_cast<T *>(s->val));
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *, const struct features *,
                        struct storage **out, char why[ERRLEN])
{
    struct ell_storage *s = static_cast<struct ell_storage *>(storage_on(d, &ell_layout, csr));
    dim3 blocks, threads;
    int status = 0;

    s->height = ell_height(csr->rows);
    s->width = csr->row_max;
    if ((status = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((status = cuda_grid(grid_of(s->height, 256), &blocks, &threads, why)) != 0)
        goto out;
    if (csr->precision == F32)
        launch_from_csr<float>(d, csr, s, blocks, threads);
    else
        launch_from_csr<double>(d, csr, s, blocks, threads);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    status = CUDA_WAIT(d, why);
out:
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda ell_layout_cuda = { .name = "ell", .build = layout_build, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
/* A warp handles 32 neighbouring rows, one per thread. It reads their columns, `height` elements apart, coalesced,
 * and each thread stops at the first padding of its row.
 * With SPLIT, 1 << lanes_log neighbouring warps of a block take turns at the columns of the same 32 rows, STEPS at a
 * time, and their sums are added in order in shared memory. Moves at least nnz (4 + s) bytes, at most the bytes of
 * all padding in addition, and x and y. */
template <typename T, bool SPLIT> static __global__ void __launch_bounds__(ELL_BLOCK_MAX) ell_spmv(const ell_args a)
{
    constexpr int STEPS = 4;
    const T *val = static_cast<const T *>(a.val), *x = static_cast<const T *>(a.x);
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, warp = thread / WARP;
    const uint32_t lanes = SPLIT ? 1u << a.lanes_log : 1u,
                   first = SPLIT ? static_cast<uint32_t>(warp) & (lanes - 1) : 0u;
    const int64_t row = SPLIT ? (warp >> a.lanes_log) * WARP + threadIdx.x % WARP : thread;
    T sum = 0;

    if (!SPLIT && row >= a.rows)
        return;
    for (int64_t e = first * STEPS; e < a.width && row < a.rows; e += lanes * STEPS) {
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            col[i] = e + i < a.width ? load_once(a.col + (e + i) * a.height + row, a.policy) : -1;
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            v[i] = col[i] >= 0 ? load_once(val + (e + i) * a.height + row, a.policy) : T(0);
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
        if (col[STEPS - 1] < 0)
            break;
    }
    if constexpr (SPLIT) {
        __shared__ T partial[ELL_BLOCK_MAX];
        partial[threadIdx.x] = sum;
        __syncthreads();
        if (first != 0 || row >= a.rows)
            return;
        for (uint32_t l = 1; l < lanes; l++)
            sum += partial[threadIdx.x + l * WARP];
    }
    store_y(static_cast<T *>(a.y) + row, sum, a.add);
}

template <typename T> static const void *function_of(bool split)
{
    return split ? address(ell_spmv<T, true>) : address(ell_spmv<T, false>);
}

static int ell_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    const struct ell_storage *s = reinterpret_cast<const struct ell_storage *>(base);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    struct ell_args a = {};

    a.rows = static_cast<int32_t>(base->rows);
    a.height = s->height;
    a.width = s->width;
    while (1 << a.lanes_log < lanes)
        a.lanes_log++;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    return prepared_make(base->target.precision == F32 ? function_of<float>(lanes > 1) : function_of<double>(lanes > 1),
                         ell_grid(base->rows, lanes, block), a, prepared, why);
}

extern const struct kernel_cuda ell_kernel_cuda = { .name = "ell",
                                                    .prepare = ell_prepare,
                                                    .launch = prepared_launch<ell_args>,
                                                    .attributes = prepared_attributes<ell_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release,
                                                    .waits = false };
