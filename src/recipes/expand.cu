/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes on a CUDA device: expansion to CSR row by row (lengths, prefix sum, entries), and a naive reference kernel
 * that reads the recipe but no arrays. */
#include <cinttypes>
#include <climits>
#include <cstdlib>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "recipes/expand.h"
#include "recipes/recipe_rows.h"

enum { BLOCK = 256 };

struct totals {
    unsigned long long nnz;
    long long row_max;
};

/* ----------------------------------------------------------------------------------------------------------
 * expansion */
/* One thread per row. */
static __global__ void expand_lengths(const struct recipe r, int32_t *length, struct totals *totals)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t mine = i < r.rows ? recipe_row_length(&r, i) : 0;
    unsigned long long sum = static_cast<unsigned long long>(mine);
    long long most = mine;

    if (i < r.rows)
        length[i] = static_cast<int32_t>(mine);
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
        most = max(most, __shfl_down_sync(0xffffffffu, most, step));
    }
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&totals->nnz, sum);
        atomicMax(&totals->row_max, most);
    }
}

/* `lanes` neighbouring threads (a power of two up to the block) share a row. */
template <typename T>
static __global__ void expand_entries(const struct recipe r, int lanes, const int32_t *row_ptr, int32_t *col, T *val)
{
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;

    if (i >= r.rows)
        return;
    const int64_t begin = row_ptr[i], length = row_ptr[i + 1] - begin;
    for (int64_t k = static_cast<int64_t>(threadIdx.x) % lanes; k < length; k += lanes) {
        const int64_t j = recipe_column(&r, i, k, length);
        col[begin + k] = static_cast<int32_t>(j);
        val[begin + k] = static_cast<T>(recipe_value(&r, i, j, length));
    }
}

static int lanes_for(int64_t rows, int64_t nnz, int most)
{
    int lanes = 1;

    while (lanes < most && rows > 0 && lanes * rows < nnz)
        lanes *= 2;
    return lanes;
}

static int read_lengths(struct device *d, const struct recipe *r, struct device_csr *csr, char why[ERRLEN])
{
    struct totals *totals = nullptr, host = {};
    dim3 blocks, threads;
    int status = 0;

    if ((status = cuda_upload(d, reinterpret_cast<void **>(&totals), &host, sizeof host, why)) != 0)
        goto out;
    if ((status = cuda_grid({ (r->rows + BLOCK - 1) / BLOCK + (r->rows == 0), BLOCK }, &blocks, &threads, why)) != 0)
        goto out;
    expand_lengths<<<blocks, threads, 0, cuda_stream(d)>>>(*r, csr->row_ptr, totals);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    if ((status = cuda_get(d, &host, totals, sizeof host, why)) != 0)
        goto out;
    csr->nnz = static_cast<int64_t>(host.nnz);
    csr->row_max = host.row_max;
    if (csr->nnz > INT32_MAX)
        status = fail(why, "%" PRId64 " nonzeros exceed the 32-bit offset limit %d; use fewer or shorter rows",
                      static_cast<int64_t>(csr->nnz), INT32_MAX);
out:
    cuda_release(d, totals);
    return status;
}

void cuda_csr_release(struct device *d, struct device_csr *csr)
{
    cuda_release(d, csr->row_ptr);
    cuda_release(d, csr->col);
    cuda_release(d, csr->val);
    csr->row_ptr = csr->col = nullptr;
    csr->val = nullptr;
}

int cuda_expand(struct device *d, const struct recipe *r, enum precision precision, struct device_csr *csr,
                char why[ERRLEN])
{
    int lanes = 1, status = 0;
    dim3 blocks, threads;

    *csr = device_csr();
    csr->rows = r->rows;
    csr->cols = r->cols;
    csr->precision = precision;
    if ((status = cuda_alloc_n(d, r->rows + 1, &csr->row_ptr, why)) != 0)
        goto out;
    if ((status = read_lengths(d, r, csr, why)) != 0)
        goto out;
    if ((status = cuda_scan(d, csr->row_ptr, r->rows, why)) != 0)
        goto out;
    if ((status = cuda_alloc_n(d, csr->nnz, &csr->col, why)) != 0)
        goto out;
    if ((status = cuda_alloc(d, csr->nnz * precision_bytes(precision), &csr->val, why)) != 0)
        goto out;
    lanes = lanes_for(r->rows, csr->nnz, BLOCK);
    if ((status = cuda_grid({ (r->rows * lanes + BLOCK - 1) / BLOCK + (r->rows == 0), BLOCK }, &blocks, &threads, why))
        != 0)
        goto out;
    if (precision == F32)
        expand_entries<float>
            <<<blocks, threads, 0, cuda_stream(d)>>>(*r, lanes, csr->row_ptr, csr->col, static_cast<float *>(csr->val));
    else
        expand_entries<double><<<blocks, threads, 0, cuda_stream(d)>>>(*r, lanes, csr->row_ptr, csr->col,
                                                                       static_cast<double *>(csr->val));
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    status = CUDA_WAIT(d, why);
out:
    if (status)
        cuda_csr_release(d, csr);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------
 * reference */
/* `lanes` (up to a warp) neighbouring threads share a row. All sums are in double. */
static __global__ void reference(const struct recipe r, int lanes, bool f32, double *y, double *bound, int32_t *length)
{
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int64_t n = i < r.rows ? recipe_row_length(&r, i) : 0;
    double sum = 0, size = 0;

    for (int64_t k = lane; k < n; k += lanes) {
        const int64_t j = recipe_column(&r, i, k, n);
        const double v = recipe_value(&r, i, j, n), x = csr_x(j);
        const double product =
            f32 ? static_cast<double>(static_cast<float>(v)) * static_cast<double>(static_cast<float>(x)) : v * x;
        sum += product;
        size += fabs(product);
    }
    sum = group_sum(sum, lanes);
    size = group_sum(size, lanes);
    if (lane != 0 || i >= r.rows)
        return;
    y[i] = sum;
    bound[i] = size;
    length[i] = static_cast<int32_t>(n);
}

int cuda_recipe_reference(struct device *d, const struct recipe *r, enum precision precision, double *y, double *bound,
                          int32_t *length, char why[ERRLEN])
{
    const int lanes = lanes_for(r->rows, r->rows > 0 ? r->rows * recipe_row_length(r, r->rows / 2) : 0, WARP);
    double *dev_y = nullptr, *dev_bound = nullptr;
    int32_t *dev_length = nullptr;
    dim3 blocks, threads;
    int status = 0;

    if ((status = cuda_alloc_n(d, r->rows, &dev_y, why)) != 0)
        goto out;
    if ((status = cuda_alloc_n(d, r->rows, &dev_bound, why)) != 0)
        goto out;
    if ((status = cuda_alloc_n(d, r->rows, &dev_length, why)) != 0)
        goto out;
    if ((status = cuda_grid({ (r->rows * lanes + BLOCK - 1) / BLOCK + (r->rows == 0), BLOCK }, &blocks, &threads, why))
        != 0)
        goto out;
    reference<<<blocks, threads, 0, cuda_stream(d)>>>(*r, lanes, precision == F32, dev_y, dev_bound, dev_length);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    if ((status = cuda_get(d, y, dev_y, r->rows * 8, why)) != 0)
        goto out;
    if ((status = cuda_get(d, bound, dev_bound, r->rows * 8, why)) != 0)
        goto out;
    status = cuda_get(d, length, dev_length, r->rows * 4, why);
out:
    cuda_release(d, dev_y);
    cuda_release(d, dev_bound);
    cuda_release(d, dev_length);
    return status;
}
