/* SPDX-License-Identifier: BSD-3-Clause */
/* What models see of a matrix: exact integers from one parallel pass, the same bits on any number of threads and ranks,
 * and from any file format. Everything here is exact for a matrix that was read; for a recipe too large to expand the x
 * sectors are sampled (sectors_exact false). Mergeable: histograms and sectors of strips add up (strips are multiples
 * of 1024 rows or the marks say otherwise). */
#ifndef SPMVCAST_MATRIX_FEATURES_H
#define SPMVCAST_MATRIX_FEATURES_H
#include "base/target.h"
#include "matrix/csr_matrix.h"
#ifdef __cplusplus
extern "C" {
#endif

struct histogram {
    int n;
    int64_t *value, *count;
}; /* ascending values, counts > 0; owned */

enum { GROUPS = 6 };    /* histogram k: maxima over aligned groups of 2^k consecutive rows (k = 0: the rows) */
enum { HEAVIEST = 11 }; /* heaviest k: most nonzeros in an aligned group of 2^k consecutive rows */
enum sector_scale { SECTORS_ROW, SECTORS_32, SECTORS_1024, SECTORS_ALL, NSECTORS };

/* row_mode: ties the smallest. hyb_k: reference section 4 (Bell and Garland's rule). */
struct features {
#define FEATURE_INT(name, unit, about, shown) int64_t name;
#define FEATURE_REAL(name, unit, about, shown) double name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    struct histogram lengths[GROUPS];
    /* Distinct 32-byte sectors of x per group of 1, 32, 1024, all rows, summed over groups; [F32] 8 columns a sector,
     * [F64] 4. */
    int64_t sectors[NPRECISIONS][NSECTORS];
    bool sectors_exact;
    int64_t heaviest[HEAVIEST]; /* a thread block's rows: the heaviest block of a grid */
    /* Of some rows of a matrix (features_of_rows, sketch_block): what it has beside them. A cache holds that, too. */
    int64_t rest_rows, rest_nnz;
};

/* Sketches: the same per strip of strip_rows consecutive rows (the last may be shorter). */
struct sketch {
    int64_t strip_rows;
    int n;
    struct features whole;
    struct features *strip;
    struct strips *sums; /* what sketch_block keeps between calls */
};

void features_of(const struct csr *, struct features *);
void features_of_view(const struct csr_view *, struct features *);
/* Of rows first..end-1 alone; bandwidth and spread are distances from the whole matrix's diagonal, as in a sketch. */
void features_of_rows(const struct csr *, int64_t first, int64_t end, struct features *);
void features_free(struct features *);
void features_copy(const struct features *, struct features *);
void sketch_of(const struct csr *, int64_t strip_rows, struct sketch *);
void sketch_free(struct sketch *);
/* Of strips first..last together, borrowed until the next call; of all strips `whole`. As features_of_rows, but what strips
 * alone do not tell: SECTORS_ALL is their sum (at most the whole's), diagonals the most of a strip, the fill their mean by
 * entries. Groups of more rows than divide strip_rows are the strips' own; more than 512 different lengths
 * are rounded up, by at most 2.2 %. Not for several threads at once. */
const struct features *sketch_block(const struct sketch *, int first, int last);
struct strips *strips_alloc(void); /* of a sketch: what sketch_block keeps */
void strips_free(struct strips *);

/* Walks rows in order, i counted from an aligned multiple of 2^(HEAVIEST - 1) rows; sums zeroed by the caller; last:
 * the walk's last row. */
void heaviest_add(int64_t sum[HEAVIEST], int64_t heaviest[HEAVIEST], int64_t i, int64_t length, bool last);

/* The fill of dense blocks (block_fill.h), of side block_fill_sides[i]. 0: not known (an archive older than the feature, or
 * nothing looked at). A part without its own takes the whole's. */
struct block_fill;
void features_set_fill(struct features *, const struct block_fill *);
double features_fill_of(const struct features *, int i);
void features_copy_fill(struct features *to, const struct features *from);

/* From histogram alone. */
int64_t histogram_hyb_k(const struct histogram *lengths, int64_t rows);
int64_t histogram_mode(const struct histogram *);
/* Of the maxima over aligned groups of `group` lengths (1: the lengths themselves; histogram k of a matrix: 1 << k). */
void histogram_from_lengths(const int64_t *lengths, int64_t n, int group, struct histogram *);
void histogram_free(struct histogram *);
/* Fills the derived numbers (mean, sd, min, max, mode, empty, hyb_k) from rows, cols, nnz and lengths[0]. */
void features_derive(struct features *);
#ifdef __cplusplus
}
#endif
#endif
