/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix sums and sorts for building formats, with CUB: its templates compile slowly, so only this file includes them. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include "device/cuda.cuh"

template <typename T> static int scan(struct device *d, T *value, int64_t n, char why[ERRLEN])
{
    void *scratch = nullptr;
    size_t bytes = 0;
    int status = 0;

    if ((status = CUDA_CHECK(d, cudaMemsetAsync(value + n, 0, sizeof *value, cuda_stream(d)), why)) != 0)
        goto out;
    if ((status =
             CUDA_CHECK(d, cub::DeviceScan::ExclusiveSum(nullptr, bytes, value, value, n + 1, cuda_stream(d)), why))
        != 0)
        goto out;
    if ((status = cuda_alloc(d, static_cast<int64_t>(bytes), &scratch, why)) != 0)
        goto out;
    if ((status =
             CUDA_CHECK(d, cub::DeviceScan::ExclusiveSum(scratch, bytes, value, value, n + 1, cuda_stream(d)), why))
        != 0)
        goto out;
    status = CUDA_WAIT(d, why);
out:
    cuda_release(d, scratch);
    return status;
}

int cuda_scan(struct device *d, int32_t *value, int64_t n, char why[ERRLEN]) { return scan(d, value, n, why); }
int cuda_scan(struct device *d, int64_t *value, int64_t n, char why[ERRLEN]) { return scan(d, value, n, why); }

int cuda_sort(struct device *d, const uint64_t *key, uint64_t *sorted_key, const int32_t *value, int32_t *sorted,
              int64_t n, int bits, char why[ERRLEN])
{
    void *scratch = nullptr;
    size_t bytes = 0;
    int status = 0;

    if (n == 0)
        return 0;
    if ((status = CUDA_CHECK(d,
                             cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, sorted_key, value, sorted, n, 0, bits,
                                                             cuda_stream(d)),
                             why))
        != 0)
        return status;
    if ((status = cuda_alloc(d, static_cast<int64_t>(bytes), &scratch, why)) != 0)
        return status;
    status = CUDA_CHECK(
        d, cub::DeviceRadixSort::SortPairs(scratch, bytes, key, sorted_key, value, sorted, n, 0, bits, cuda_stream(d)),
        why);
    if (status == 0)
        status = CUDA_WAIT(d, why);
    cuda_release(d, scratch);
    return status;
}
