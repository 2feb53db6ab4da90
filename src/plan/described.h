/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan in the words of its table: which rows, which configuration, which forecast; formats as guo2014's Table 3 names
 * them. */
#ifndef SPMVCAST_PLAN_DESCRIBED_H
#define SPMVCAST_PLAN_DESCRIBED_H
#include "forecast/block_costs.h"
#include "forecast/outlook.h"
#include "forecast/question.h"
#include "formats/format.h"
#include "runs/planfile.h"

enum { FORMAT_LEN = 64 };
struct described {
    struct block_row row;
    char format[FORMAT_LEN];
};

/* "CSR" */
void described_layout(const struct layout *, char out[FORMAT_LEN]);
/* [plan->n], owned by the caller. single: what takes the matrix whole, where the plan does not split it. */
struct described *describe_plan(const struct question *, const struct blocks *, const struct sketch *,
                                const struct target *, const struct dp_partition *, const struct outlook_row *single);
#endif
