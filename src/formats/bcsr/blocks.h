/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense r x c blocks of a sparse matrix, at rows and columns that are multiples of r and c; shared by bcsr, bellpack
 * and cusparse-bsr. A block row has r rows, the last one perhaps fewer; the last block column may have fewer than c
 * columns. Source: choi2010, section 4.1. */
#ifndef SPMVCAST_FORMATS_BCSR_BLOCKS_H
#define SPMVCAST_FORMATS_BCSR_BLOCKS_H
#include "formats/build.h"

enum { BLOCK_SIDE_MAX = 8, BLOCK_ENTRIES_MAX = BLOCK_SIDE_MAX * BLOCK_SIDE_MAX };

/* Rows and columns of a block; a list of shapes ends with r = 0. */
struct block_shape {
    int r, c;
};

struct block_shape block_shape_of(const struct config *); /* from the parameters `r` and `c` */

/* Returns 0, or FAIL if the configuration's r x c is not in the list; `why` then states the list. */
int block_shape_legal(const struct config *, const struct block_shape *list, char why[ERRLEN]);

static inline int64_t block_rows(int64_t rows, int r) { return (rows + r - 1) / r; }

/* Iterates over the blocks of a block row from left to right, merging its rows. */
struct block_walk {
    const struct csr_view *a;
    int64_t row, next, k[BLOCK_SIDE_MAX], end[BLOCK_SIDE_MAX];
    int r, c, rows;
};

static inline struct block_walk block_walk_start(const struct csr_view *a, struct block_shape b, int64_t block_row)
{
    struct block_walk w;

    w.a = a;
    w.row = block_row * b.r;
    w.r = b.r;
    w.c = b.c;
    w.rows = a->rows - w.row < b.r ? (int)(a->rows - w.row) : b.r;
    w.next = INT64_MAX;
    for (int i = 0; i < w.rows; i++) {
        w.k[i] = a->begin[w.row + i];
        w.end[i] = a->end[w.row + i];
        if (w.k[i] < w.end[i] && a->col[w.k[i]] < w.next)
            w.next = a->col[w.k[i]];
    }
    return w;
}

/* Returns the block column of the next block that holds an entry, -1 after the last one. value[r][c], if not NULL,
 * gets the values of the block, with 0 as fill. */
static inline int32_t block_walk_next(struct block_walk *w, double *value)
{
    const int32_t *col = w->a->col;

    if (w->next == INT64_MAX)
        return -1;
    const int64_t block = w->next / w->c, first = block * w->c, end = first + w->c;
    if (value)
        for (int e = 0; e < w->r * w->c; e++)
            value[e] = 0.0;
    w->next = INT64_MAX;
    for (int i = 0; i < w->rows; i++) {
        int64_t k = w->k[i];
        for (; k < w->end[i] && col[k] < end; k++)
            if (value)
                value[i * w->c + (col[k] - first)] = w->a->val[k];
        w->k[i] = k;
        if (k < w->end[i] && col[k] < w->next)
            w->next = col[k];
    }
    return (int32_t)block;
}

/* Stores in count[i] how many blocks of block row i hold an entry. Runs in parallel. */
void blocks_count(const struct csr_view *, struct block_shape, int32_t *count);

/* Estimates how many blocks hold an entry, from features alone. Squares of 2 to 8 rows are counted in samples
 * (matrix/block_fill.h; those of 5, 7 and 8 rows may be unknown). For other sizes, the blocks of 1 x 4, 1 x 8, 32 x 4
 * and 32 x 8, which are the sectors of x that one row and 32 rows touch, give power laws of r and of c, corrected by
 * the counted squares of 2, 3, 4 and 6 rows. */
double blocks_guess(const struct features *, struct block_shape);
/* Returns a lower bound of the same. */
int64_t blocks_least(const struct features *, struct block_shape);

/* How many blocks the block rows have. Assumes that they are proportional to the longest row of each aligned group of
 * 1, 2, 4 or 8 rows, whose distribution is known: `groups` of them in lengths[level], in total `longest` entries for all
 * block rows. longest 0: unknown, all block rows have the mean. */
struct block_spread {
    int level;
    double block_rows, blocks, groups, longest;
};
struct block_spread blocks_spread(const struct features *, struct block_shape);
/* True if every row has an entry in every column: each block row has ceil(cols / c) blocks. */
static inline bool blocks_dense(const struct features *f) { return f->nnz > 0 && f->row_min == f->cols; }

/* Returns 0, or FAIL if about `stored` values for f->nnz entries exceed the fill limit, or if blocks exceed 32-bit
 * offsets. */
int blocks_worth(const struct features *, struct block_shape, double blocks, double stored, char why[ERRLEN]);
#endif
