/* SPDX-License-Identifier: BSD-3-Clause */
/* Small services for the formats' CUDA code: prefix sums, grids, kernel attributes. */
#include <climits>
#include <cub/device/device_scan.cuh>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"

int cuda_scan(struct device *d, int32_t *row_ptr, int64_t rows, char why[ERRLEN])
{
    void *scratch = nullptr;
    size_t bytes = 0;
    int status = 0;

    if ((status = CUDA_CHECK(d, cudaMemsetAsync(row_ptr + rows, 0, sizeof *row_ptr, cuda_stream(d)), why)) != 0) goto out;
    if ((status = CUDA_CHECK(d, cub::DeviceScan::ExclusiveSum(nullptr, bytes, row_ptr, row_ptr, rows + 1, cuda_stream(d)), why)) != 0) goto out;
    if ((status = cuda_alloc(d, static_cast<int64_t>(bytes), &scratch, why)) != 0) goto out;
    if ((status = CUDA_CHECK(d, cub::DeviceScan::ExclusiveSum(scratch, bytes, row_ptr, row_ptr, rows + 1, cuda_stream(d)), why)) != 0) goto out;
    status = CUDA_WAIT(d, why);
out:
    cuda_release(d, scratch);
    return status;
}

int cuda_grid(struct grid g, dim3 *blocks, dim3 *threads, char why[ERRLEN])
{
    if (g.blocks < 1 || g.blocks > INT_MAX || g.threads < 1 || g.threads > 1024)
        return fail(why, "a grid of %lld blocks of %d threads: CUDA takes 1 to %d blocks of 1 to 1024", static_cast<long long>(g.blocks), g.threads, INT_MAX);
    *blocks = dim3(static_cast<unsigned>(g.blocks));
    *threads = dim3(static_cast<unsigned>(g.threads));
    return 0;
}

int cuda_attributes(const void *function, int threads, struct kernel_attributes *a)
{
    cudaFuncAttributes f;
    int device = 0, sm_threads = 0;

    if (cudaFuncGetAttributes(&f, function) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks_per_sm, function, threads, 0) != cudaSuccess) {
        (void)cudaGetLastError();
        return FAIL;
    }
    a->registers = f.numRegs;
    a->shared_bytes = static_cast<int64_t>(f.sharedSizeBytes);
    a->local_bytes = static_cast<int64_t>(f.localSizeBytes);
    a->occupancy = static_cast<double>(a->blocks_per_sm) * threads / sm_threads;
    return 0;
}
