/* SPDX-License-Identifier: BSD-3-Clause */
/* BRC on a CUDA device: what its kernel and its build there share. */
#ifndef SPMVCAST_FORMATS_BRC_CUH
#define SPMVCAST_FORMATS_BRC_CUH
#include "device/cuda.cuh"
#include "formats/brc/brc.h"

/* Arrays as in struct brc_storage. */
struct brc_dev {
    struct device_layout base;
    struct brc_spec spec;
    struct brc_sizes n;
    int32_t *block_offset, *row_perm, *cut_ptr, *empty, *col;
    struct brc_part *part;
    void *val;
};

void brc_release(struct device *, struct device_layout *);
/* brc_build.cu */
int brc_device_build(struct device *, const struct device_csr *, const struct config *, const struct features *, struct device_layout **out, char why[ERRLEN]);
#endif
