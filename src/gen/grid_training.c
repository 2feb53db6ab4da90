/* SPDX-License-Identifier: BSD-3-Clause */
/* The training matrices of physics-gp: a table of recipes for every kernel and device (training.def). A trial run
 * uses the first few small ones of each kind. */
#include "gen/grid.h"

static const char *const recipes[] = {
#define TRAINING(recipe) recipe,
#include "gen/training.def"
#undef TRAINING
};
enum { NTRAINING = sizeof recipes / sizeof recipes[0], QUICK_FIRST = 102, QUICK_NNZ = 300000, QUICK_A_KIND = 2 };

void grid_training(struct grid_cells *g)
{
    int of_kind[NRECIPES] = { 0 };
    for (int i = 0; i < NTRAINING; i++) {
        struct recipe r;
        char why[ERRLEN];
        if (recipe_parse(recipes[i], &r, why) != 0)
            bug("training.def: %s", why);
        if (g->spec.quick && (i >= QUICK_FIRST || of_kind[r.kind] >= QUICK_A_KIND || !recipe_nnz_within(&r, QUICK_NNZ)))
            continue;
        of_kind[r.kind] += grid_add(g, recipes[i], ROLE_TRAIN, "", 0, 0);
    }
}
