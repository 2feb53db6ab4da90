/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked row-column storage (ashari2014, section 3).
 *
 * Rows are sorted by length, descending and stable, within windows of sigma rows, and cut into pieces: level v of a
 * row is its entries brc_start(v) <= e < brc_start(v + 1). The queue of pieces is level 0 of the sorted rows, then
 * level 1 of those that have one, and so on; empty rows make no piece. Every b1 consecutive pieces of the queue form
 * a block, as wide as its longest piece; the last block is filled up with dummies. Entry j of piece l of block b is
 * at block_offset[b] + j b1 + l.
 * Padding has column ~c (negative), where c is the column of the previous piece at the same j (for the block's first
 * piece: its own last column), as in the paper, and value 0, or a code of some value if values are packed. Padding is
 * recognised by the sign and never multiplied.
 *
 * A row of two or more pieces is a cut row. For sum=partials, piece_slot[] stores for each piece of a cut row which
 * cut row it belongs to and which slot holds its sum; the slots of cut row c are cut_ptr[c] <= slot < cut_ptr[c +
 * 1], by level. Pieces head <= p < level1 are whole rows and not in piece_slot[]. Piece level1 + c is level 1 of cut
 * row c. */
#ifndef SPMVCAST_FORMATS_BRC_BRC_H
#define SPMVCAST_FORMATS_BRC_BRC_H
#include <math.h>
#include "formats/csr/csr.h"
#include "formats/values.h"
#ifdef __cplusplus
extern "C" {
#endif

enum {
    BRC_PIECES_MAX = 128, /* per block */
    BRC_WIDTH_MAX = 200,  /* limit of the paper's rule, from a search on a GTX Titan */
    BRC_EMPTY_ROWS = 8,   /* empty rows that a thread zeroes at most before the grid grows */
    BRC_BATCH_F32 = 8,    /* entries that a thread of the CUDA kernel loads at a time */
    BRC_BATCH_F64 = 6,
    BRC_BATCH_PACKED = 8
};

/* Width of level v: b2 entries, or (v + 1) b2 if grow is set. */
struct brc_width {
    int64_t b2;
    bool grow;
};
/* width.b2 = 0: the rule gives b2, from the nonempty rows. sigma = 0: one window of all rows. */
struct brc_spec {
    int b1;
    struct brc_width width;
    int64_t sigma;
    enum values_as as; /* formats/values.h; not full: b1 is a multiple of 32 */
};
struct brc_piece_slot {
    int32_t cut, slot; /* -1, -1: the piece is a whole row */
};

/* empties: number of empty rows; cuts: of cut rows; slots: of pieces of cut rows; piece_slots: of elements of
 * piece_slot[]; entries: including padding. level1 and head: see above. */
struct brc_sizes {
    int64_t blocks, pieces, level1, head, cuts, slots, piece_slots, empties, entries;
};

struct brc_storage {
    struct storage base;
    struct brc_spec spec;
    struct brc_sizes n;
    int32_t *block_offset;             /* [blocks + 1] */
    int32_t *row_perm;                 /* [blocks * b1], row of each piece; -1: a dummy */
    struct brc_piece_slot *piece_slot; /* [piece_slots] */
    int32_t *cut_ptr;                  /* [cuts + 1] */
    int32_t *empty;                    /* [empties], ascending */
    int32_t *col;                      /* [entries] */
    void *val;                         /* [entries] in target.precision, or packed */
    int64_t distinct;                  /* of the dictionary */
    void *table;                       /* [distinct] in target.precision; NULL: no dictionary */
    /* [slots] scratch memory of spmv_host, for one product at a time; not counted in base.bytes */
    void *partial;
};

static inline struct values brc_values(const struct brc_storage *s)
{
    const struct values v = { s->spec.as, s->base.target.precision, false, s->distinct, s->table };
    return v;
}

SPMV_HD static inline int64_t brc_start(struct brc_width w, int64_t level)
{
    return w.b2 * (w.grow ? level * (level + 1) / 2 : level);
}

/* Returns the number of pieces of a row of `length` entries. */
SPMV_HD static inline int64_t brc_levels(struct brc_width w, int64_t length)
{
    int64_t n;

    if (!w.grow)
        return (length + w.b2 - 1) / w.b2;
    n = (int64_t)((sqrt(1.0 + 8.0 * (double)length / (double)w.b2) - 1.0) / 2.0);
    while (brc_start(w, n) < length)
        n++;
    while (n > 0 && brc_start(w, n - 1) >= length)
        n--;
    return n;
}

/* Returns the number of entries of the piece at `level` of a row of `length` > brc_start(level) entries. */
SPMV_HD static inline int64_t brc_piece(struct brc_width w, int64_t length, int64_t level)
{
    const int64_t rest = length - brc_start(w, level), width = brc_start(w, level + 1) - brc_start(w, level);

    return rest < width ? rest : width;
}

/* Returns the index of piece p in piece_slot[], or -1 if the piece is a whole row without one. */
SPMV_HD static inline int64_t brc_piece_slot_at(int64_t head, int64_t level1, int64_t p)
{
    return p < head ? p : p >= level1 ? p - level1 + head : -1;
}

/* Returns a grid of one warp per `rep` groups of 32 pieces of the queue, or of more warps if a thread would otherwise
 * zero more than BRC_EMPTY_ROWS empty rows. */
static inline struct grid brc_grid(int64_t blocks, int b1, int64_t empties, int64_t rep, int block)
{
    const int64_t warps = (blocks * (b1 / CUDA_WARP) + rep - 1) / rep,
                  zeroing = (empties + CUDA_WARP * BRC_EMPTY_ROWS - 1) / (CUDA_WARP * BRC_EMPTY_ROWS);

    return grid_of(CUDA_WARP * (warps > zeroing ? warps : zeroing), block);
}

/* The paper's equation 3 with its limit: min(C round(mean + sd), longest, 200), at least 1, with C = times / over,
 * rounded to the nearest. brc_rule: C = 1, as in the paper. */
int64_t brc_rule_times(double mean, double sd, int64_t longest, int64_t times, int64_t over);
int64_t brc_rule(double mean, double sd, int64_t longest);
/* Of the nonempty rows, as empty rows make no piece; sd: population. All 0 if there are none. */
struct brc_lengths {
    double mean, sd;
    int64_t longest;
};
struct brc_lengths brc_lengths_of(const struct features *);
/* The rule for n rows from the sum of their lengths and of squared lengths: the same result on any number of
 * threads. */
int64_t brc_rule_of(int64_t n, int64_t sum, int64_t squares, int64_t longest);

/* The configuration must be resolved: b2 is not auto. */
struct brc_spec brc_spec_of(const struct config *);
/* Sizes from features: exact if rows are sorted as a whole, else estimated (brc_count is exact). */
struct brc_sizes brc_sizes_of(const struct features *, const struct brc_spec *);

/* brc_order.c: the queue of pieces of a matrix, and its blocks. */
struct brc_queue {
    struct brc_spec spec; /* with b2 from the rule if it was 0 */
    struct brc_sizes n;
    int64_t levels, *level; /* [levels + 1], first piece of each level */
    int32_t *row_perm, *block_offset, *empty;
};
/* Returns 0, FAIL (more entries than 32-bit offsets can address) or OOM; after a failure nothing is left allocated.
 * spec.b1 may be 1 to BRC_PIECES_MAX. The layout is named in `why`. */
int brc_queue_make(const struct layout *, const struct csr_view *, struct brc_spec, struct brc_queue *,
                   char why[ERRLEN]);
void brc_queue_free(struct brc_queue *);
/* Returns the level of piece p. */
int64_t brc_level_of(const struct brc_queue *, int64_t p);

/* Builds the layout, for any b1 that the queue supports. */
int brc_build_spec(const struct csr_view *, struct brc_spec, const struct target *, struct storage **out,
                   char why[ERRLEN]);
extern const struct layout brc_layout;
#ifdef __cplusplus
}
#endif
#endif
