/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout coo on a CUDA device: refers to the columns and values of the CSR, makes the rows. */
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/build_cuda.cuh"
#include "formats/coo/coo.cuh"

/* Stores the row of each entry; one warp per row. */
static __global__ void coo_rows(const int32_t *row_ptr, int32_t rows, int32_t *row)
{
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;

    if (i >= rows)
        return;
    for (int64_t k = row_ptr[i] + static_cast<int64_t>(threadIdx.x % WARP); k < row_ptr[i + 1]; k += WARP)
        row[k] = static_cast<int32_t>(i);
}

int coo_rows_build(struct device *d, const struct device_csr *csr, struct coo_storage *s, char why[ERRLEN])
{
    dim3 blocks, threads;
    int status = 0;

    if ((status = storage_array(&s->base, &s->row, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(csr->rows * WARP, 256), &blocks, &threads, why)) != 0)
        return status;
    coo_rows<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, static_cast<int32_t>(csr->rows), s->row);
    return CUDA_LAUNCHED(d, why);
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *, const struct features *,
                        struct storage **out, char why[ERRLEN])
{
    struct coo_storage *s = static_cast<struct coo_storage *>(storage_on(d, &coo_layout, csr));
    int status = 0;

    storage_borrow(&s->base, &s->col, csr->col);
    storage_borrow(&s->base, &s->val, csr->val);
    if ((status = coo_rows_build(d, csr, s, why)) == 0)
        status = CUDA_WAIT(d, why);
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda coo_layout_cuda = { .name = "coo", .build = layout_build, .refers = true };
