/* SPDX-License-Identifier: BSD-3-Clause */
/* What the L2 of a GPU keeps of a matrix from one product to the next. */
#ifndef SPMVCAST_FORMATS_L2_POLICY_H
#define SPMVCAST_FORMATS_L2_POLICY_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the cache policy with which a kernel loads this matrix data (load_once in device/cuda_kernels.cuh), as PTX's createpolicy makes
 * it. */
uint64_t l2_policy(const struct storage *);
/* Policy that keeps n of 16 sixteenths of the lines, and marks the others as the first to go. */
uint64_t l2_policy_keeping(int64_t n);
enum { L2_POLICY_ALL = 16 };
#ifdef __cplusplus
}
#endif
#endif
