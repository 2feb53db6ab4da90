/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked compressed sparse rows (choi2010, section 4): the r x c blocks of each block row from left to right, found
 * through one offset per block row.
 *
 * A block consists of `words` words: single values (pack = 0), or 16-byte vectors of values, the last one padded with
 * zeros (pack = 1).
 * The words of `group` neighbouring blocks are interleaved: word w of block k is at
 * ((k / group) words + w) group + k % group. With interleave = 1, group = lanes, so that `lanes` neighbouring threads
 * read neighbouring words; with interleave = 0, group = 1: one block follows another. align = 1 pads each block row to
 * a multiple of `lanes` blocks with zero blocks at its last block column. */
#ifndef SPMVCAST_FORMATS_BCSR_BCSR_H
#define SPMVCAST_FORMATS_BCSR_BCSR_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

/* BCSR_THREADS per thread block, a multiple of `lanes`; BCSR_WORD_BYTES per word if pack = 1 */
enum { BCSR_THREADS = 128, BCSR_WORD_BYTES = 16 };

struct bcsr_storage {
    struct storage base;
    int64_t block_rows, blocks; /* `blocks` includes those added by alignment and is < 2^31 */
    int r, c, group;
    int words, word_values; /* words per block, values per word */
    int32_t *row_ptr;       /* [block_rows + 1] */
    int32_t *col;           /* [blocks], block columns */
    void *val;              /* [groups][words][group][word_values] in target.precision */
};

/* Value e of block k is at bcsr_block(s, k) + bcsr_value(s, e). */
static inline int64_t bcsr_block(const struct bcsr_storage *s, int64_t k)
{
    return (k / s->group * s->words * s->group + k % s->group) * s->word_values;
}
static inline int bcsr_value(const struct bcsr_storage *s, int e)
{
    return e / s->word_values * s->group * s->word_values + e % s->word_values;
}

static inline struct grid bcsr_grid(int64_t rows, int r, int lanes)
{
    return grid_of((rows + r - 1) / r * lanes, BCSR_THREADS);
}

extern const struct layout bcsr_layout;
#ifdef __cplusplus
}
#endif
#endif
