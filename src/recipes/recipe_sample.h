/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside recipes/: features of a recipe too large to look at whole that depend on columns: x sectors, bandwidth,
 * spread, diagonals. f has its rows, cols, nnz and lengths already. The same numbers on any number of threads. */
#ifndef SPMVCAST_RECIPES_RECIPE_SAMPLE_H
#define SPMVCAST_RECIPES_RECIPE_SAMPLE_H
#include "recipes/kind.h"

enum { SAMPLE_ROWS = 1024 };

int64_t recipe_longest(const struct recipe *); /* no row has more entries */

/* Kinds whose rows are alike: groups of rows at even distances (recipe_windowed.c). */
void recipe_features_windowed(const struct recipe *, struct features *f);

/* All other kinds: chunks of SAMPLE_ROWS rows drawn with a chance in proportion to their entries (recipe_drawn.c).
 * entries: those of each chunk; overwritten. longest: the longest row. */
void recipe_features_drawn(const struct recipe *, int64_t *entries, int64_t longest, struct features *f);
#endif
