/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan: the decision, the blocks, single configurations for the whole matrix, and strategy and formats as in
 * guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_PLAN_OUTPUT_H
#define SPMVCAST_PLAN_PLAN_OUTPUT_H
#include "plan/plan_blocks.h"
#include "table/textout.h"

extern const struct column plan_output_columns[];
void plan_output_blocks(struct table *, const struct planned *, const struct plan_block *);
void plan_output_single(struct table *, const struct planned *, const struct outlook_row *);
void plan_output_strategy(struct table *, const struct plan_block *, int n);
void plan_output_decision(struct table *, const struct planned *);
#endif
