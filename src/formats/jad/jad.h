/* SPDX-License-Identifier: BSD-3-Clause */
/* Jagged diagonals (JAD, JDS): rows sorted by descending length, and rows of equal length in matrix order. Jagged
 * diagonal j holds entry j of all rows that have one, in sorted order: sorted row n has an entry there iff
 * n < ptr[j + 1] - ptr[j], and that entry is stored at ptr[j] + n. There is no padding. */
#ifndef SPMVCAST_FORMATS_JAD_JAD_H
#define SPMVCAST_FORMATS_JAD_JAD_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

struct jad_storage {
    struct storage base;
    int64_t longest; /* number of jagged diagonals: entries of the longest row */
    int32_t *ptr;    /* [longest + 1] */
    int32_t *perm;   /* [rows] sorted row n is row perm[n]; empty rows come last */
    int32_t *col;    /* [nnz] */
    void *val;       /* [nnz] in target.precision */
};

/* A thread block handles block / lanes neighbouring sorted rows (at least one) with `lanes` threads each: thread t
 * handles row t % (block / lanes) and jagged diagonals l, l + lanes, ... for l = t / (block / lanes). */
static inline struct grid jad_grid(int64_t rows, int lanes, int block) { return grid_of(rows * lanes, block); }

extern const struct layout jad_layout;
#ifdef __cplusplus
}
#endif
#endif
