/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries in any order → CSR. */
#ifndef SPMVCAST_MATRIX_COO_MATRIX_H
#define SPMVCAST_MATRIX_COO_MATRIX_H
#include "matrix/csr_matrix.h"

struct coo_entry {
    int32_t row, col;
    double val;
};                                                        /* indices from 0, in range */
enum coo_mirror { COO_GENERAL, COO_SYMMETRIC, COO_SKEW }; /* also (j, i) for i != j: as it is, or negated */

/* Columns sorted, duplicates summed in the order in which they stand in `entries` (the same bits on any number of
 * threads), explicit zeros kept. Takes over and frees `entries` (malloc'd), also on failure. 0, FAIL or OOM. */
int coo_to_csr(struct coo_entry *entries, int64_t n, enum coo_mirror, int64_t rows, int64_t cols, struct csr *,
               char why[ERRLEN]);

/* Sorts the columns of each row and sums duplicates, in place; pointers and columns must be in range. */
void coo_tidy_rows(struct csr *);
#endif
