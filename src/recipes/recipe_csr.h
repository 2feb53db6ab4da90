/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to recipes/: single rows on the host. */
#ifndef SPMVCAST_RECIPES_RECIPE_CSR_H
#define SPMVCAST_RECIPES_RECIPE_CSR_H
#include "recipes/recipe.h"

/* Writes the columns of row i. length: recipe_row_length(r, i). */
void recipe_row_columns(const struct recipe *, int64_t i, int64_t length, int32_t *col);
int64_t recipe_longest(const struct recipe *); /* upper bound for the entries in a row */
#endif
