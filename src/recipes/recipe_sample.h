/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to recipes/: column-dependent features of recipes too large to examine in full: x sectors, bandwidth,
 * spread, diagonals. rows, cols, nnz and lengths of f are already set. The result does not depend on the number of
 * threads. */
#ifndef SPMVCAST_RECIPES_RECIPE_SAMPLE_H
#define SPMVCAST_RECIPES_RECIPE_SAMPLE_H
#include "recipes/kind.h"

enum { SAMPLE_ROWS = 1024 };

/* Kinds with similar rows: equally spaced groups of rows (recipe_windowed.c). */
void recipe_features_windowed(const struct recipe *, struct features *f);

/* All other kinds: chunks of SAMPLE_ROWS rows drawn with probability proportional to their entries (recipe_drawn.c).
 * entries: number of entries of each chunk, overwritten. longest: number of the longest row. */
void recipe_features_drawn(const struct recipe *, int64_t *entries, int64_t longest, struct features *f);
#endif
