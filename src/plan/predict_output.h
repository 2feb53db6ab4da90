/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-predict for one matrix and target: advice, rows, terms of each forecast, footer. Several profiles share one ranking;
 * each row names its profile. */
#ifndef SPMVCAST_PLAN_PREDICT_OUTPUT_H
#define SPMVCAST_PLAN_PREDICT_OUTPUT_H
#include "plan/archived_times.h"

/* Which rows and columns to print. */
struct showing {
    bool all, named; /* all: every configuration (--all); named: only those given with -c */
    int64_t top;     /* 0: the best of each kernel */
    int64_t tuned;   /* number of best configurations that --tune times, which are printed, too */
    bool measured;   /* print measured times */
    bool screen;     /* on a terminal: only kernels with a forecast */
    bool several;    /* several matrices: notes name the matrix */
    int preferred;   /* index of the profile of --prefer; -1: none */
};
extern const struct column predict_output_measured_columns[]; /* with showing.measured */
/* Returns the columns for textout_begin; malloc'd. */
struct column *predict_output_columns(const struct showing *);

/* One matrix and target with n profiles: question[n], outlook[n]. Places are common to all profiles. */
struct predict_output {
    const struct showing *showing;
    const struct question *question;
    struct outlook *outlook;
    int n;
    const struct archived_times *times;
    const struct outlook_row
        *tuned; /* of outlook[0]: the best that --tune timed, which is recommended then; NULL: none */
};
/* Describes the matrix of n targets, and says for which of the profiles it was measured. */
void predict_output_matrix(struct table *, const struct predict_output *, int n);
void predict_output_advice(struct table *, const struct predict_output *);
void predict_output_rows(struct table *, const struct predict_output *);
void predict_output_terms(struct table *, const struct predict_output *);
/* Prints the terms of one row of the outlook, after the text `of`; nothing if it has no forecast. */
void predict_output_row_terms(struct table *, const char *of, const struct outlook *, const struct outlook_row *);
void predict_output_footer(struct table *, const struct predict_output *);

/* Columns that a terminal shows only if they differ between rows or have values. */
struct view {
    bool precision, cache, launch, status, total, library;
};
/* Updates the columns for a terminal with one more matrix and its n targets. */
void predict_output_view(struct table *, struct view *, const struct predict_output *, int n);
#endif
