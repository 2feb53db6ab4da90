/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts rows by length on a CUDA device: one stable radix sort whose keys ascend by window, then by descending
 * length. */
#include "formats/build_cuda.cuh"

enum { ORDER_BLOCK = 256 };

/* Thread t of the grid handles row t. */
static __global__ void __launch_bounds__(ORDER_BLOCK)
    order_keys(const int32_t *row_ptr, int64_t rows, int64_t window, int64_t longest, int length_bits,
               uint64_t behind_all, bool empties_last, uint64_t *key, int32_t *row)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i >= rows)
        return;
    const int64_t length = row_ptr[i + 1] - row_ptr[i];
    key[i] = length == 0 && empties_last
                 ? behind_all
                 : static_cast<uint64_t>(i / window) << length_bits | static_cast<uint64_t>(longest - length);
    row[i] = static_cast<int32_t>(i);
}

int cuda_rows_order(struct device *d, const struct device_csr *csr, int64_t window, bool empties_last, int32_t *perm,
                    char why[ERRLEN])
{
    const int64_t rows = csr->rows;
    uint64_t *key = nullptr, *sorted = nullptr;
    int32_t *row = nullptr;
    dim3 blocks, threads;
    int length_bits, key_bits, status;

    if (rows == 0)
        return 0;
    length_bits = bits_of(static_cast<uint64_t>(csr->row_max));
    key_bits = length_bits + bits_of(static_cast<uint64_t>((rows - 1) / window));
    if ((status = cuda_alloc_n(d, rows, &key, why)) != 0)
        goto out;
    if ((status = cuda_alloc_n(d, rows, &sorted, why)) != 0)
        goto out;
    if ((status = cuda_alloc_n(d, rows, &row, why)) != 0)
        goto out;
    if ((status = cuda_grid(grid_of(rows, ORDER_BLOCK), &blocks, &threads, why)) != 0)
        goto out;
    order_keys<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, rows, window, csr->row_max, length_bits,
                                                       uint64_t(1) << key_bits, empties_last, key, row);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    status = cuda_sort(d, key, sorted, row, perm, rows, key_bits + (empties_last ? 1 : 0), why);
out:
    cuda_release(d, key);
    cuda_release(d, sorted);
    cuda_release(d, row);
    return status;
}
