/* SPDX-License-Identifier: BSD-3-Clause */
/* COO on a CUDA device: the arrays, which the kernels of coo and cuSPARSE share. */
#ifndef SPMVCAST_FORMATS_COO_COO_CUH
#define SPMVCAST_FORMATS_COO_COO_CUH
#include "formats/coo/coo.h"

struct coo_dev {
    struct device_layout base;
    bool refers; /* col and val belong to a struct device_csr and are not released here */
    int32_t *row, *col;
    void *val;
};
#endif
