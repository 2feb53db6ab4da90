/* SPDX-License-Identifier: BSD-3-Clause */
/* DIA (Bell and Garland) stores each nonempty diagonal in full: entry (i, i + offset[d]) is at d * stride + i, 0 if
 * the matrix has none. There are no column indices: a diagonal takes 4 bytes besides its values. */
#ifndef SPMVCAST_FORMATS_DIA_DIA_H
#define SPMVCAST_FORMATS_DIA_DIA_H
#include "formats/csr/csr.h"
#include "formats/values.h"
#ifdef __cplusplus
extern "C" {
#endif

/* the rows of a diagonal are padded to a multiple of this, which aligns it to 256 bytes in either precision */
enum { DIA_ALIGN = 64 };
enum { DIA_NEAR = 64 }; /* offsets that a CUDA kernel gets as arguments, in constant memory */

struct dia_storage {
    struct storage base;
    int64_t n, stride;      /* n: number of diagonals; stride: rows, padded */
    int32_t *offset;        /* [n], ascending: column minus row */
    enum values_as as;      /* how values are stored (formats/values.h) */
    int64_t entries;        /* of the dictionary, which begins with the 0 of fill */
    void *table;            /* [entries] in target.precision; NULL: no dictionary */
    void *val;              /* [n][stride] in target.precision, or packed; fill is 0 */
    int32_t near[DIA_NEAR]; /* the first offsets */
};

static inline struct values dia_values(const struct dia_storage *s)
{
    const struct values v = { s->as, s->base.target.precision, s->as > AS_CONST && s->as < AS_NARROW, s->entries,
                              s->table };
    return v;
}
static inline int64_t dia_stride(int64_t rows) { return (rows + DIA_ALIGN - 1) / DIA_ALIGN * DIA_ALIGN; }
static inline void dia_near(struct dia_storage *s, const int32_t *offset)
{
    for (int64_t i = 0; i < s->n && i < DIA_NEAR; i++)
        s->near[i] = offset[i];
}

/* Returns the bit of the diagonal of (i, j), counted from the lower left corner. There are rows + cols bits, the last
 * one unused. */
SPMV_HD static inline int64_t dia_bit(int64_t rows, int64_t i, int64_t j) { return j - i + rows - 1; }
static inline int64_t dia_words(int64_t rows, int64_t cols) { return (rows + cols + 31) / 32; }

/* Stores in *offset, owned by the caller, the offsets of the *n diagonals whose bit is set. Returns 0, OOM, or FAIL
 * if there are more than the configuration's `limit`. */
int dia_offsets(const uint32_t *bits, int64_t rows, int64_t cols, const struct config *, int32_t **offset, int64_t *n,
                char why[ERRLEN]);

/* A thread handles thread_rows rows, `block` rows apart. */
static inline struct grid dia_grid(int64_t rows, int thread_rows, int block)
{
    return grid_of((rows + thread_rows - 1) / thread_rows, block);
}

extern const struct layout dia_layout;
#ifdef __cplusplus
}
#endif
#endif
