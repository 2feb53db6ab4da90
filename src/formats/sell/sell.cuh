/* SPDX-License-Identifier: BSD-3-Clause */
/* What sell's CUDA sources share. */
#ifndef SPMVCAST_FORMATS_SELL_CUH
#define SPMVCAST_FORMATS_SELL_CUH
#include "device/cuda.cuh"
#include "formats/sell/sell_dev.h"

void sell_release(struct device *, struct device_layout *);

/* sell_build.cu: layout_cuda->build. */
int sell_build_cuda(struct device *, const struct device_csr *, const struct config *, const struct features *, struct device_layout **, char why[ERRLEN]);
#endif
