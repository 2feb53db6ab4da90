/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to recipes/: ranges of rows on the host. */
#ifndef SPMVCAST_RECIPES_RECIPE_CSR_H
#define SPMVCAST_RECIPES_RECIPE_CSR_H
#include "recipes/recipe.h"

/* Writes the columns of row i, recipe_row_length of them. */
void recipe_row_columns(const struct recipe *, int64_t i, int64_t length, int32_t *col);
#endif
