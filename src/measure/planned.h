/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan as a trial of an item, measured beside the configurations: each block a layout of its rows, launched one after
 * another (exec=serial) or as branches (exec=parallel), x shared, y in slices. */
#ifndef SPMVCAST_MEASURE_PLANNED_H
#define SPMVCAST_MEASURE_PLANNED_H
#include "measure/trials.h"
#include "runs/planfile.h"

/* FAIL: the subject is not the matrix that the plan is for. May make a recipe's matrix. */
int planned_check(const struct plan *, struct subject *, char why[ERRLEN]);
/* Adds a plan to n entries, unless its rows are there already or it cannot run here (rows na). Returns how many there
 * are now. */
int planned_add(struct bench *, const struct plan *, struct subject *, const struct target *, struct item_done *count,
                struct trial **, int n, finish_row *finish);
/* Builds, uploads and prepares every block. FAIL or OOM: nothing is left of it. */
int planned_prepare(struct stage *, struct trial *, char why[ERRLEN]);
void planned_release(struct stage *, struct trial *);
void planned_free(struct planned *); /* NULL is fine */
#endif
