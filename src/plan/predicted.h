/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-predict prints of one matrix under one target: the advice, the rows, what each forecast is made of, the footer. Of
 * several profiles one ranking, each row naming its own. */
#ifndef SPMVCAST_PLAN_PREDICTED_H
#define SPMVCAST_PLAN_PREDICTED_H
#include "plan/beside.h"

/* Which rows are printed, and with which columns. */
struct showing {
    bool all, named; /* every configuration; only those asked for */
    int64_t top;     /* 0: the best of each kernel */
    bool measured;   /* measured times beside */
    bool screen;     /* a terminal: of the kernels only those with a forecast */
    bool several;    /* matrices: notes name theirs */
    int preferred;   /* profile; -1: none */
};
/* Column names for textout_begin; malloc'd. */
char *predicted_columns(const struct showing *);

/* One matrix under one target, by n profiles: question[n], outlook[n]. Of several the places are common. */
struct predicted {
    const struct showing *showing;
    const struct question *question;
    struct outlook *outlook;
    int n;
    const struct beside *beside;
};
void predicted_advice(struct textout *, const struct predicted *);
void predicted_rows(struct textout *, const struct predicted *);
void predicted_terms(struct textout *, const struct predicted *);
void predicted_footer(struct textout *, const struct predicted *);

/* Columns that a terminal shows because they differ between rows, or because some row has them. */
struct view {
    bool precision, cache, launch, status, total, library;
};
/* Sets the columns for a terminal by one more matrix, under n targets. */
void predicted_view(struct textout *, struct view *, const struct predicted *, int n);
#endif
