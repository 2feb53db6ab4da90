/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan: the decision, the blocks, single configurations for the whole matrix, and strategy and formats as in
 * guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_PRINTED_H
#define SPMVCAST_PLAN_PRINTED_H
#include "base/textout.h"
#include "plan/described.h"

extern const char printed_header[];
void printed_blocks(struct textout *, const struct described *, int n);
void printed_single(struct textout *, const struct planned *, const struct outlook_row *);
void printed_strategy(struct textout *, const struct described *, int n);
void printed_decision(struct textout *, const struct planned *);
#endif
