/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan as table rows: rows, configuration, forecast, and the format's name as in guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_DESCRIBED_H
#define SPMVCAST_PLAN_DESCRIBED_H
#include "forecast/question.h"
#include "forecast/split.h"
#include "formats/format.h"
#include "runs/planfile.h"

/* A plan and the data that it was made from. All pointers are borrowed. */
struct planned {
    const struct question *question;
    const struct outlook *outlook; /* for the whole matrix */
    const struct outlook_row *single;
    const struct sketch *sketch;
    const struct blocks *blocks;
    const struct split *split; /* the decision: one block if the matrix is not split */
    int blocks_found;          /* number of blocks of the fastest split found */
    struct forecast found;     /* forecast of that split */
    bool faster;               /* that split beats the best single configuration */
    double open_s;             /* gain that a split must exceed (split_open) */
};

enum { FORMAT_LEN = 64 };
struct described {
    struct block_row row;
    char format[FORMAT_LEN];
};

/* Writes the layout's name in capitals, e.g. "CSR". */
void described_layout(const struct layout *, char out[FORMAT_LEN]);
/* Returns the blocks [split->n]; the caller frees them. */
struct described *describe_plan(const struct planned *);
#endif
