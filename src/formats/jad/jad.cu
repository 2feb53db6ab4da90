/* SPDX-License-Identifier: BSD-3-Clause */
/* Jagged diagonals on a CUDA device. */
#include "formats/build_cuda.cuh"
#include "formats/jad/jad.h"
#include "formats/prepared.cuh"

enum { JAD_BLOCK_MAX = 1024, LONG_ROW = 256 };

struct jad_args {
    int32_t rows, longest;
    const int32_t *ptr, *perm, *col;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* ---- build from CSR on the device */
/* Thread t of the grid handles jagged diagonal t: count[t] = number of rows that are longer than t. */
static __global__ void jad_counts(const int32_t *row_ptr, const int32_t *perm, int32_t rows, int32_t longest,
                                  int32_t *count)
{
    const int64_t j = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int32_t low = 0, high = rows;

    if (j >= longest)
        return;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (row_ptr[perm[middle] + 1] - row_ptr[perm[middle]] > j)
            low = middle + 1;
        else
            high = middle;
    }
    count[j] = low;
}

/* Thread t of the grid handles the first LONG_ROW entries of sorted row t; consecutive reads hit the same sector of
 * its row. */
template <typename T>
static __global__ void jad_heads(const int32_t *row_ptr, const int32_t *col, const T *val, int32_t rows,
                                 const int32_t *ptr, const int32_t *perm, int32_t *to_col, T *to_val)
{
    const int64_t n = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (n >= rows)
        return;
    const int64_t begin = row_ptr[perm[n]];
    const int32_t length = min(static_cast<int32_t>(row_ptr[perm[n] + 1] - begin), static_cast<int32_t>(LONG_ROW));
    for (int32_t j = 0; j < length; j++) {
        to_col[ptr[j] + n] = col[begin + j];
        to_val[ptr[j] + n] = val[begin + j];
    }
}

/* Thread t of the grid handles entry first + t of the storage, which is on a diagonal past LONG_ROW, where few rows
 * remain and each is long. */
template <typename T>
static __global__ void jad_tails(const int32_t *row_ptr, const int32_t *col, const T *val, int64_t first, int64_t nnz,
                                 int32_t longest, const int32_t *ptr, const int32_t *perm, int32_t *to_col, T *to_val)
{
    const int64_t at = first + static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int32_t low = LONG_ROW, high = longest - 1;

    if (at >= nnz)
        return;
    while (low < high) { /* the last diagonal that begins at or before `at` */
        const int32_t middle = low + (high - low + 1) / 2;
        if (ptr[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    const int64_t from = static_cast<int64_t>(row_ptr[perm[at - ptr[low]]]) + low;
    to_col[at] = col[from];
    to_val[at] = val[from];
}

static int order_rows(struct device *d, const struct device_csr *csr, struct jad_storage *s, char why[ERRLEN])
{
    const int32_t rows = static_cast<int32_t>(csr->rows), longest = static_cast<int32_t>(csr->row_max);
    dim3 blocks, threads;
    int status = cuda_rows_order(d, csr, csr->rows, false, s->perm, why);

    if (status)
        return status;
    if ((status = cuda_grid(grid_of(longest, 256), &blocks, &threads, why)) != 0)
        return status;
    jad_counts<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, s->perm, rows, longest, s->ptr);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    return cuda_scan(d, s->ptr, longest, why);
}

template <typename T>
static int fill_entries(struct device *d, const struct device_csr *csr, struct jad_storage *s, char why[ERRLEN])
{
    const int32_t rows = static_cast<int32_t>(csr->rows), longest = static_cast<int32_t>(csr->row_max);
    const T *val = static_cast<const T *>(csr->val);
    T *to_val = static_cast<T *>(s->val);
    int32_t first = 0;
    dim3 blocks, threads;
    int status = 0;

    if ((status = cuda_grid(grid_of(rows, 256), &blocks, &threads, why)) != 0)
        return status;
    jad_heads<T>
        <<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, csr->col, val, rows, s->ptr, s->perm, s->col, to_val);
    if ((status = CUDA_LAUNCHED(d, why)) != 0 || longest <= LONG_ROW)
        return status;
    if ((status = cuda_get(d, &first, s->ptr + LONG_ROW, sizeof first, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(csr->nnz - first, 256), &blocks, &threads, why)) != 0)
        return status;
    jad_tails<T><<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, csr->col, val, first, csr->nnz, longest, s->ptr,
                                                         s->perm, s->col, to_val);
    return CUDA_LAUNCHED(d, why);
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *, const struct features *,
                        struct storage **out, char why[ERRLEN])
{
    struct jad_storage *s = static_cast<struct jad_storage *>(storage_on(d, &jad_layout, csr));
    int status = 0;

    s->longest = csr->row_max;
    if ((status = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((status = order_rows(d, csr, s, why)) != 0)
        goto out;
    status = csr->precision == F32 ? fill_entries<float>(d, csr, s, why) : fill_entries<double>(d, csr, s, why);
    if (status == 0)
        status = CUDA_WAIT(d, why);
out:
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda jad_layout_cuda = { .name = "jad", .build = layout_build, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
/* A thread block handles group = blockDim / LANES neighbouring sorted rows; thread t handles row t % group and its
 * diagonals l, l + LANES, ... for l = t / group. If group >= 32, a warp reads 32 neighbouring entries of one
 * diagonal (unaligned: at most one extra sector), and all its threads use the same diagonal bounds. If LANES > 1,
 * the threads of a row add their sums through shared memory, in order. y is written through perm. With values of s
 * bytes, the kernel moves at least nnz (4 + s) + 4 (longest + 1) + 4 rows + s (touched x + rows) bytes; the bounds
 * come from L1 and L2. */
template <typename T, int LANES> static __global__ void __launch_bounds__(JAD_BLOCK_MAX) jad_spmv(const jad_args a)
{
    constexpr int STEPS = 4;
    __shared__ T partial[LANES > 1 ? JAD_BLOCK_MAX : 1];
    const T *val = static_cast<const T *>(a.val), *x = static_cast<const T *>(a.x);
    const uint32_t group = blockDim.x / LANES, mine = threadIdx.x % group, longest = static_cast<uint32_t>(a.longest);
    const int64_t n = static_cast<int64_t>(blockIdx.x) * group + mine;
    const bool writes = threadIdx.x < group && n < a.rows;
    const int32_t row = writes ? __ldg(a.perm + n) : 0;
    uint32_t j = threadIdx.x / group;
    int32_t from[STEPS], to[STEPS];
    T sum = 0;

#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        const uint32_t d = j + static_cast<uint32_t>(i * LANES);
        from[i] = d < longest ? __ldg(a.ptr + d) : 0;
        to[i] = d < longest ? __ldg(a.ptr + d + 1) : 0;
    }
    while (n < to[0] - from[0]) { /* diagonals never get longer: a row without an entry here has none further on */
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const bool there = n < to[i] - from[i];
            col[i] = there ? load_once(a.col + from[i] + n, a.policy) : -1;
            v[i] = there ? load_once(val + from[i] + n, a.policy) : T(0);
        }
        j += STEPS * LANES;
#pragma unroll
        for (int i = 0; i < STEPS; i++) { /* prefetch the bounds of the next diagonals while the entries load */
            const uint32_t d = j + static_cast<uint32_t>(i * LANES);
            from[i] = d < longest ? __ldg(a.ptr + d) : 0;
            to[i] = d < longest ? __ldg(a.ptr + d + 1) : 0;
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
    }
    if constexpr (LANES > 1) {
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (uint32_t l = 1; writes && l < LANES; l++)
            sum += partial[l * group + mine];
    }
    if (writes)
        store_y(static_cast<T *>(a.y) + row, sum, a.add);
}

static int jad_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    static const struct {
        int lanes;
        const void *function[NPRECISIONS];
    } functions[] = { { 1, { address(jad_spmv<float, 1>), address(jad_spmv<double, 1>) } },
                      { 2, { address(jad_spmv<float, 2>), address(jad_spmv<double, 2>) } },
                      { 4, { address(jad_spmv<float, 4>), address(jad_spmv<double, 4>) } },
                      { 8, { address(jad_spmv<float, 8>), address(jad_spmv<double, 8>) } },
                      { 16, { address(jad_spmv<float, 16>), address(jad_spmv<double, 16>) } },
                      { 32, { address(jad_spmv<float, 32>), address(jad_spmv<double, 32>) } } };
    const struct jad_storage *s = reinterpret_cast<const struct jad_storage *>(base);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    struct jad_args a = {};

    a.rows = static_cast<int32_t>(base->rows);
    a.longest = static_cast<int32_t>(s->longest);
    a.ptr = s->ptr;
    a.perm = s->perm;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    for (const auto &f : functions)
        if (f.lanes == lanes)
            return prepared_make(f.function[base->target.precision], jad_grid(base->rows, lanes, block), a, prepared,
                                 why);
    return fail(why, "jad: no kernel for %d lanes per row", lanes);
}

extern const struct kernel_cuda jad_kernel_cuda = { .name = "jad",
                                                    .prepare = jad_prepare,
                                                    .launch = prepared_launch<jad_args>,
                                                    .attributes = prepared_attributes<jad_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release,
                                                    .waits = false };
