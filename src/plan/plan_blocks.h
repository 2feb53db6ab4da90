/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan as table rows: rows, configuration, forecast, and the format's name as in guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_PLAN_BLOCKS_H
#define SPMVCAST_PLAN_PLAN_BLOCKS_H
#include "forecast/planning.h"
#include "formats/format.h"
#include "runs/planfile.h"

enum { FORMAT_LEN = 64 };
struct plan_block {
    struct block_row row;
    char format[FORMAT_LEN];
};

/* Writes the layout's name in capitals, e.g. "CSR". */
void layout_in_capitals(const struct layout *, char out[FORMAT_LEN]);
/* Returns the blocks [split->n]; the caller frees them. */
struct plan_block *plan_blocks_of(const struct planned *);
#endif
