/* SPDX-License-Identifier: BSD-3-Clause */
/* ELLPACK sparse blocks (ESB; Liu, Smelyanskiy, Chow and Dubey, ICS 2013): the columns are cut into `parts` blocks of
 * equal width. In each block, rows are sorted stably by descending length within windows of sigma rows and cut into
 * slices of 8, 16 or 32 rows. Step j of a slice is entry j of each of its rows; bit i of its mask says whether row i
 * has one. Entries are stored without padding, step by step: that of row i is popcount(mask & (2^i - 1)) places after the
 * first of the step. */
#ifndef SPMVCAST_FORMATS_ESB_ESB_H
#define SPMVCAST_FORMATS_ESB_ESB_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ESB_SLICE_MAX = 32 };

/* Slice n of column block p is number p slices + n. */
struct esb_storage {
    struct storage base;
    int slice, parts;
    int64_t slices; /* of a column block */
    int64_t steps;  /* of all slices */
    int32_t *step;  /* [parts slices + 1] steps of the preceding slices */
    int32_t *entry; /* [parts slices + 1] entries of the preceding slices */
    int32_t *perm;  /* [parts rows] the matrix row at each place of a column block; NULL: sigma=1 */
    void *mask;     /* [steps] uint8_t, uint16_t or uint32_t: as many bits as the slice has rows */
    int32_t *col;   /* [nnz] columns of the matrix */
    void *val;      /* [nnz] in target.precision */
};

static inline int64_t esb_slices(int64_t rows, int slice) { return (rows + slice - 1) / slice; }
static inline int64_t esb_first_column(int64_t cols, int parts, int part) { return cols * part / parts; }
static inline int64_t esb_mask_bytes(int64_t steps, int slice) { return steps * slice / 8; }
static inline int64_t esb_pointer_bytes(int64_t rows, int slice, int parts, bool sorted)
{
    return (2 * (parts * esb_slices(rows, slice) + 1) + (sorted ? parts * rows : 0)) * (int64_t)sizeof(int32_t);
}

/* A launch multiplies with a column block; a thread handles a row, neighbouring threads those of a slice. */
static inline struct grid esb_grid(int64_t rows, int block) { return grid_of(rows, block); }

extern const struct layout esb_layout;
#ifdef __cplusplus
}
#endif
#endif
