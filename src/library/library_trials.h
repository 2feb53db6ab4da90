/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a matrix handle: candidates are built one after the other, each is timed, and the fastest stays in the matrix. They
 * are timed at creation, or in the products of the caller, between which at most one is converted. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_TRIALS_H
#define SPMVCAST_LIBRARY_LIBRARY_TRIALS_H
#include "library/library_matrix_inside.h"

/* Returns how many candidates are to be tried, 0: none. For trials in products, puts one that multiplies CSR itself first and
 * leaves out those that are not tried. */
int trials_select(struct candidates *, const spmvcast_matrix_options *);
/* Begins trials of the first n candidates, the first of which is in the matrix; at creation, also runs them. Sets what the info says. */
spmvcast_status trials_begin(spmvcast_context *, spmvcast_matrix *, const struct candidates *, int n,
                             const spmvcast_matrix_options *);
/* operator_multiply for a matrix whose trials go on (info.trying); afterwards takes the next step. A failure of the trials is none of
 * the product. */
int trials_multiply(spmvcast_matrix *, double alpha, const void *x, double beta, void *y, struct stream *);
/* Takes over new values: `ok` if the matrix's own operator has them; else the trials end. Frees what graphs may use. */
void trials_update(spmvcast_matrix *, bool ok);
/* Do trials that go on, or candidates that graphs may use, need the arrays that the matrix was created from? */
bool trials_read(const spmvcast_matrix *);
void trials_free(spmvcast_matrix *);
#endif
