/* SPDX-License-Identifier: BSD-3-Clause */
/* index=narrow of sell: the columns of a strip's step relative to their rows, in the fewest bytes that hold all 32. */
#include <inttypes.h>
#include "formats/sell/sell.h"

void sell_rows_at(const struct csr_view *a, const int32_t *perm, int64_t strip, struct sell_rows *r)
{
    const int64_t first = strip * SELL_STRIP;

    r->n = a->rows - first < SELL_STRIP ? (int)(a->rows - first) : SELL_STRIP;
    r->longest = 0;
    for (int i = 0; i < SELL_STRIP; i++) {
        const int64_t row = i >= r->n ? 0 : perm ? perm[first + i] : first + i;

        r->row[i] = row;
        r->begin[i] = i < r->n ? a->begin[row] : 0;
        r->length[i] = i < r->n ? a->end[row] - a->begin[row] : 0;
        if (r->length[i] > r->longest)
            r->longest = r->length[i];
    }
}

int sell_narrow_reaches(int64_t slots, char why[ERRLEN])
{
    const int64_t most = sell_units_max / (int64_t)sizeof(uint32_t) * SELL_STRIP;

    if (slots <= most)
        return 0;
    return fail(why,
                "%" PRId64 " slots with padding exceed the index=narrow limit %" PRId64
                "; use index=32 or split the rows with spmv-plan",
                slots, most);
}

int64_t sell_describe(const struct csr_view *a, const struct sell_rows *r, struct sell_step *step, int64_t *padded)
{
    int64_t units = 0;

    *padded = 0;
    for (int64_t j = 0; j < r->longest; j++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        int n = 0;

        for (int i = 0; i < r->n; i++) {
            if (j >= r->length[i])
                continue;
            const int64_t relative = a->col[r->begin[i] + j] - r->row[i];
            if (relative < least)
                least = relative;
            if (relative > most)
                most = relative;
            n++;
        }
        const unsigned log = sell_log((uint32_t)(most - least), n == SELL_STRIP), width = (1u << log) / 2;
        if (step)
            step[j] = (struct sell_step){ (int32_t)(least - 1), log };
        units += width;
        *padded += (int64_t)width * (SELL_STRIP - n);
    }
    return units;
}

void sell_encode(const struct csr_view *a, const struct sell_rows *r, struct sell_step *step, int64_t at, uint8_t *code)
{
    for (int64_t j = 0; j < r->longest; j++) {
        const unsigned log = step[j].at;
        void *to = code + at * SELL_UNIT;

        for (int i = 0; i < SELL_STRIP && log > 0; i++) {
            const int64_t found = j < r->length[i] ? a->col[r->begin[i] + j] - r->row[i] - step[j].base : 0;
            if (log == 1)
                ((uint8_t *)to)[i] = (uint8_t)found;
            else if (log == 2)
                ((uint16_t *)to)[i] = (uint16_t)found;
            else
                ((uint32_t *)to)[i] = (uint32_t)found;
        }
        step[j].at = (uint32_t)at * 8 + log;
        at += (1u << log) / 2;
    }
}
