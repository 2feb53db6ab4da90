/* SPDX-License-Identifier: BSD-3-Clause */
/* What the layouts' builds on a CUDA device share. */
#ifndef SPMVCAST_FORMATS_BUILD_CUDA_CUH
#define SPMVCAST_FORMATS_BUILD_CUDA_CUH
#include "device/cuda.cuh"
#include "formats/format.h"

/* The least number of bits, at least 1, that holds 0 .. most. */
static inline int bits_of(uint64_t most)
{
    int n = 1;

    while (n < 64 && most >> n)
        n++;
    return n;
}

/* row_order.cu: perm[0 .. rows - 1] in device memory = the rows as rows_order() has them (formats/build.h): by
 * descending length within windows of `window` rows, equal ones in order. empties_last: rows without entries are behind
 * all others, of whichever window. */
int cuda_rows_order(struct device *, const struct device_csr *, int64_t window, bool empties_last, int32_t *perm,
                    char why[ERRLEN]);
#endif
