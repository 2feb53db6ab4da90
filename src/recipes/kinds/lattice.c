/* SPDX-License-Identifier: BSD-3-Clause */
/* lattice: quantum chromodynamics; 8 x 8 x 8 x 8 with 12 unknowns is the pattern of QCD/conf5_4-8x8-05 (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/lattice.h"

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->d != 3 && r->d != 12)
        return fail(why, "d is %" PRId64 ", expected 3|12", r->d);
    r->rows = r->d;
    for (int a = 0; a < 4; a++) {
        if (r->axis[a] > RECIPE_LIMIT / r->rows)
            return fail(why, "x y z t d exceeds 2147483647, the maximum number of rows; use fewer sites");
        r->rows *= r->axis[a];
    }
    r->cols = r->rows;
    return 0;
}

static int64_t longest(const struct recipe *r) { return recipe_lattice_length(r, 0); }
static int64_t nnz(const struct recipe *r) { return r->rows * longest(r); }

#define SIDE "3..10000"
const struct recipe_kind_facts recipe_kind_lattice = {
    .about = { "lattice",
               "square: sites of a periodic 4-D lattice, each coupled with its 8 neighbours as in lattice QCD; 24 (d=3) or 39 (d=12) entries per row",
               "lattice:x=16,y=16,z=16,t=32",
               { { "x", "sites along the first axis", SIDE, "8" },
                 { "y", "sites along the second axis", SIDE, "8" },
                 { "z", "sites along the third axis", SIDE, "8" },
                 { "t", "sites along the fourth axis", SIDE, "8" },
                 { "d", "unknowns per site: 3 colours, or 4 spins x 3 colours", "3|12", "12" },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
};
