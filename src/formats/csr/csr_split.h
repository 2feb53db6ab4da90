/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split: csr-vector for rows of up to `cut` entries; longer rows are cut into pieces, each processed by a warp
 * or a thread block. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_SPLIT_H
#define SPMVCAST_FORMATS_CSR_CSR_SPLIT_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { CSR_PIECE_STEPS = 16, CSR_PIECE_BLOCK_STEPS = 8 }; /* maximum entries of a piece per thread */

/* Returns the maximum number of entries of a piece, which a thread block (by_block) or a warp processes. */
static inline int csr_split_piece(bool by_block, int block)
{
    return by_block ? CSR_PIECE_BLOCK_STEPS * block : CSR_PIECE_STEPS * CUDA_WARP;
}
/* Returns the number of pieces of a row; 0: the row is not cut. */
static inline int64_t csr_split_pieces(int64_t length, int64_t cut, int64_t piece)
{
    return length > cut ? (length + piece - 1) / piece : 0;
}

/* Returns the number of thread blocks that process pieces. They come first in the grid, because they take longest. */
static inline int64_t csr_split_piece_blocks(int64_t pieces, bool by_block, int block)
{
    return by_block ? pieces : (pieces * CUDA_WARP + block - 1) / block;
}
static inline struct grid csr_split_grid(int64_t rows, int64_t pieces, bool by_block, int lanes, int block)
{
    struct grid g = csr_vector_grid(rows, lanes, 1, block);
    g.blocks += csr_split_piece_blocks(pieces, by_block, block);
    return g;
}
#ifdef __cplusplus
}
#endif
#endif
