/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices whose times physics-gp is least sure of under a profile: what to measure next (spmv-gen physics-gp --where-unsure). */
#ifndef SPMVCAST_GEN_UNSURE_H
#define SPMVCAST_GEN_UNSURE_H
#include <stdbool.h>
#include "gen/grid.h"

/* n cells at most, surest last. The profile's file is read; dies where it has nothing learned. Prints a row for each. */
void unsure_make(struct grid_cells *, const char *profile, int64_t n, bool json);
#endif
