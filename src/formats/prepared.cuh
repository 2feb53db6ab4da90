/* SPDX-License-Identifier: BSD-3-Clause */
/* A prepared kernel that consists of one launch: its function, grid and arguments. ARGS is a plain struct that is
 * passed as the kernel parameter; each launch sets its members x, y and add. */
#ifndef SPMVCAST_FORMATS_PREPARED_CUH
#define SPMVCAST_FORMATS_PREPARED_CUH
#include <cstdlib>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/format.h"
#include "formats/l2_policy.h"

template <typename ARGS> struct prepared_kernel {
    const void *function;
    dim3 blocks, threads;
    ARGS args;
    size_t shared;
};

/* shared: bytes of dynamic shared memory per block; cuda_shared() allows more than 48 KiB. */
template <typename ARGS>
int prepared_make(const void *function, struct grid grid, const ARGS &args, void **prepared, char why[ERRLEN],
                  size_t shared = 0)
{
    prepared_kernel<ARGS> *p;
    dim3 blocks, threads;
    const int status = cuda_grid(grid, &blocks, &threads, why);

    if (status)
        return status;
    p = static_cast<prepared_kernel<ARGS> *>(xcalloc(1, sizeof *p));
    p->function = function;
    p->blocks = blocks;
    p->threads = threads;
    p->args = args;
    p->shared = shared;
    *prepared = p;
    return 0;
}

template <typename ARGS> int prepared_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const prepared_kernel<ARGS> *p = static_cast<const prepared_kernel<ARGS> *>(prepared);
    ARGS args = p->args;
    void *parameters[] = { &args };

    args.x = x;
    args.y = y;
    args.add = mode == Y_ADD;
    return cudaLaunchKernel(p->function, p->blocks, p->threads, parameters, p->shared, s->cuda) == cudaSuccess ? 0
                                                                                                               : FAIL;
}

template <typename ARGS> int prepared_attributes(void *prepared, struct kernel_attributes *a)
{
    const prepared_kernel<ARGS> *p = static_cast<const prepared_kernel<ARGS> *>(prepared);
    return cuda_attributes(p->function, static_cast<int>(p->threads.x), a, p->shared);
}

static inline void prepared_release(void *prepared) { free(prepared); }
#endif
