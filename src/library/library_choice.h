/* SPDX-License-Identifier: BSD-3-Clause */
/* Which configurations a matrix handle tries, in order. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_CHOICE_H
#define SPMVCAST_LIBRARY_LIBRARY_CHOICE_H
#include "library/library_device.h"

/* The best by forecast, or with trials the three best, and the rule's. Each forecast more takes time. Without forecasts the rule's and,
 * with trials on a CPU, two that often are faster. */
enum { CANDIDATES = 4 };
struct candidates {
    int n;
    struct chosen
        at[CANDIDATES]; /* in the order in which they are built and tried; without a forecast, times are NaN */
    spmvcast_choice how;
};

/* What of a matrix has to be examined for the choice and the check (device.h: EXAMINE_COLUMNS, ...). */
unsigned choice_needs(const spmvcast_device *, const spmvcast_matrix_options *, int64_t rows, int64_t nnz);

/* Returns which pieces of long rows a look at the row pointers is to list, in case that the rule takes csr-split on this GPU. */
struct row_list choice_listed(const spmvcast_device *, int64_t rows, int64_t nnz);

/* Does the choice need the chooser? */
bool choice_asks(const spmvcast_device *, const spmvcast_matrix_options *, int64_t nnz);
/* May it leave out formats that are converted on the host? */
bool choice_is_quick(const spmvcast_device *, const spmvcast_matrix_options *, int64_t nnz);

/* Fills the candidates. Called with a trap (library_call): may allocate. Returns a status, with why. */
spmvcast_status choice_make(const struct chooser *, const struct target *, const struct backend *,
                            const struct features *, const spmvcast_matrix_options *, struct candidates *,
                            char why[ERRLEN]);
#endif
