/* SPDX-License-Identifier: BSD-3-Clause */
/* How long it takes on this machine to take the features of measured matrices, from CSR arrays in memory and on all threads.
 * Matrices with a recipe are generated. Others are looked up in a folder, the collection, as FOLDER/GROUP/NAME and
 * FOLDER/NAME with each extension of a matrix file; a file counts only if its matrix_id is that of the archive. From the
 * smallest matrix on, as many are timed as have 7.5 * 10^7 nonzeros together, which takes less than a minute. */
#ifndef SPMVCAST_VERIFY_EFFORT_FEATURES_H
#define SPMVCAST_VERIFY_EFFORT_FEATURES_H
#include "verify/cases.h"

struct feature_times {
    double features_s, fill_s; /* all features; the fill of dense blocks alone (block_fill.h); NaN: not timed */
};
struct effort_features {
    struct feature_times *of; /* [runs.nmatrices] of the cases */
    const char *collection;   /* NULL: none */
    int64_t wanted, timed;    /* matrices of the cases; of these, those timed */
    int64_t limit;            /* the matrices of `large` have at least so many nonzeros */
    struct strlist absent, large;
};

/* Warns of files that cannot be read or are another matrix. Dies if the collection is not a folder. */
void effort_features_time(struct effort_features *, const struct cases *, const char *collection);
/* facts: of a case. */
const struct feature_times *effort_features_of(const struct effort_features *, const struct cases *,
                                               const struct matrix_row *facts);
/* Prints a note: how many matrices were timed, and which were not, and why. */
void effort_features_note(const struct effort_features *, struct table *);
void effort_features_free(struct effort_features *);
#endif
