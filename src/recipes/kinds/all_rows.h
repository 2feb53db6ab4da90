/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of all kinds: recipe_NAME_length(r, i) and recipe_NAME_column(r, i, k, length). */
#ifndef SPMVCAST_RECIPES_KINDS_ALL_ROWS_H
#define SPMVCAST_RECIPES_KINDS_ALL_ROWS_H
#include "recipes/kinds/banded.h"
#include "recipes/kinds/binomial.h"
#include "recipes/kinds/constant.h"
#include "recipes/kinds/dense.h"
#include "recipes/kinds/fem.h"
#include "recipes/kinds/halves.h"
#include "recipes/kinds/kkt.h"
#include "recipes/kinds/lattice.h"
#include "recipes/kinds/like.h"
#include "recipes/kinds/lp.h"
#include "recipes/kinds/markov.h"
#include "recipes/kinds/normal.h"
#include "recipes/kinds/recipe_blocks.h"
#include "recipes/kinds/rmat.h"
#include "recipes/kinds/stencil.h"
#include "recipes/kinds/uniform.h"
#endif
