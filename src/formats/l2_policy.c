/* SPDX-License-Identifier: BSD-3-Clause */
/* What the L2 keeps of a matrix from one product to the next. A matrix that fits into it with x and y is kept like all other data, so
 * that it is still there in the next product. Of a larger one, lines kept in that way would be gone before the next product reads them,
 * and would have displaced x and y besides: only a part of it is kept, and the rest is marked as the first to go. */
#include "formats/l2_policy.h"
#include "base/error.h"

/* As createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 makes it for n sixteenths of the lines (chosen by their address, the
 * same ones each time), and .L2::evict_normal or .L2::evict_first alone for all or none of them; nvcc folds it to these constants for
 * compute capabilities 8.0 to 12.0. */
uint64_t l2_policy_keeping(int64_t n)
{
    const uint64_t high = n >= L2_POLICY_ALL ? 0x16f : n <= 0 ? 0x12f : 0x170 + (uint64_t)n - 1;
    return high << 52;
}

uint64_t l2_policy(const struct storage *s)
{
    const struct geometry *g = &s->target.device;
    const int64_t vectors = (s->rows + s->cols) * precision_bytes(s->target.precision),
                  matrix = s->bytes + s->beside + 1;

    if (g->l2_bytes <= 0)
        bug("l2_policy: a storage without the geometry of its device");
    if (footprint_class(g, matrix + vectors) == RESIDENT)
        return l2_policy_keeping(L2_POLICY_ALL);
    /* x, y and the kept part fill two fifths of the L2. Measured on an H200: with more, lines are lost again; with less, fewer are kept. */
    return l2_policy_keeping((g->l2_bytes * 2 / 5 - vectors) * L2_POLICY_ALL / matrix);
}
