/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the layouts' builds on a CUDA device share. */
#ifndef SPMVCAST_FORMATS_BUILD_CUDA_CUH
#define SPMVCAST_FORMATS_BUILD_CUDA_CUH
#include "device/cuda.cuh"
#include "formats/storage.h"

/* Returns the smallest number of bits, at least 1, that can hold 0 .. most. */
static inline int bits_of(uint64_t most)
{
    int n = 1;

    while (n < 64 && most >> n)
        n++;
    return n;
}

/* row_order.cu: writes the rows to perm[0 .. rows - 1] in device memory, in the order of rows_order()
 * (formats/build.h): sorted by descending length within windows of `window` rows, stably. empties_last: rows without
 * entries come after all others, regardless of their window. Returns 0, FAIL or OOM. */
int cuda_rows_order(struct device *, const struct device_csr *, int64_t window, bool empties_last, int32_t *perm,
                    char why[ERRLEN]);
#endif
