/* SPDX-License-Identifier: BSD-3-Clause */
/* lattice: sites of a periodic four-dimensional lattice, axis 0 fastest, coupled with their eight neighbours but not
 * with themselves. d = 3: the unknowns of a site are its colours; blocks are dense, with 24 entries per row. d = 12: spin
 * s times colour. Wilson's projections 1 -+ gamma keep two spins of each neighbour, s and 3 - s along axes 0 and 1, s and
 * s +- 2 along axis 2. Along axis 3 only spins 0 and 1 have entries forwards, only 2 and 3 backwards, one spin each:
 * 6 x 6 + 3 = 39 entries per row. */
#ifndef SPMVCAST_RECIPES_KINDS_LATTICE_H
#define SPMVCAST_RECIPES_KINDS_LATTICE_H
#include "recipes/draws.h"

SPMV_HD static inline int64_t recipe_lattice_length(const struct recipe *r, int64_t i)
{
    (void)i;
    return r->d == 3 ? 24 : 39;
}

/* Returns the number of entries for the neighbour along `axis`, forwards or backwards, in a row of spin s. */
SPMV_HD static inline int64_t recipe_lattice_block(const struct recipe *r, int axis, int forwards, int64_t s)
{
    if (r->d == 3)
        return 3;
    return axis < 3 ? 6 : (s < 2) == forwards ? 3 : 0;
}

/* Returns the column of entry k among these, relative to the neighbour's first column. */
SPMV_HD static inline int64_t recipe_lattice_inside(const struct recipe *r, int axis, int64_t s, int64_t k)
{
    const int64_t other = axis < 2 ? 3 - s : s ^ 2, low = s < other ? s : other, high = s < other ? other : s;
    if (r->d == 3)
        return k;
    if (axis == 3)
        return 3 * s + k;
    return 3 * (k < 3 ? low : high) + k % 3;
}

/* Visits neighbours in ascending order until entry k: those before the site from axis 3 to 0, then those after it from axis 0 to 3.
 * At an end of an axis both neighbours are on the same side; the one with the lower number comes first. */
SPMV_HD static inline int64_t recipe_lattice_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    const int64_t site = i / r->d, s = i % r->d / 3;
    (void)length;
    for (int turn = 0; turn < 8; turn++) {
        const int axis = turn < 4 ? 3 - turn : turn - 4;
        int64_t step = 1;
        for (int a = 0; a < axis; a++)
            step *= r->axis[a];
        const int64_t at = site / step % r->axis[axis], around = (r->axis[axis] - 1) * step;
        const int64_t back = at > 0 ? -step : around, ahead = at + 1 < r->axis[axis] ? step : -around;
        for (int pair = 0; pair < 2; pair++) {
            const int forwards = (ahead < back) == (pair == 0);
            const int64_t off = forwards ? ahead : back,
                          block = (off < 0) == (turn < 4) ? recipe_lattice_block(r, axis, forwards, s) : 0;
            if (k < block)
                return (site + off) * r->d + recipe_lattice_inside(r, axis, s, k);
            k -= block;
        }
    }
    return -1;
}
#endif
