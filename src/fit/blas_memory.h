/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenBLAS maps a buffer of 128 MiB per thread at its first use, and tries again for ever if it gets none. */
#ifndef SPMVCAST_FIT_BLAS_MEMORY_H
#define SPMVCAST_FIT_BLAS_MEMORY_H

/* Dies if the address space (ulimit -v) has no room for the buffers of `threads` threads. Call before the first use of LAPACK. */
void blas_memory_check(int threads);
#endif
