/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-staged: CSR for matrices of few columns. One thread block per SM copies x to its shared memory and then works on an equal number of
 * chunks, each of WARP * items consecutive entries, one warp to a chunk.
 *
 * A block writes the rows that begin in its own chunks. The last of them may end in later chunks, whose leading sums the block
 * computes as well (they are `extra` to it), so blocks need nothing from each other. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_STAGED_H
#define SPMVCAST_FORMATS_CSR_CSR_STAGED_H
#include "formats/csr/csr.h"

#ifdef __CUDACC__
#define CSR_STAGED_BOTH static __host__ __device__ inline
#else
#define CSR_STAGED_BOTH static inline
#endif

/* Shared memory of a block: its barrier, then x, then two sums for each of its chunks and one for each extra chunk. */
enum {
    CSR_STAGED_BARRIER = 128,
    CSR_STAGED_WORD = 16
}; /* x is aligned to 128 bytes: bulk copies to less aligned memory are slower */

CSR_STAGED_BOTH int64_t csr_staged_x_bytes(int64_t cols, int64_t value_bytes)
{
    return (cols * value_bytes + CSR_STAGED_WORD - 1) / CSR_STAGED_WORD * CSR_STAGED_WORD;
}
static inline int64_t csr_staged_sums_bytes(int64_t own, int64_t extra, int64_t value_bytes)
{
    return (2 * own + extra) * value_bytes;
}

static inline int64_t csr_staged_chunk(int items) { return (int64_t)CUDA_WARP * items; }
static inline int64_t csr_staged_chunks(int64_t nnz, int items)
{
    return (nnz + csr_staged_chunk(items) - 1) / csr_staged_chunk(items);
}
/* Returns the largest number of chunks after that where a row begins which a row of `length` entries can reach. */
static inline int64_t csr_staged_span(int64_t length, int items)
{
    return (length + csr_staged_chunk(items) - 2) / csr_staged_chunk(items);
}

/* Bytes of the lists of struct csr_staged_args besides `order`: starts, last, rank, end. */
static inline int64_t csr_staged_lists_bytes(int64_t chunks, int64_t blocks)
{
    return chunks * (CUDA_WARP * (int64_t)sizeof(uint16_t) + 3 * (int64_t)sizeof(int32_t))
           + (1 + blocks) * (int64_t)sizeof(int32_t);
}

static inline struct grid csr_staged_grid(int64_t nnz, int items, int block, int sms)
{
    const int64_t chunks = csr_staged_chunks(nnz, items), blocks = chunks < sms ? chunks : sms;
    return grid_of(blocks * block, block);
}
/* Returns the first chunk of a block; that of block number `blocks` is the number of chunks. */
CSR_STAGED_BOTH int32_t csr_staged_first(int32_t chunks, int32_t block, int32_t blocks)
{
    const int32_t each = chunks / blocks, more = chunks % blocks;
    return block * each + (block < more ? block : more);
}
#endif
