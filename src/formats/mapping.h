/* SPDX-License-Identifier: BSD-3-Clause */
/* How a configuration maps a matrix's work to threads: what learned models know about a kernel besides its bytes and
 * its grid. Each kernel computes its own mapping (struct kernel: mapping) from features alone; quantities that
 * features do not determine are estimates. */
#ifndef SPMVCAST_FORMATS_MAPPING_H
#define SPMVCAST_FORMATS_MAPPING_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { MAPPING_OWN = 3 };

/* Lengths and paths are numbers of entries. */
struct mapping {
    double path;             /* entries that the thread with the longest path processes one after another */
    double slots;            /* lane slots issued: entries, padding, idle lanes of a warp */
    double block_rows;       /* rows of one thread block, at least 1 */
    bool rows_dealt;         /* each thread block has fixed rows, so the heaviest block matters */
    double most_pieces;      /* pieces of the row with the most pieces; 0: no row is cut */
    bool cuts;               /* some row is cut, so its pieces have to be combined */
    double pieces;           /* pieces of all cut rows together (composites: entries of the tail) */
    double piece_path;       /* entries of one piece that a thread processes */
    double contended;        /* maximum additions to one element of y, or a substitute for them */
    double second_turn;      /* share of warps in which some row needs more than one turn of its lanes */
    double tail_rows;        /* composites: rows that both parts write */
    double tail_longest;     /* composites: longest row of the tail */
    double tail_path;        /* composites: path of the tail */
    double own[MAPPING_OWN]; /* the kernel's own quantities, used by learned models only */
};

/* Fills all members for a resolved configuration whose traffic and grid are known. */
void kernel_mapping(const struct features *, const struct config *, const struct target *, const struct traffic *,
                    const struct grid *, struct mapping *);

/* Sums over the rows, or over the longest rows of aligned groups of 2^k rows (h: f->lengths[k]). */
struct mapping_sum {
    double groups; /* number of groups */
    double slots;  /* sum of ceil(min(length, most) / lanes) */
    double more;   /* share of groups with min(length, most) > turn */
};
struct mapping_sum mapping_groups(const struct histogram *h, double lanes, double most, double turn);
int mapping_level(double rows); /* returns floor(log2(rows)), limited to 0 .. GROUPS - 1 */

/* Mapping of padded formats with `lanes` threads per row: own[0] = bytes per nonzero besides the values, own[1] = steps
 * of the longest row. */
void mapping_padded(const struct features *, const struct target *, const struct traffic *, const struct grid *,
                    double lanes, double rows_each, double width, double slots, struct mapping *);
/* Mapping of formats of dense r x c blocks with `lanes` threads per block row: path in blocks, own[0] = stored values
 * per nonzero, own[1] = blocks per block row. */
void mapping_blocked(const struct features *, const struct grid *, double blocks, int r, int c, double lanes,
                     struct mapping *);
/* Mapping of kernels with `items` entries per thread: own[0] = pieces of the longest row, own[1] = rows per nonzero. */
void mapping_entries(const struct features *, const struct grid *, double items, struct mapping *);
#ifdef __cplusplus
}
#endif
#endif
