/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked compressed sparse rows (choi2010 4): blocks of r x c, row by row within a block, block rows by offsets.
 *
 * A block's values are `words` words: elements (pack = 0) or short vectors of 16 bytes, the last filled up with zeros
 * (pack = 1).
 * Blocks lie in groups of `group`: word w of block k is word ((k / group) words + w) group + k % group, so that `lanes`
 * neighbouring blocks are read as one run (interleave = 1: group = lanes; interleave = 0: group = 1, a block after the
 * other). align = 1: each block row is filled up to a multiple of `lanes` blocks with zero blocks at its last block
 * column. */
#ifndef SPMVCAST_FORMATS_BCSR_BCSR_H
#define SPMVCAST_FORMATS_BCSR_BCSR_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { BCSR_THREADS = 128, BCSR_WORD_BYTES = 16 }; /* threads a block; lanes divide it */

struct bcsr_storage {
    struct storage base;
    int64_t block_rows, blocks; /* blocks with those of alignment, < 2^31 */
    int r, c, group;
    int words, word_values; /* words a block, values a word */
    int32_t *row_ptr;       /* [block_rows + 1] */
    int32_t *col;           /* [blocks], block columns */
    void *val;              /* [groups][words][group][word_values] in target.precision */
};

/* Value e of block k is at bcsr_block(k) + bcsr_value(e). */
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
