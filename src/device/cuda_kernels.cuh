/* SPDX-License-Identifier: BSD-3-Clause */
/* Device-side functions shared by CUDA kernels: loads, reductions, value types. */
#ifndef SPMVCAST_DEVICE_CUDA_KERNELS_CUH
#define SPMVCAST_DEVICE_CUDA_KERNELS_CUH
#include <cstdint>
#include "base/target.h"

enum { WARP = 32 };

template <enum precision P> struct value_of;
template <> struct value_of<F32> {
    using type = float;
};
template <> struct value_of<F64> {
    using type = double;
};

/* load_once() loads matrix data, which a product reads once. `policy` says what the L2 keeps of it: l2_policy() in formats/l2_policy.h.
 * Devices before compute capability 8.0 have no policies. */
#if __CUDA_ARCH__ >= 800
#define LOAD_ONCE "ld.global.nc.L2::cache_hint."
#define LOAD_POLICY(operand) ", %" #operand ";"
#else
#define LOAD_ONCE "ld.global.nc."
#define LOAD_POLICY(operand) ";"
#endif
#define LOAD_ONCE_AS(result, element, kind, constraint)                                                    \
    static __device__ __forceinline__ result load_once(const element *p, uint64_t policy)                  \
    {                                                                                                      \
        result v;                                                                                          \
        asm volatile(LOAD_ONCE kind " %0, [%1]" LOAD_POLICY(2) : "=" constraint(v) : "l"(p), "l"(policy)); \
        return v;                                                                                          \
    }
LOAD_ONCE_AS(int32_t, int32_t, "s32", "r")
LOAD_ONCE_AS(float, float, "f32", "f")
LOAD_ONCE_AS(double, double, "f64", "d")
LOAD_ONCE_AS(uint32_t, uint8_t, "u8", "r")
LOAD_ONCE_AS(uint32_t, uint16_t, "u16", "r")
LOAD_ONCE_AS(uint32_t, uint32_t, "u32", "r")
LOAD_ONCE_AS(uint64_t, uint64_t, "u64", "l")
#undef LOAD_ONCE_AS
static __device__ __forceinline__ int2 load_once(const int2 *p, uint64_t policy)
{
    int2 v;
    asm volatile(LOAD_ONCE "v2.s32 {%0, %1}, [%2]" LOAD_POLICY(3) : "=r"(v.x), "=r"(v.y) : "l"(p), "l"(policy));
    return v;
}
static __device__ __forceinline__ int4 load_once(const int4 *p, uint64_t policy)
{
    int4 v;
    asm volatile(LOAD_ONCE "v4.s32 {%0, %1, %2, %3}, [%4]" LOAD_POLICY(5)
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p), "l"(policy));
    return v;
}
static __device__ __forceinline__ float4 load_once(const float4 *p, uint64_t policy)
{
    float4 v;
    asm volatile(LOAD_ONCE "v4.f32 {%0, %1, %2, %3}, [%4]" LOAD_POLICY(5)
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p), "l"(policy));
    return v;
}
static __device__ __forceinline__ double2 load_once(const double2 *p, uint64_t policy)
{
    double2 v;
    asm volatile(LOAD_ONCE "v2.f64 {%0, %1}, [%2]" LOAD_POLICY(3) : "=d"(v.x), "=d"(v.y) : "l"(p), "l"(policy));
    return v;
}

/* Programmatic dependent launch (compute capability 9.0 and later): blocks of the next kernel may start once all
 * blocks of this one have called let_next_start() or ended; wait_for_previous() returns when the previous kernel has
 * finished and its writes are visible. Without an early launch both do nothing. */
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

/* Sums over groups of `lanes` adjacent threads (a power of two up to 32); the first thread of each group gets the sum. All 32
 * threads of the warp must call it. */
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

/* Sums over the block; thread 0 gets the sum. `scratch` holds one value per warp and may be reused after the next
 * __syncthreads. */
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
