/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices for which the forecasts of physics-gp are most uncertain, to be measured next (spmv-gen physics-gp
 * --where-unsure). */
#ifndef SPMVCAST_GEN_GRID_UNCERTAIN_H
#define SPMVCAST_GEN_GRID_UNCERTAIN_H
#include <stdbool.h>
#include "gen/grid.h"

/* Adds at most n cells, the most uncertain first, and prints a row for each. Reads the profile; dies if the profile
 * has no learned forecasts. */
void grid_uncertain_make(struct grid_cells *, const char *profile, int64_t n, bool json);
#endif
