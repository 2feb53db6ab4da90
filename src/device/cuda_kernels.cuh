/* SPDX-License-Identifier: BSD-3-Clause */
/* What CUDA kernels share on the device's side: loads, reductions, values by precision. */
#ifndef SPMVCAST_DEVICE_CUDA_KERNELS_CUH
#define SPMVCAST_DEVICE_CUDA_KERNELS_CUH
#include <cstdint>
#include "formats/format.h"

enum { WARP = 32 };

template <enum precision P> struct value_of;
template <> struct value_of<F32> {
    using type = float;
};
template <> struct value_of<F64> {
    using type = double;
};

/* Matrix data that a warp reads in whole sectors, once: past the L1, which is left to x. */
static __device__ __forceinline__ int32_t load_once(const int32_t *p)
{
    int32_t v;
    asm volatile("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
static __device__ __forceinline__ float load_once(const float *p)
{
    float v;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
static __device__ __forceinline__ double load_once(const double *p)
{
    double v;
    asm volatile("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(v) : "l"(p));
    return v;
}

/* Programmatic dependent launch (compute capability 9.0 on): let_next_start() tells that the next kernel's blocks may
 * be placed as soon as all of this one have started; wait_for_previous() returns when the previous kernel is over and
 * its writes are seen. Without an early launch both do nothing. */
static __device__ __forceinline__ void let_next_start(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
static __device__ __forceinline__ void wait_for_previous(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Sum over groups of `lanes` (a power of two up to 32) neighbouring threads, in the group's first; all 32 threads take
 * part. */
template <typename T> static __device__ __forceinline__ T group_sum(T v, int lanes)
{
    for (int step = lanes / 2; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, static_cast<unsigned>(step), lanes);
    return v;
}
template <int LANES, typename T> static __device__ __forceinline__ T group_sum(T v)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, static_cast<unsigned>(step), LANES);
    return v;
}

/* Sum over the block, in thread 0. `scratch` holds a value a warp; free for others after the next __syncthreads. */
template <int BLOCK, typename T> static __device__ __forceinline__ T block_sum(T v, T *scratch)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;

    v = group_sum<WARP>(v);
    if (lane == 0)
        scratch[warp] = v;
    __syncthreads();
    if (warp == 0)
        v = group_sum<WARP>(lane < BLOCK / WARP ? scratch[lane] : T(0));
    return v;
}

template <typename T> static __device__ __forceinline__ void store_y(T *y, T sum, bool add)
{
    *y = add ? *y + sum : sum;
}
#endif
