/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR on a CUDA device: the stored arrays, and the arguments of the kernels. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_DEV_CUH
#define SPMVCAST_FORMATS_CSR_CSR_DEV_CUH
#include "formats/format.h"

struct csr_dev {
    struct device_layout base;
    bool owned; /* false: the arrays belong to a struct device_csr */
    int32_t *row_ptr, *col;
    void *val;
    int64_t row_max;                 /* 0: unknown */
    int64_t long_rows, long_entries; /* as in struct device_csr */
};

struct csr_args {
    int32_t rows, group_rows; /* csr-scalar: group_rows unused */
    const int32_t *row_ptr, *col;
    const void *val, *x;
    void *y;
    bool add;
};
#endif
