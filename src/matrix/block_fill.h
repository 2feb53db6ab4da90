/* SPDX-License-Identifier: BSD-3-Clause */
/* The fill of dense b x b blocks of a sparse matrix, at rows and columns that are multiples of b: the features
 * block_fill_b, stored values per nonzero (1: every block is full; b^2: every entry is alone in its block). Counted
 * in chunks of rows at regular distances, about 2^19 entries in total, by sampling as in choi2010 6.4; the same on any
 * number of threads. Block rows that two chunks share are not counted. */
#ifndef SPMVCAST_MATRIX_BLOCK_FILL_H
#define SPMVCAST_MATRIX_BLOCK_FILL_H
#include "matrix/csr_matrix.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCK_FILLS = 7, BLOCK_FILL_ENTRIES = 1 << 19, BLOCK_FILL_CHUNK = 1024 }; /* CHUNK: rows */
extern const int block_fill_sides[BLOCK_FILLS];                                  /* 2, 3, 4, 6, 5, 7, 8 */

struct block_fill {
    int64_t blocks[BLOCK_FILLS], entries[BLOCK_FILLS]; /* blocks that contain an entry; entries examined */
};

/* What counting needs, for matrices of so many columns: of a window of block columns, which is all but of wide matrices, the number of the
 * latest block row with an entry there. One for each thread, used for any number of calls; the caller frees member row. */
struct block_marks {
    uint16_t *row; /* [columns] */
    int64_t columns;
    uint16_t current; /* the number of the latest block row, counted from 1 and, after the greatest, from 1 again */
};
struct block_marks block_marks_alloc(int64_t cols);

/* Estimates the fill of a matrix alone, in parallel: the counts that features_of makes on its way. */
void block_fill_of(const struct csr *, struct block_fill *);

/* Adds the counts of rows first <= i < end of the view. Row i of the view is row i + shift of a matrix with `rows` rows. Incomplete
 * block rows are skipped. Stops after `most` entries per block side. */
void block_fill_add(const struct csr_view *, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t most,
                    struct block_marks *, struct block_fill *);
/* Adds the counts of a chunk, rows first <= i < end of the view, if it is one of those that are examined: every stride-th one,
 * beginning with the first of the view. */
void block_fill_chunk(const struct csr_view *, int64_t shift, int64_t first, int64_t end, int64_t rows, int64_t stride,
                      struct block_marks *, struct block_fill *);
void block_fill_merge(struct block_fill *to, const struct block_fill *from);
/* Returns n for a matrix of nnz entries, of which every n-th chunk is examined. */
int64_t block_fill_stride(int64_t nnz);
/* Returns the stored values per nonzero in blocks of side block_fill_sides[i]; 0 if nothing was examined. */
double block_fill_ratio(const struct block_fill *, int i);
#ifdef __cplusplus
}
#endif
#endif
