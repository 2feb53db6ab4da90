/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for the CUDA code of formats: zeroing, launches, grids, kernel attributes. */
#include <cinttypes>
#include <climits>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"

enum { ZERO_BLOCK = 256, ZERO_EACH = 8 };

/* Each block zeroes ZERO_BLOCK * ZERO_EACH adjacent elements. */
template <typename T> static __global__ void __launch_bounds__(ZERO_BLOCK) zero(T *y, int64_t n)
{
    const int64_t first = static_cast<int64_t>(blockIdx.x) * (ZERO_BLOCK * ZERO_EACH) + threadIdx.x;

    let_next_start();
#pragma unroll
    for (int i = 0; i < ZERO_EACH; i++)
        if (first + i * ZERO_BLOCK < n)
            y[first + i * ZERO_BLOCK] = 0;
}

cudaError_t cuda_zero(void *y, int64_t n, enum precision p, cudaStream_t s)
{
    const unsigned blocks = static_cast<unsigned>((n + ZERO_BLOCK * ZERO_EACH - 1) / (ZERO_BLOCK * ZERO_EACH));

    if (n == 0)
        return cudaSuccess;
    if (p == F32)
        zero<<<blocks, ZERO_BLOCK, 0, s>>>(static_cast<float *>(y), n);
    else
        zero<<<blocks, ZERO_BLOCK, 0, s>>>(static_cast<double *>(y), n);
    return cudaGetLastError();
}

cudaError_t cuda_launch_next(const void *function, dim3 blocks, dim3 threads, void **parameters, bool early,
                             cudaStream_t s)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = s;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelExC(&config, function, parameters);
}

/* Early launches need code compiled for 9.0: older PTX cannot wait for the previous kernel. */
bool cuda_starts_early(const void *function)
{
    cudaFuncAttributes f;

    if (cudaFuncGetAttributes(&f, function) == cudaSuccess)
        return f.ptxVersion >= 90 && f.binaryVersion >= 90;
    (void)cudaGetLastError();
    return false;
}

int cuda_grid(struct grid g, dim3 *blocks, dim3 *threads, char why[ERRLEN])
{
    if (g.blocks < 1 || g.blocks > INT_MAX || g.threads < 1 || g.threads > 1024)
        return fail(why, "grid of %" PRId64 " blocks of %d threads is out of range (1..%d blocks of 1..1024 threads)",
                    static_cast<int64_t>(g.blocks), g.threads, INT_MAX);
    *blocks = dim3(static_cast<unsigned>(g.blocks));
    *threads = dim3(static_cast<unsigned>(g.threads));
    return 0;
}

/* The limit is set to all that the device has, since launches of the same function may differ in their bytes. */
int cuda_shared(struct device *d, const void *function, int64_t bytes, char why[ERRLEN])
{
    cudaFuncAttributes f;
    int most = 0, status;

    if ((status = CUDA_CHECK(d, cudaFuncGetAttributes(&f, function), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->index), why))
        != 0)
        return status;
    most -= static_cast<int>(f.sharedSizeBytes);
    if (bytes > most)
        return fail(why,
                    "%" PRId64 " bytes of shared memory per thread block do not fit the %d bytes that the device gives",
                    bytes, most);
    return CUDA_CHECK(d, cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most), why);
}

int cuda_attributes(const void *function, int threads, struct kernel_attributes *a, size_t shared)
{
    cudaFuncAttributes f;
    int device = 0, sm_threads = 0;

    if (cudaFuncGetAttributes(&f, function) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) != cudaSuccess
        || cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks_per_sm, function, threads, shared) != cudaSuccess) {
        (void)cudaGetLastError();
        return FAIL;
    }
    a->registers = f.numRegs;
    a->shared_bytes = static_cast<int64_t>(f.sharedSizeBytes + shared);
    a->local_bytes = static_cast<int64_t>(f.localSizeBytes);
    a->occupancy = static_cast<double>(a->blocks_per_sm) * threads / sm_threads;
    return 0;
}
