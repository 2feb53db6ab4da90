/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a plan as table rows: rows, configuration, forecast, and the format's name as in guo2014, Table 3. */
#ifndef SPMVCAST_PLAN_DESCRIBED_H
#define SPMVCAST_PLAN_DESCRIBED_H
#include "forecast/question.h"
#include "forecast/split.h"
#include "formats/format.h"
#include "runs/planfile.h"

/* A plan and what it was made from. All pointers are borrowed. */
struct planned {
    const struct question *question;
    const struct outlook *outlook; /* for the whole matrix */
    const struct outlook_row *single;
    const struct sketch *sketch;
    const struct blocks *blocks;
    const struct split *split; /* the decision: one block if the matrix is not split */
    int blocks_found;          /* blocks of the fastest split found, */
    struct forecast found;     /* its forecast, */
    bool faster;               /* whether it beats the best single configuration, */
    double open_s;             /* and the gain that a split needs (split_open) */
};

enum { FORMAT_LEN = 64 };
struct described {
    struct block_row row;
    char format[FORMAT_LEN];
};

/* "CSR" */
void described_layout(const struct layout *, char out[FORMAT_LEN]);
/* [split->n], owned by the caller. */
struct described *describe_plan(const struct planned *);
#endif
