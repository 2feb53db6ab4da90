/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a kernel that is one launch: its function, grid and arguments. ARGS is a plain struct that ends up in the
 * kernel's parameter space; it has members x, y, add, which each launch sets. */
#ifndef SPMVCAST_PLAN_CUH
#define SPMVCAST_PLAN_CUH
#include <cstdlib>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"

template <typename ARGS> struct kernel_plan { const void *function; dim3 blocks, threads; ARGS args; size_t shared; };

/* shared: bytes of dynamic shared memory a block, at most 48 KiB. */
template <typename ARGS> int plan_make(const void *function, struct grid grid, const ARGS &args, void **plan, char why[ERRLEN], size_t shared = 0)
{
    kernel_plan<ARGS> *p;
    dim3 blocks, threads;
    const int status = cuda_grid(grid, &blocks, &threads, why);

    if (status) return status;
    p = static_cast<kernel_plan<ARGS> *>(xcalloc(1, sizeof *p));
    p->function = function;
    p->blocks = blocks;
    p->threads = threads;
    p->args = args;
    p->shared = shared;
    *plan = p;
    return 0;
}

template <typename ARGS> int plan_launch(void *plan, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const kernel_plan<ARGS> *p = static_cast<const kernel_plan<ARGS> *>(plan);
    ARGS args = p->args;
    void *parameters[] = { &args };

    args.x = x;
    args.y = y;
    args.add = mode == Y_ADD;
    return cudaLaunchKernel(p->function, p->blocks, p->threads, parameters, p->shared, s->cuda) == cudaSuccess ? 0 : FAIL;
}

template <typename ARGS> int plan_attributes(void *plan, struct kernel_attributes *a)
{
    const kernel_plan<ARGS> *p = static_cast<const kernel_plan<ARGS> *>(plan);
    return cuda_attributes(p->function, static_cast<int>(p->threads.x), a, p->shared);
}

static inline void plan_release(void *plan) { free(plan); }
#endif
