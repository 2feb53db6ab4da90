/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of physics-gp for the planner (block_time etc. of struct model). */
#ifndef SPMVCAST_MODELS_PHYSICS_GP_H
#define SPMVCAST_MODELS_PHYSICS_GP_H
#include "models/model.h"

struct block_cost *physics_blocks_open(const struct profile *, const struct sketch *, const struct config *,
                                       const struct target *, char why[ERRLEN]);
double physics_block_time(struct block_cost *, int first, int last);
double physics_block_floor(struct block_cost *, int first, int last);
double physics_block_launch(struct block_cost *);
void physics_blocks_close(struct block_cost *);
#endif
