/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of `examine` that read row pointers (examine.cu). */
#ifndef SPMVCAST_MATRIX_EXAMINE_ROWS_CUH
#define SPMVCAST_MATRIX_EXAMINE_ROWS_CUH
#include "matrix/examine_notes.cuh"

/* A thread block has CHUNK aligned rows. */
static __global__ void __launch_bounds__(CHUNK)
    examine_rows(const int32_t *row_ptr, int64_t rows, int64_t nnz, struct facts *f)
{
    __shared__ unsigned count[GROUPS][BINS], sum[CHUNK / WARP], heaviest[HEAVIEST], shortest;
    __shared__ u64 squares;
    const int64_t r = static_cast<int64_t>(blockIdx.x) * CHUNK + threadIdx.x;
    const bool mine = r < rows;
    const int64_t begin = mine ? row_ptr[r] : 0, end = mine ? row_ptr[r + 1] : 0;
    const bool fault = mine && invalid_row(r, begin, end, rows, nnz);
    const unsigned length = fault ? 0 : static_cast<unsigned>(end - begin), lane = threadIdx.x % WARP;

    for (unsigned i = threadIdx.x; i < GROUPS * BINS; i += CHUNK)
        (&count[0][0])[i] = 0;
    if (threadIdx.x < HEAVIEST)
        heaviest[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        shortest = 0;
        squares = 0;
    }
    if (fault)
        f->faults = 1;
    __syncthreads();

    unsigned top = length, total = length;
    for (int k = 0; k < GROUPS; k++) {
        if (mine && threadIdx.x % (1u << k) == 0)
            atomicAdd(&count[k][bin_of(top)], 1u);
        const unsigned most = __reduce_max_sync(0xffffffffu, total);
        if (lane == 0)
            atomicMax(&heaviest[k], most);
        if (k < GROUPS - 1) {
            top = max(top, __shfl_xor_sync(0xffffffffu, top, 1 << k));
            total += __shfl_xor_sync(0xffffffffu, total, 1 << k);
        }
    }
    const u64 square = warp_sum(static_cast<u64>(length) * length);
    const unsigned least = __reduce_max_sync(0xffffffffu, mine ? 0xffffffffu - length : 0);
    if (lane == 0) {
        sum[threadIdx.x / WARP] = total;
        atomicAdd(&squares, square);
        atomicMax(&shortest, least);
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        total = sum[lane];
        for (int k = GROUPS; k < HEAVIEST; k++) {
            total += __shfl_xor_sync(0xffffffffu, total, 1 << (k - GROUPS));
            heaviest[k] = __reduce_max_sync(0xffffffffu, total);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < GROUPS * BINS; i += CHUNK)
        if ((&count[0][0])[i])
            atomicAdd(&(&f->count[0][0])[i], (&count[0][0])[i]);
    if (threadIdx.x < HEAVIEST)
        atomicMax(&f->heaviest[threadIdx.x], heaviest[threadIdx.x]);
    if (threadIdx.x == 0) {
        atomicAdd(&f->squares, squares);
        atomicMax(&f->shortest, shortest);
    }
}
#endif
