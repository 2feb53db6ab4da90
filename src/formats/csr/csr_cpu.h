/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU device's CSR kernels, x and y in the storage's precision, sums in that precision too. */
#ifndef SPMVCAST_FORMATS_CSR_CPU_H
#define SPMVCAST_FORMATS_CSR_CPU_H
#include "formats/csr/csr.h"
void csr_spmv_rows(const struct storage *, const void *x, void *y, enum y_mode);
void csr_spmv_lanes(const struct storage *, int lanes, const void *x, void *y, enum y_mode);
void csr_spmv_equal(const struct storage *, const void *x, void *y, enum y_mode);
#endif
