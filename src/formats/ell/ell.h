/* SPDX-License-Identifier: BSD-3-Clause */
/* ELLPACK: every row is padded to the longest row and stored by columns: entry e of row i is at e * height + i.
 * Padding has column -1 and value 0; it always ends a row, so a thread may stop at the first padding. */
#ifndef SPMVCAST_FORMATS_ELL_ELL_H
#define SPMVCAST_FORMATS_ELL_ELL_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum {
    ELL_ALIGN = 32, /* the number of rows is padded to whole warps, which aligns each column to a memory transaction */
    ELL_BLOCK_MAX = 512
};

struct ell_storage {
    struct storage base;
    int64_t height, width; /* height * width < 2^31 */
    int32_t *col;          /* [width][height] */
    void *val;             /* [width][height] in target.precision */
};

static inline int64_t ell_height(int64_t rows) { return (rows + ELL_ALIGN - 1) / ELL_ALIGN * ELL_ALIGN; }
/* The warps that share 32 rows are in one thread block, which is larger than `block` if necessary. */
static inline struct grid ell_grid(int64_t rows, int lanes, int block)
{
    const int least = lanes * ELL_ALIGN;
    return lanes == 1 ? grid_of(rows, block) : grid_of(ell_height(rows) * lanes, block < least ? least : block);
}

extern const struct layout ell_layout;
#ifdef __cplusplus
}
#endif
#endif
