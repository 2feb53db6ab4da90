/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as a trial of an item, measured together with the configurations. Each block is a layout of its rows. The
 * blocks are launched one after another (exec=serial) or as branches (exec=parallel); they share x and write slices
 * of y. */
#ifndef SPMVCAST_MEASURE_PLANNED_H
#define SPMVCAST_MEASURE_PLANNED_H
#include "measure/trials.h"
#include "runs/planfile.h"

/* Checks that the plan is for this matrix; FAIL (why) if not. May expand a recipe. */
int planned_check(const struct plan *, struct subject *, char why[ERRLEN]);
/* Appends a plan to n trials, unless its rows are done or it cannot run here; then its rows are reported as na.
 * Returns the new number of trials. */
int planned_add(struct bench *, const struct plan *, struct subject *, const struct target *, struct item_done *count,
                struct trial **, int n, finish_row *finish);
/* Builds, uploads and prepares every block. Leaves nothing behind after FAIL or OOM. */
int planned_prepare(struct stage *, struct trial *, char why[ERRLEN]);
void planned_release(struct stage *, struct trial *);
void planned_free(struct planned *); /* may be NULL */
#endif
