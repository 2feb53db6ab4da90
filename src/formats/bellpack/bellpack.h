/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked ELLPACK (choi2010, section 5): block rows of r x c blocks, sorted by descending number of blocks (stable).
 * Every `chunk` block rows form a separate ELLPACK, as wide as its first block row. With R = chunk, for block row t
 * of chunk q:
 *   val[((first[q] + i) r c + e) R + t]    value e (row by row) of block i
 *   col[(first[q] + i) R + t]              block column of block i; padding has values 0 and repeats the last one
 *   perm[q R + t]                          number of the block row in the matrix; -1: fills up the last chunk */
#ifndef SPMVCAST_FORMATS_BELLPACK_BELLPACK_H
#define SPMVCAST_FORMATS_BELLPACK_BELLPACK_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { BELLPACK_THREADS_MAX = 512 };

struct bellpack_storage {
    struct storage base;
    int r, c, chunk;
    int64_t chunks, width; /* width: sum of the widths of all chunks */
    int32_t *first;        /* [chunks + 1], sum of the widths of the chunks before q */
    int32_t *perm;         /* [chunks][chunk] */
    int32_t *col;          /* [width][chunk] */
    void *val;             /* [width][r c][chunk] in target.precision */
};

static inline int64_t bellpack_chunks(int64_t rows, int r, int chunk)
{
    return ((rows + r - 1) / r + chunk - 1) / chunk;
}

/* Returns the number of block rows per thread block, with `lanes` threads each: a chunk, or the part of one that fits
 * BELLPACK_THREADS_MAX threads. */
static inline int bellpack_piece(int chunk, int lanes)
{
    return chunk * lanes <= BELLPACK_THREADS_MAX ? chunk : BELLPACK_THREADS_MAX / lanes;
}
static inline struct grid bellpack_grid(int64_t rows, int r, int chunk, int lanes)
{
    return grid_of(bellpack_chunks(rows, r, chunk) * chunk * lanes, bellpack_piece(chunk, lanes) * lanes);
}

extern const struct layout bellpack_layout;
#ifdef __cplusplus
}
#endif
#endif
