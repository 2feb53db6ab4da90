/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries in any order → CSR. */
#ifndef SPMVCAST_MATRIX_COO_MATRIX_H
#define SPMVCAST_MATRIX_COO_MATRIX_H
#include <stddef.h>
#include "matrix/csr_matrix.h"

struct coo_entry {
    int32_t row, col; /* from 0, in range */
    double val;
};
/* Whether each entry (i, j), i != j, also stands for (j, i): no; with the same value; with the negated value. */
enum coo_mirror { COO_GENERAL, COO_SYMMETRIC, COO_SKEW };

/* Summed duplicates: entries at the position of an earlier one; in a mirrored matrix also pairs of entries at (i, j)
 * and (j, i), i != j. */
struct coo_repeats {
    int64_t summed, both_triangles;
};

/* A list of entries in pieces; it grows without moving them. A zeroed list is empty. */
struct coo_list {
    struct coo_piece {
        void *entry; /* coo_entry, or int32_t[2] in a pattern */
        int64_t n;
        bool owned; /* entry is malloc'd, not inside the array of an earlier piece */
    } * piece;
    int pieces, room;
    char *next; /* after the last piece: the rest of its array, of `spare` bytes */
    size_t spare;
    int64_t entries;
    bool
        pattern; /* entries are int32_t[2], row and column, with the value csr_pattern_value, also if repeated; set on an empty list */
};
/* Appends room for n > 0 entries; NULL: out of memory. */
void *coo_list_add(struct coo_list *, int64_t n);
void coo_list_free(struct coo_list *); /* may be called on an empty list */

/* Returns how many values are 2^53 or more, or -2^53 or less: from there on float64 rounds integers. Not of a pattern. */
int64_t coo_list_beyond_integers(const struct coo_list *);

/* Converts to CSR: columns sorted, duplicates summed in list order (the same bits on any number of threads), explicit
 * zeros kept. Frees the entries of the list, even on failure. Returns 0, FAIL or OOM. */
int coo_list_to_csr(struct coo_list *, enum coo_mirror, int64_t rows, int64_t cols, struct csr *, struct coo_repeats *,
                    char why[ERRLEN]);

/* Sorts the columns of each row and sums duplicates, in place. Pointers and columns must be in range. */
void coo_tidy_rows(struct csr *, struct coo_repeats *);
#endif
