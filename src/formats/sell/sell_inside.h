/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside sell: what its files share on the host. */
#ifndef SPMVCAST_FORMATS_SELL_INSIDE_H
#define SPMVCAST_FORMATS_SELL_INSIDE_H
#include "formats/build.h"
#include "formats/sell/sell.h"

static inline bool sell_narrow(const struct config *c) { return strcmp(config_word(c, "index"), "narrow") == 0; }

/* sell_estimate.c: entries and padding, and steps of all slices, from features alone: exact for sigma = 1 with c = 32 and for
 * sigma >= rows. */
void sell_estimate(const struct features *, int64_t c, int64_t sigma, int64_t *slots, int64_t *steps);
int  sell_applicable(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
int  sell_traffic(const struct features *, const struct config *, const struct target *, struct traffic *);

/* 32 rows of a view (perm NULL: in order); rows beyond the last have no entries. */
struct sell_rows { int n; int64_t longest, row[SELL_STRIP], begin[SELL_STRIP], length[SELL_STRIP]; };
void sell_rows_at(const struct csr_view *, const int32_t *perm, int64_t strip, struct sell_rows *);

/* sell_narrow.c. Units of a strip's codes; padded: bytes of codes that stand for no entry. step[0 .. longest - 1]: base, and the
 * log in `at`; NULL: counted alone. */
int64_t sell_describe(const struct csr_view *, const struct sell_rows *, struct sell_step *step, int64_t *padded);
/* Writes a strip's codes from unit `at` on, and their places into the steps. */
void sell_encode(const struct csr_view *, const struct sell_rows *, struct sell_step *step, int64_t at, uint8_t *code);

/* Columns of a step, -1: padding. */
static inline void sell_decode(struct sell_step step, const uint8_t *code, const int64_t row[SELL_STRIP], int32_t col[SELL_STRIP])
{
    const void *from = code + (uint64_t)(step.at / 8) * SELL_UNIT;
    const unsigned log = step.at % 8;

    for (int i = 0; i < SELL_STRIP; i++) {
        const uint32_t found = log == 0 ? 1 : log == 1 ? ((const uint8_t *)from)[i] : log == 2 ? ((const uint16_t *)from)[i] : ((const uint32_t *)from)[i];
        col[i] = found ? (int32_t)(row[i] + step.base + (int64_t)found) : -1;
    }
}
#endif
