/* SPDX-License-Identifier: BSD-3-Clause */
/* How a configuration maps a matrix's work to threads: what learned models know of a kernel beyond its bytes and its grid. Each kernel
 * states its own (struct kernel: mapping), from features alone; the quantities are estimates where features do not tell. */
#ifndef SPMVCAST_FORMATS_MAPPING_H
#define SPMVCAST_FORMATS_MAPPING_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { MAPPING_OWN = 3 };

/* Entries unless said otherwise. */
struct mapping {
    double path;             /* that the thread with the longest path takes one after another */
    double slots;            /* lane slots issued: entries, padding, idle lanes of a warp */
    double block_rows;       /* rows that a thread block has, at least 1 */
    bool rows_dealt;         /* a thread block has certain rows: the heaviest block matters */
    double most_pieces;      /* pieces of the row that is cut most; 0: no row is cut */
    bool cuts;               /* some row is cut, so its pieces have to meet */
    double pieces;           /* of all cut rows (of a composite: entries of its tail) */
    double piece_path;       /* entries a thread takes of one piece */
    double contended;        /* additions to one element of y at most, or what stands for them */
    double second_turn;      /* share of warps in which some row needs more than one turn of its lanes */
    double tail_rows;        /* composites: rows that both parts write */
    double tail_longest;     /* composites: longest row of the tail */
    double tail_path;        /* composites: path of the tail */
    double own[MAPPING_OWN]; /* the kernel's own quantities, for what is learned only */
};

/* Fills everything for a resolved configuration whose traffic and grid are known. */
void kernel_mapping(const struct features *, const struct config *, const struct target *, const struct traffic *,
                    const struct grid *, struct mapping *);

/* What kernels share. Sums over the rows, or over aligned groups of 2^k of them (h: f->lengths[k]). */
struct mapping_sum {
    double groups, slots,
        more; /* slots: sum of ceil(min(length, most) / lanes); more: share of groups longer than `turn` */
};
struct mapping_sum mapping_groups(const struct histogram *h, double lanes, double most, double turn);
int mapping_level(double rows); /* floor(log2(rows)) within 0 .. GROUPS - 1 */

/* A row to `lanes` threads, padded formats: x1 = bytes a nonzero beside the values, x2 = steps of the longest row. */
void mapping_padded(const struct features *, const struct target *, const struct traffic *, const struct grid *,
                    double lanes, double rows_each, double width, double slots, struct mapping *);
/* Dense blocks of r x c, `lanes` threads a block row. */
void mapping_blocked(const struct features *, const struct grid *, double blocks, int r, int c, double lanes,
                     struct mapping *);
/* Equal entries a thread. */
void mapping_entries(const struct features *, const struct grid *, double items, struct mapping *);
#ifdef __cplusplus
}
#endif
#endif
