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

/* What was added up: entries that stand where an earlier one does (1 fewer than there are for each place); pairs of
 * entries at (i, j) and (j, i), i != j, of a matrix that is mirrored. */
struct coo_repeats {
    int64_t summed, both_triangles;
};

/* Entries in pieces, which grows without moving them. Zeroed, it is empty. */
struct coo_list {
    struct coo_piece {
        struct coo_entry *entry; /* malloc'd */
        int64_t n;
    } * piece;
    int pieces, room;
    int64_t entries;
};
/* Room for n > 0 more entries at the end; NULL: no memory. */
struct coo_entry *coo_list_add(struct coo_list *, int64_t n);
void coo_list_free(struct coo_list *); /* also what is empty */

/* Columns sorted, duplicates summed in the order in which they stand in the list (the same bits on any number of
 * threads), explicit zeros kept. Frees the list's entries, also on failure. 0, FAIL or OOM. */
int coo_list_to_csr(struct coo_list *, enum coo_mirror, int64_t rows, int64_t cols, struct csr *, struct coo_repeats *,
                    char why[ERRLEN]);
/* Of entries in one piece: takes over and frees `entries` (malloc'd), also on failure. */
int coo_to_csr(struct coo_entry *entries, int64_t n, enum coo_mirror, int64_t rows, int64_t cols, struct csr *,
               struct coo_repeats *, char why[ERRLEN]);

/* Sorts the columns of each row and sums duplicates, in place; pointers and columns must be in range. */
void coo_tidy_rows(struct csr *, struct coo_repeats *);
#endif
