/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinate format: (row, column, value) of each entry, sorted by row, then column. */
#ifndef SPMVCAST_FORMATS_COO_COO_H
#define SPMVCAST_FORMATS_COO_COO_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

struct coo_storage {
    struct storage base;
    int32_t *row, *col; /* [nnz] */
    void *val;          /* [nnz] in target.precision */
};

/* A warp handles 32 * items consecutive entries, a thread block block * items; atomic and segmented sums use the same
 * grid. */
static inline struct grid coo_grid(int64_t nnz, int items, int block)
{
    return grid_of((nnz + items - 1) / items, block);
}

/* *off gets the offsets of the rows, released with free(). */
int coo_offsets(const struct layout *, const struct csr_view *, int32_t **off, char why[ERRLEN]);
/* coo_kernels.c: for storages of coo and coo-packed. */
void coo_spmv_host(const struct storage *, const void *x, void *y, enum y_mode);

extern const struct layout coo_layout;
#ifdef __cplusplus
}
#endif
#endif
