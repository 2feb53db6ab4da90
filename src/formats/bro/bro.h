/* SPDX-License-Identifier: BSD-3-Clause */
/* BRO-ELL (Tang et al., SC'13; lehnert2016): slices of h rows. In each slice, columns are delta-coded along the row
 * and packed with as few bits as the slice's largest delta of the same step needs; values are stored as one ELLPACK per
 * slice.
 *
 * A row has `lanes` threads; thread l has entries l, l + lanes, ... of the row: entry e is step e / lanes of thread
 * e % lanes. A thread's first delta is its first column + 1; each further delta is the difference from its previous
 * column. Deltas are never 0, so a delta of 0 ends the thread's entries. Step k of a slice takes
 * bits[slice.step + k] bits (1 to 31) of every thread; a step of 0 bits ends the slice, and the bits of a slice are
 * padded with such steps to a multiple of BRO_STEPS.
 * The deltas of a thread are consecutive, starting at the highest bit of its first symbol; a delta may straddle two
 * symbols. For row i of a slice of `height` rows and thread l, symbol k is at slice.symbol + k lanes height + l
 * height + i; the value of entry e is at slice.val + e height + i. */
#ifndef SPMVCAST_FORMATS_BRO_BRO_H
#define SPMVCAST_FORMATS_BRO_BRO_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The last slice is padded to a multiple of BRO_STRIP rows. A thread decodes BRO_STEPS steps at a time. */
enum { BRO_STRIP = 32, BRO_STEPS = 4 };

/* Where the values, symbols and steps of a slice begin, and `symbols`, its number of symbols per thread; 16 bytes,
 * read at once. */
struct bro_slice {
    int32_t val, symbol, symbols, step;
};

struct bro_storage {
    struct storage base;
    int h, lanes, symbol_bits;
    int64_t slices, slots, symbols, steps; /* all below 2^31 */
    struct bro_slice *slice;               /* [slices] */
    uint8_t *bits;                         /* [steps] */
    void *symbol;                          /* [symbols], uint32_t or uint64_t according to symbol_bits */
    void *val;                             /* [slots] in target.precision */
};

/* Returns the height of the slice that begins at row `first`, including padding rows. */
static inline SPMV_HD int64_t bro_height(int64_t rows, int64_t first, int h)
{
    const int64_t left = (rows - first + BRO_STRIP - 1) / BRO_STRIP * BRO_STRIP;
    return left < h ? left : h;
}
static inline int64_t bro_slices(int64_t rows, int h) { return (rows + h - 1) / h; }

/* A thread block handles n = block / lanes neighbouring rows: thread l n + i is thread l of row i. */
static inline struct grid bro_grid(int64_t rows, int lanes, int block) { return grid_of(rows * lanes, block); }

extern const struct layout bro_layout;
#ifdef __cplusplus
}
#endif
#endif
