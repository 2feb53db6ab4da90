/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --summary: one row per matrix and target, then what the set has in common. */
#ifndef SPMVCAST_PLAN_SUMMARY_H
#define SPMVCAST_PLAN_SUMMARY_H
#include "forecast/outlook.h"
#include "forecast/question.h"

struct summary; /* of one table */
struct summary *summary_begin(bool json);
/* Adds the row of a file that could not be read. */
void summary_add_error(struct summary *, const char *path, const char *why);
/* Adds the row of the matrix that is open in the question, for the target of the outlook. A matrix that an earlier file holds, too, counts once. */
void summary_add(struct summary *, const char *path, const struct question *, const struct outlook *);
/* Prints the best single configuration for all matrices, what it loses, and totals, per target; frees the summary. instead: the model that
 * answered in place of the default, or NULL. */
void summary_end(struct summary *, const struct question *profile, const struct model *instead);
#endif
