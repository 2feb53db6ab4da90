/* SPDX-License-Identifier: BSD-3-Clause */
/* DIA (Bell and Garland): each nonempty diagonal, stored in full: entry (i, i + offset[d]) is at d * stride + i, 0
 * if the matrix has none. No column index is stored: 4 bytes per diagonal besides the values. */
#ifndef SPMVCAST_FORMATS_DIA_DIA_H
#define SPMVCAST_FORMATS_DIA_DIA_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

/* rows of a diagonal are padded so that each diagonal is 256-byte aligned in either precision */
enum { DIA_ALIGN = 64 };

struct dia_storage {
    struct storage base;
    int64_t n, stride; /* diagonals; rows, padded */
    int32_t *offset;   /* [n], ascending: column minus row */
    void *val;         /* [n][stride] in target.precision; fill is 0 */
};

static inline int64_t dia_stride(int64_t rows) { return (rows + DIA_ALIGN - 1) / DIA_ALIGN * DIA_ALIGN; }
static inline int64_t dia_bytes(int64_t rows, int64_t n, enum precision p)
{
    return n * (dia_stride(rows) * precision_bytes(p) + (int64_t)sizeof(int32_t));
}

/* Bit of the diagonal of (i, j), counted from the lower left corner. There are rows + cols bits, the last one
 * unused. */
SPMV_HD static inline int64_t dia_bit(int64_t rows, int64_t i, int64_t j) { return j - i + rows - 1; }
static inline int64_t dia_words(int64_t rows, int64_t cols) { return (rows + cols + 31) / 32; }

/* Returns the offsets of the diagonals whose bit is set, *n of them, owned by the caller. FAIL: more than the
 * configuration's `limit`. */
int dia_offsets(const uint32_t *bits, int64_t rows, int64_t cols, const struct config *, int32_t **offset, int64_t *n,
                char why[ERRLEN]);

/* A thread handles `rows` rows, one block of threads apart. */
static inline struct grid dia_grid(int64_t rows, int thread_rows, int block)
{
    return grid_of((rows + thread_rows - 1) / thread_rows, block);
}

extern const struct layout dia_layout;
#ifdef __cplusplus
}
#endif
#endif
