/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan in the words of its table: which rows, which configuration, which forecast; formats as guo2014's Table 3 names
 * them. */
#ifndef SPMVCAST_PLAN_DESCRIBED_H
#define SPMVCAST_PLAN_DESCRIBED_H
#include "forecast/question.h"
#include "forecast/split.h"
#include "formats/format.h"
#include "runs/planfile.h"

/* What was planned, of what, and what was decided. All borrowed. */
struct planned {
    const struct question *question;
    const struct outlook *outlook; /* of the matrix whole */
    const struct outlook_row *single;
    const struct sketch *sketch;
    const struct blocks *blocks;
    const struct split *split; /* decided: one block where the matrix is kept whole */
    int blocks_found;          /* before that was decided, */
    struct forecast found;     /* their time with its interval, */
    bool faster;               /* whether that is less than the best single configuration's, */
    double open_s;             /* and by how much it would have to be (split_open) */
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
