/* SPDX-License-Identifier: BSD-3-Clause */
/* What the L2 keeps of a matrix from one product to the next. A matrix that fits into it with x and y is kept like all other data, so
 * that it is still there in the next product. Of a larger one, lines kept in that way would be gone before the next product reads them,
 * and would have displaced x and y besides: only a part of it is kept, and the rest is marked as the first to go. */
#include "formats/prepared.cuh"

/* As createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 makes it for n of 16 sixteenths of the lines (chosen by their
 * address, the same ones each time), and .L2::evict_normal or .L2::evict_first alone for all or none of them. */
enum { ALL = 16 };
static uint64_t policy_of(int64_t n)
{
    const uint64_t high = n >= ALL ? 0x16f : n <= 0 ? 0x12f : 0x170 + static_cast<uint64_t>(n) - 1;
    return high << 52;
}

/* With fewer lanes, a thread leaves most of a sector to its later steps. If the sector goes first, it is gone by then, and the product of
 * a matrix beyond the L2 takes longer. */
enum { LANES_TAKE_SECTOR = 8 };

uint64_t l2_policy(const struct storage *s, int lanes)
{
    const struct geometry *g = &s->target.device;
    const int64_t vectors = (s->rows + s->cols) * precision_bytes(s->target.precision),
                  matrix = s->bytes + s->beside + 1;

    if (lanes < LANES_TAKE_SECTOR || footprint_class(g, matrix + vectors) == RESIDENT)
        return policy_of(ALL);
    /* x, y and the kept part fill two fifths of the L2. Measured on an H200: with more, lines are lost again; with less, fewer are kept. */
    return policy_of((g->l2_bytes * 2 / 5 - vectors) * ALL / matrix);
}
