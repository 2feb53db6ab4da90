/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan: the decision, the blocks, single configurations for the whole matrix, and strategy and formats as in
 * guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_PRINTED_H
#define SPMVCAST_PLAN_PRINTED_H
#include "plan/described.h"
#include "table/textout.h"

extern const struct column printed_columns[];
void printed_blocks(struct table *, const struct described *, int n);
void printed_single(struct table *, const struct planned *, const struct outlook_row *);
void printed_strategy(struct table *, const struct described *, int n);
void printed_decision(struct table *, const struct planned *);
#endif
