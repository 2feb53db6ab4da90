/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked compressed sparse rows (choi2010 4): r x c blocks stored row by row, block rows found through offsets.
 *
 * A block's values are `words` words: single elements (pack = 0), or short vectors of 16 bytes, the last padded with
 * zeros (pack = 1).
 * Blocks lie in groups of `group`: word w of block k is word ((k / group) words + w) group + k % group, so `lanes`
 * neighbouring blocks are read as one run (interleave = 1: group = lanes; interleave = 0: group = 1, one block after
 * another). align = 1: each block row is padded to a multiple of `lanes` blocks with zero blocks at its last block
 * column. */
#ifndef SPMVCAST_FORMATS_BCSR_BCSR_H
#define SPMVCAST_FORMATS_BCSR_BCSR_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { BCSR_THREADS = 128, BCSR_WORD_BYTES = 16 }; /* threads per block; lanes divides it */

struct bcsr_storage {
    struct storage base;
    int64_t block_rows, blocks; /* blocks including those added by alignment, < 2^31 */
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
