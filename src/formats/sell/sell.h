/* SPDX-License-Identifier: BSD-3-Clause */
/* SELL-C-sigma (Kreutzer et al. 2014; lehnert2016 with c = 512, sigma = 2048): rows sorted stably by descending
 * length within windows of sigma rows, cut into slices of c rows, each padded to its longest row and stored by
 * columns ("steps"): entry j of row i of slice s is at off[s] c + j height(s) + i. Every slice has c rows except the
 * last, which ends with the last warp.
 *
 * A strip is 32 rows of a slice, handled by one warp. The column of a slot is stored as:
 *   index=32      an int32; padding has column -1 and value 0 and always ends a row.
 *   index=narrow  a code of 0, 1, 2 or 4 bytes, one width for the 32 slots of a strip's step: column = row + base +
 *                 code. row is the row's number in the matrix; base belongs to the step and is one below the
 *                 minimum of column - row over its entries. Code 0 is padding (value 0); width 0 stands for 32 codes
 *                 of 1. The steps of a strip are consecutive in `step`, and so are their codes. A step that no row of
 *                 the strip reaches has base SELL_NO_STEP and no codes. */
#ifndef SPMVCAST_FORMATS_SELL_SELL_H
#define SPMVCAST_FORMATS_SELL_SELL_H
#include "formats/build.h"
#include "formats/csr/csr.h"
#include "formats/values.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { SELL_STRIP = 32, SELL_UNIT = 32, SELL_NO_STEP = INT32_MIN };
static const int64_t sell_units_max = UINT32_MAX / 8;

/* at: (place of the step's codes in units of 32 bytes) * 8 + log; a code has (1 << log) / 2 bytes, a step as many
 * units. With the log cleared, it is the place in 4-byte words. */
struct sell_step {
    int32_t base;
    uint32_t at;
};

struct sell_storage {
    struct storage base;
    int32_t c;
    int64_t slices, strips, slots; /* slots: entries and padding, a multiple of 32 */
    int64_t units;                 /* 32-byte units of codes; narrow only */
    int32_t *off;                  /* [slices + 1] steps of the preceding slices */
    int32_t *perm;                 /* [rows] the matrix row at each place; NULL: sigma=1 */
    enum values_as as;             /* how values are stored (formats/values.h); not full: index=narrow only */
    int64_t entries;               /* of the dictionary */
    void *table;                   /* [entries] in target.precision; NULL: no dictionary */
    void *val;                     /* [slots] in target.precision, or packed */
    int32_t *col;                  /* [slots]; NULL: narrow */
    struct sell_step *step;        /* [slots / 32]; narrow only */
    uint8_t *code;                 /* [32 units + 32]: ends with a unit of zeros; narrow only */
};

static inline int64_t sell_strips(int64_t rows) { return (rows + SELL_STRIP - 1) / SELL_STRIP; }
static inline int64_t sell_slices(int64_t rows, int64_t c) { return (rows + c - 1) / c; }
/* Returns the rows of a slice, including padding rows. */
static inline int64_t sell_height(int64_t rows, int64_t c, int64_t slice)
{
    const int64_t rest = sell_strips(rows) * SELL_STRIP - slice * c;
    return rest < c ? rest : c;
}
/* Returns the number of slots. steps: of all slices together; last: of the last slice. */
static inline int64_t sell_slots(int64_t rows, int64_t c, int64_t steps, int64_t last)
{
    const int64_t slices = sell_slices(rows, c);
    return slices > 0 ? (steps - last) * c + last * sell_height(rows, c, slices - 1) : 0;
}

/* Returns the log of the code width of a step whose column - row values span `range`; the largest code is range +
 * 1. full: all 32 rows reach the step. */
SPMV_HD static inline uint32_t sell_log(uint32_t range, bool full)
{
    if (range == 0 && full)
        return 0;
    return range < UINT8_MAX ? 1 : range < UINT16_MAX ? 2 : 3;
}
/* Returns 0, or FAIL with why if the codes of this many slots may lie beyond what sell_step.at can address. */
int sell_narrow_reaches(int64_t slots, char why[ERRLEN]);

/* Block and grid of the kernel: `lanes` neighbouring warps of a block share a strip. */
static inline int sell_block(int lanes, int block) { return block > SELL_STRIP * lanes ? block : SELL_STRIP * lanes; }
static inline struct grid sell_grid(int64_t rows, int lanes, int block)
{
    return grid_of(sell_strips(rows) * SELL_STRIP * lanes, sell_block(lanes, block));
}

static inline struct values sell_values(const struct sell_storage *s)
{
    const struct values v = { s->as, s->base.target.precision, false, s->entries, s->table };
    return v;
}

extern const struct layout sell_layout;

/* sell_estimate.c: estimates the slots and the steps of all slices from features alone. The result is exact for c = 32
 * with a sigma that divides 32, and for sigma > c with sigma >= rows. For sigma > c, the steps may also be those of
 * slices of fewer than 32 rows (esb). */
void sell_estimate(const struct features *, int64_t c, int64_t sigma, int64_t *slots, int64_t *steps);

/* ---- internal to sell: shared by its sources on the host ---- */

static inline bool sell_narrow(const struct config *c) { return strcmp(config_word(c, "index"), "narrow") == 0; }

int sell_applicable(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
int sell_traffic(const struct features *, const struct config *, const struct target *, struct traffic *);

/* 32 rows of a view (perm NULL: in order); rows past the last have no entries. */
struct sell_rows {
    int n;
    int64_t longest, row[SELL_STRIP], begin[SELL_STRIP], length[SELL_STRIP];
};
void sell_rows_at(const struct csr_view *, const int32_t *perm, int64_t strip, struct sell_rows *);

/* sell_narrow.c: returns the units of a strip's codes; *padded: bytes of codes that stand for no entry. step[0 ..
 * longest - 1] gets the base of each step and, in `at`, its log; NULL: only counts. */
int64_t sell_describe(const struct csr_view *, const struct sell_rows *, struct sell_step *step, int64_t *padded);
/* Writes a strip's codes from unit `at` on, and stores their places in the steps. */
void sell_encode(const struct csr_view *, const struct sell_rows *, struct sell_step *step, int64_t at, uint8_t *code);

/* Decodes the columns of a step; -1: padding. */
static inline void sell_decode(struct sell_step step, const uint8_t *code, const int64_t row[SELL_STRIP],
                               int32_t col[SELL_STRIP])
{
    const void *from = code + (uint64_t)(step.at / 8) * SELL_UNIT;
    const unsigned log = step.at % 8;

    for (int i = 0; i < SELL_STRIP; i++) {
        const uint32_t found = log == 0   ? 1
                               : log == 1 ? ((const uint8_t *)from)[i]
                               : log == 2 ? ((const uint16_t *)from)[i]
                                          : ((const uint32_t *)from)[i];
        col[i] = found ? (int32_t)(row[i] + step.base + (int64_t)found) : -1;
    }
}
#ifdef __cplusplus
}
#endif
#endif
