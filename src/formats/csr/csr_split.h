/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split: csr-vector for rows of up to `cut` entries; longer ones are dealt out to warps in pieces of at most CSR_PIECE entries. */
#ifndef SPMVCAST_FORMATS_CSR_SPLIT_H
#define SPMVCAST_FORMATS_CSR_SPLIT_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { CSR_PIECE = 512 };

static inline int64_t csr_split_pieces(int64_t length, int64_t cut) { return length > cut ? (length + CSR_PIECE - 1) / CSR_PIECE : 0; }

/* Blocks of pieces, a warp each, come first: they take longest. */
static inline int64_t csr_split_piece_blocks(int64_t pieces, int block) { return (pieces * 32 + block - 1) / block; }
static inline struct grid csr_split_grid(int64_t rows, int64_t pieces, int lanes, int block)
{
    struct grid g = csr_vector_grid(rows, lanes, 1, block);
    g.blocks += csr_split_piece_blocks(pieces, block);
    return g;
}
#ifdef __cplusplus
}
#endif
#endif
