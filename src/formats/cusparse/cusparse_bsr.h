/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE's block compressed rows: the b x b blocks that hold an entry, sorted by block row, then block column. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_BSR_H
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_BSR_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

struct cusparse_bsr_storage {
    struct storage base;
    int b;
    int64_t block_rows, block_cols, blocks;
    int32_t *off; /* [block_rows + 1], number of blocks before each block row */
    int32_t *col; /* [blocks] block columns */
    void *val;    /* [blocks][b][b] in target.precision; fill is 0 */
};

extern const struct layout cusparse_bsr_layout;
#ifdef __cplusplus
}
#endif
#endif
