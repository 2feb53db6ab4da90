/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels of `examine` share (examine.cu). */
#ifndef SPMVCAST_MATRIX_EXAMINE_NOTES_CUH
#define SPMVCAST_MATRIX_EXAMINE_NOTES_CUH
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "matrix/device_csr.h"

enum {
    CHUNK = 1024,
    BLOCK = 256,
    EACH = 8,
    SAMPLE = 1 << 18,
    FILL_SAMPLE = 1 << 15,
    PROBES = 64,
    SEEN = 1024,
    BLOCKS_SM = 8
};
/* Lengths below COUNTED have a bin each; above, every octave has PER_OCTAVE bins. */
enum { COUNTED = 128, COUNTED_LOG = 7, OCTAVE_LOG = 5, PER_OCTAVE = 1 << OCTAVE_LOG, BINS = COUNTED + 24 * PER_OCTAVE };

typedef unsigned long long u64;

struct facts {
    u64 squares, off_diagonal, diagonals;
    u64 sectors[NPRECISIONS][NSECTORS];
    u64 fill_blocks[BLOCK_FILLS], fill_entries[BLOCK_FILLS];
    unsigned heaviest[HEAVIEST];
    unsigned shortest; /* UINT_MAX - entries of the shortest row */
    unsigned bandwidth, faults;
    unsigned count[GROUPS][BINS];
};

struct slot {
    u64 key, groups;
};

/* Device memory of one examination, zeroed. */
struct notes {
    struct facts *facts;
    unsigned *x_marks, *diagonal_marks; /* bits: sectors of x in f64; diagonals */
    struct slot *slot;
    u64 *fill;
    int64_t x_words, diagonal_words, slots, fills; /* slots, fills: powers of two */
    unsigned stride, fill_stride;                  /* powers of two */
};

static inline __host__ __device__ int bin_of(unsigned length)
{
    if (length < COUNTED)
        return static_cast<int>(length);
#ifdef __CUDA_ARCH__
    const int log = 31 - __clz(static_cast<int>(length));
#else
    const int log = 31 - __builtin_clz(length);
#endif
    return COUNTED + (log - COUNTED_LOG) * PER_OCTAVE
           + static_cast<int>(length >> (log - OCTAVE_LOG) & (PER_OCTAVE - 1));
}

static __device__ __forceinline__ bool invalid_row(int64_t r, int64_t begin, int64_t end, int64_t rows, int64_t nnz)
{
    return begin < 0 || begin > end || end > nnz || (r == 0 && begin != 0) || (r == rows - 1 && end != nnz);
}

static __device__ __forceinline__ u64 mix(u64 h)
{
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static __device__ __forceinline__ u64 warp_sum(u64 v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}
#endif
