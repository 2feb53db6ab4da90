/* SPDX-License-Identifier: BSD-3-Clause */
/* sell on a CUDA device: the arrays of struct sell_storage in device memory. */
#ifndef SPMVCAST_FORMATS_SELL_SELL_DEV_H
#define SPMVCAST_FORMATS_SELL_SELL_DEV_H
#include "formats/format.h"

struct sell_step; /* sell.h */

struct sell_dev {
    struct device_layout base;
    int32_t c;
    int64_t slices, strips, slots, units;
    int32_t *off, *perm;
    void *val;
    int32_t *col;
    struct sell_step *step;
    uint8_t *code;
};
#endif
