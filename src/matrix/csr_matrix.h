/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix in all programs: compressed sparse rows on the host. */
#ifndef SPMVCAST_MATRIX_CSR_MATRIX_H
#define SPMVCAST_MATRIX_CSR_MATRIX_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#ifdef __CUDACC__
#define SPMV_HD __host__ __device__ /* inline functions shared by host and device */
#else
#define SPMV_HD
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Columns are sorted and distinct within a row; explicit zeros are kept (the papers count them). rows, cols <= 2^31-1
 * (column indices are int32); nnz is int64. Arrays are owned and 256-byte aligned. */
struct csr {
    int64_t rows, cols, nnz;
    int64_t *row_ptr; /* [rows + 1], row_ptr[0] = 0 */
    int32_t *col;     /* [nnz] */
    double *val;      /* [nnz] */
};

/* A part of a matrix, not copied, from which layouts are built: a range of rows or columns, or the heads or tails of rows.
 * Row i has entries begin[i] <= k < end[i] of col and val. Owns nothing. */
struct csr_view {
    int64_t rows, cols;
    const int64_t *begin, *end;
    const int32_t *col;
    const double *val; /* NULL: a pattern */
    int32_t
        base; /* of col: 0, except in views of a caller's arrays (include/spmvcast.h), of which only the functions that
                        * say so take account */
};

/* Allocates the arrays, uninitialized. Returns 0; FAIL: invalid size; OOM. */
int csr_alloc(struct csr *, int64_t rows, int64_t cols, int64_t nnz, char why[ERRLEN]);
/* Zeroes the struct; may be called on a zeroed one. */
void csr_free(struct csr *);
struct csr_view csr_view_all(const struct csr *);
struct csr_view csr_view_rows(const struct csr *, int64_t first, int64_t end); /* rows first <= i < end */
int64_t csr_view_nnz(const struct csr_view *);

/* Checks that pointers increase monotonically from 0 to nnz and that columns are in range, sorted and distinct. After FAIL,
 * `why` names the row and what was found. Parallel; reports the first invalid row for any number of threads. */
int csr_check(const struct csr *, char why[ERRLEN]);
/* The same for a view of whole rows (end = begin + 1) of any base; rows and columns are counted from the base. */
int csr_view_check(const struct csr_view *, char why[ERRLEN]);

/* Computes y = A x in double, rows in parallel, each row summed left to right: the reference for all tests. */
void csr_spmv_reference(const struct csr *, const double *x, double *y);

/* Returns x_j: positive, distinct for j < 2^27, exact in f32; the input of all measurements and checks. */
SPMV_HD static inline double csr_x(int64_t j)
{
    uint32_t h = ((uint32_t)j * 0x5851F42Du + 0x1234567u) & 0x7FFFFFFu; /* odd multiplier: a bijection on 27 bits */
    /* 24-bit mantissa, 16 binades */
    return (double)((h & 0x7FFFFFu) | 0x800000u) / 8388608.0 / (double)(1u << (h >> 23));
}

/* Returns the value of entry (i, j) for a matrix without values (Matrix Market "pattern"): in (0, 1], 24 significant
 * bits, a hash (finaliser of splitmix64) of the unordered pair, so that a symmetric pattern gets symmetric values,
 * whether expanded or not. */
static inline double csr_pattern_value(int64_t i, int64_t j)
{
    uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
    uint64_t h = (high << 32 | low) + 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    h ^= h >> 31;
    return (double)((h >> 40) + 1) / 16777216.0;
}

/* Sets the values of a matrix without values. */
void csr_fill_pattern(struct csr *);
/* Returns the first row whose end comes before its start, or `rows`. */
int64_t csr_decrease(const int64_t *row_ptr, int64_t rows);

#define ID_LEN 65 /* 64 hex digits and NUL */
/* matrix_id: SHA-256 of the canonical CSR: "CSR1", rows, cols, nnz (int64 little-endian), row pointers (int64),
 * columns (int32), values (float64, -0 kept). pattern_id: the same with "PAT1" and without values. */
void csr_matrix_id(const struct csr *, char id[ID_LEN]);
void csr_pattern_id(const struct csr *, char id[ID_LEN]);
void csr_view_pattern_id(const struct csr_view *, char id[ID_LEN]); /* of whole rows, any base */
#ifdef __cplusplus
}
#endif
#endif
