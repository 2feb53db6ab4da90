/* SPDX-License-Identifier: BSD-3-Clause */
/* How full dense b x b blocks of a sparse matrix are, at rows and columns that are multiples of b: the features block_fill_b,
 * stored values a nonzero (1: every block is full; b b: every entry stands alone). Counted in chunks of rows at even distances,
 * about 2^19 entries in all, as choi2010 4.1 estimates it; the same on any number of threads. */
#ifndef SPMVCAST_MATRIX_BLOCK_FILL_H
#define SPMVCAST_MATRIX_BLOCK_FILL_H
#include "matrix/csr_matrix.h"

enum { BLOCK_FILLS = 4, BLOCK_FILL_ENTRIES = 1 << 19 };
extern const int block_fill_sides[BLOCK_FILLS]; /* 2, 3, 4, 6 */

struct block_fill {
    int64_t blocks[BLOCK_FILLS], entries[BLOCK_FILLS]; /* that hold an entry; entries looked at */
};

/* Adds rows first <= i < end of the view, whose row i is row i + shift of the matrix, and that matrix ends at `rows`; block rows
 * that are not whole among them are left out. Ends early once it has seen `most` entries a side. */
void block_fill_add(const struct csr_view *, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t most,
                    struct block_fill *);
void block_fill_merge(struct block_fill *to, const struct block_fill *from);
/* Of a chunk every how many is looked at, of a matrix of nnz entries. */
int64_t block_fill_stride(int64_t nnz);
/* Stored values a nonzero in blocks of side block_fill_sides[i]; 0 where nothing was looked at. */
double block_fill_ratio(const struct block_fill *, int i);
#endif
