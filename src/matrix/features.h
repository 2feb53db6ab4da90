/* SPDX-License-Identifier: BSD-3-Clause */
/* The features of a matrix that models use: exact integers from one parallel pass, the same bits for any number of
 * threads and ranks and any file format. Exact for a matrix that was read; for a recipe too large to expand, the x
 * sectors are sampled (sectors_exact false). Mergeable: histograms and sectors of strips add up if strips are
 * multiples of 1024 rows. */
#ifndef SPMVCAST_MATRIX_FEATURES_H
#define SPMVCAST_MATRIX_FEATURES_H
#include "base/target.h"
#include "matrix/block_fill.h"
#ifdef __cplusplus
extern "C" {
#endif

struct histogram {
    int n;
    int64_t *value, *count;
}; /* ascending values, counts > 0; owned */

enum { GROUPS = 6 }; /* histogram k: longest rows of aligned groups of 2^k consecutive rows (k = 0: all rows) */
enum { VALUES_MOST = 65536 }; /* values_f64, values_f32: VALUES_MOST + 1 if there are more distinct values */
enum { HEAVIEST = 11 };       /* heaviest k: most nonzeros in an aligned group of 2^k consecutive rows */
enum sector_scale { SECTORS_ROW, SECTORS_32, SECTORS_1024, SECTORS_ALL, NSECTORS };

/* row_mode: the shortest of equally frequent lengths. hyb_k: the rule of Bell and Garland (ashari2014 2.4). values_*: of the values by
 * bit pattern (-0 differs from 0; each NaN counts by its bits). They are set by those who know what the values stand for
 * (input/matrix.h: matrix_features) and are else 0, unknown. Those of a part of a matrix are the whole's: upper bounds. */
struct features {
#define FEATURE_INT(name, unit, about, shown) int64_t name;
#define FEATURE_REAL(name, unit, about, shown) double name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    struct histogram lengths[GROUPS];
    /* Distinct 32-byte sectors of x per group of 1, 32, 1024, all rows, summed over groups; [F32] 8 columns per
     * sector, [F64] 4. */
    int64_t sectors[NPRECISIONS][NSECTORS];
    bool sectors_exact;
    int64_t heaviest[HEAVIEST]; /* bounds the heaviest thread block of a grid */
    int64_t
        fill_entries[BLOCK_FILLS]; /* entries that block_fill_b were counted on; 0: unknown (read from an archive) */
    /* For a part of a matrix (features_of_rows, sketch_block): rows and nonzeros of the rest, which share the cache. */
    int64_t rest_rows, rest_nnz;
    struct estimates *estimates; /* what formats estimated of it (estimates.h); NULL: nothing is kept */
};

/* Sketch: features of each strip of strip_rows consecutive rows (the last may be shorter). */
struct sketch {
    int64_t strip_rows;
    int n;
    struct features whole;
    struct features *strip;
    struct strips *sums; /* state of sketch_block between calls */
};

void features_of(const struct csr *, struct features *);
void features_of_view(const struct csr_view *, struct features *);
/* Gets the features of rows first..end-1 alone; bandwidth and spread are distances from the diagonal of the whole matrix, as
 * in a sketch. */
void features_of_rows(const struct csr *, int64_t first, int64_t end, struct features *);
void features_free(struct features *);
void features_copy(const struct features *, struct features *);
void sketch_of(const struct csr *, int64_t strip_rows, struct sketch *);
/* Gives the whole and all strips the values_* of `from`. */
void sketch_copy_values(struct sketch *, const struct features *from);
void sketch_free(struct sketch *);
/* Returns the features of strips first..last together, valid until the next call; for all strips, `whole`. They
 * are those of features_of_rows, except for what strips alone do not determine: SECTORS_ALL is the sum over the strips (at
 * most that of the whole), diagonals the maximum, the fill the mean weighted by entries. Groups of rows whose size does not
 * divide strip_rows end with their strip. If a matrix has more than 512 different lengths, they are rounded up by at most 2.2 %.
 * Not thread-safe. */
const struct features *sketch_block(const struct sketch *, int first, int last);
struct strips *strips_alloc(void); /* the state of sketch_block, for a sketch */
void strips_free(struct strips *);

/* Adds the length of a row to the sums of its groups and updates `heaviest`; call for rows in order. i: number of the row, counted
 * from a multiple of 2^(HEAVIEST - 1); sum: zeroed by the caller before the first row; last: true for the last row. */
void heaviest_add(int64_t sum[HEAVIEST], int64_t heaviest[HEAVIEST], int64_t i, int64_t length, bool last);

/* The fill of dense blocks (block_fill.h) of side block_fill_sides[i]. 0: unknown (the archive is older than the
 * feature, or nothing was examined). A part without its own fill takes that of the whole. */
void features_set_fill(struct features *, const struct block_fill *);
double features_fill_of(const struct features *, int i);
void features_copy_fill(struct features *to, const struct features *from);

/* Counts the distinct values: one pass in parallel, which ends as soon as more than VALUES_MOST are seen and one is not exact in f32. */
void features_set_values(struct features *, const void *val, enum precision of_val, int64_t nnz);
void features_copy_values(struct features *to, const struct features *from);

/* Returns the least number of rows with K or more entries for which the rule of HYB chooses K. */
int64_t histogram_hyb_rows(int64_t rows);
/* Return features that follow from the histogram of row lengths alone. */
int64_t histogram_hyb_k(const struct histogram *lengths, int64_t rows);
int64_t histogram_mode(const struct histogram *);
/* Builds the histogram of the maxima over aligned groups of `group` lengths (1: the lengths themselves; histogram k
 * of a matrix: 1 << k). */
void histogram_from_lengths(const int64_t *lengths, int64_t n, int group, struct histogram *);
void histogram_free(struct histogram *);
/* Returns the index of the first of n ascending lengths that is not below `value`; n - 1 if there is none. */
int histogram_slot(const int64_t *length, int n, int64_t value);
/* Sets the derived features (mean, sd, min, max, mode, empty, hyb_k) from rows, cols, nnz and lengths[0]. */
void features_derive(struct features *);
/* The same if lengths[0] is rounded: with the exact sum of the squared row lengths, shortest and longest row. */
void features_derive_from(struct features *, int64_t squares, int64_t row_min, int64_t row_max);
#ifdef __cplusplus
}
#endif
#endif
