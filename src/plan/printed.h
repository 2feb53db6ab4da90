/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-plan prints: the blocks, the configurations that take the matrix whole, strategy and formats as guo2014's
 * Table 3 has them, and what was decided. */
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
