/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of `examine` that read row pointers (examine.cu). */
#ifndef SPMVCAST_MATRIX_EXAMINE_ROWS_CUH
#define SPMVCAST_MATRIX_EXAMINE_ROWS_CUH
#include "matrix/examine_notes.cuh"

static __device__ __forceinline__ bool invalid_row(int64_t r, int64_t begin, int64_t end, int64_t rows, int64_t nnz)
{
    return begin < 0 || begin > end || end > nnz || (r == 0 && begin != 0) || (r == rows - 1 && end != nnz);
}

enum { LONGEST, FAULTS, LONG_ROWS, LONG_ENTRIES, DONE, NGLANCE };
/* The least that a caller must know: the longest row, long rows, and whether the row pointers are valid. The last thread block to finish
 * writes the sums to `note` and zeroes them, so that one launch does it all. */
static __global__ void __launch_bounds__(BLOCK)
    glance_rows(const int32_t *row_ptr, int64_t rows, int64_t nnz, u64 *sum, volatile u64 *note)
{
    __shared__ unsigned longest, faults;
    __shared__ bool last;
    __shared__ unsigned long_rows, long_entries;
    unsigned most = 0, bad = 0, rows_beyond = 0, entries_beyond = 0;

    if (threadIdx.x == 0)
        longest = faults = long_rows = long_entries = 0;
    __syncthreads();
    for (int64_t r = static_cast<int64_t>(blockIdx.x) * BLOCK + threadIdx.x; r < rows;
         r += static_cast<int64_t>(gridDim.x) * BLOCK) {
        const int64_t begin = row_ptr[r], end = row_ptr[r + 1];
        const bool invalid = invalid_row(r, begin, end, rows, nnz);
        const unsigned length = invalid ? 0 : static_cast<unsigned>(end - begin);
        bad |= invalid;
        most = max(most, length);
        rows_beyond += length > LONG_FROM;
        entries_beyond += length > LONG_FROM ? length : 0;
    }
    most = __reduce_max_sync(0xffffffffu, most);
    bad = __reduce_or_sync(0xffffffffu, bad);
    rows_beyond = __reduce_add_sync(0xffffffffu, rows_beyond);
    entries_beyond = __reduce_add_sync(0xffffffffu, entries_beyond);
    if (threadIdx.x % WARP == 0) {
        atomicMax(&longest, most);
        atomicOr(&faults, bad);
        atomicAdd(&long_rows, rows_beyond);
        atomicAdd(&long_entries, entries_beyond);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&sum[LONGEST], static_cast<u64>(longest));
        if (faults)
            atomicOr(&sum[FAULTS], static_cast<u64>(1));
        if (long_rows) {
            atomicAdd(&sum[LONG_ROWS], static_cast<u64>(long_rows));
            atomicAdd(&sum[LONG_ENTRIES], static_cast<u64>(long_entries));
        }
        __threadfence();
        last = atomicAdd(&sum[DONE], static_cast<u64>(1)) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < NGLANCE) {
        note[threadIdx.x] = atomicExch(&sum[threadIdx.x], static_cast<u64>(0));
        __threadfence_system();
    }
}

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
    const unsigned rows_beyond = static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, length > LONG_FROM))),
                   entries_beyond = __reduce_add_sync(0xffffffffu, length > LONG_FROM ? length : 0);
    const unsigned least = __reduce_max_sync(0xffffffffu, mine ? 0xffffffffu - length : 0);
    if (lane == 0) {
        sum[threadIdx.x / WARP] = total;
        atomicAdd(&squares, square);
        atomicMax(&shortest, least);
        if (rows_beyond) {
            atomicAdd(&f->long_rows, static_cast<u64>(rows_beyond));
            atomicAdd(&f->long_entries, static_cast<u64>(entries_beyond));
        }
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
