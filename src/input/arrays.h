/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed rows or columns, or coordinates, as files of several formats hold them → CSR. Nothing in them is trusted. */
#ifndef SPMVCAST_INPUT_ARRAYS_H
#define SPMVCAST_INPUT_ARRAYS_H
#include "matrix/coo_matrix.h"

/* `major` is the row (the column in formats by columns), `minor` the other. */
struct arrays {
    /* For messages: the file; what it calls an array ("dataset "), its arrays and the number of entries. */
    const char *path, *kind, *pointers_are, *majors_are, *minors_are, *entries_are;
    int64_t rows, cols, entries;
    bool by_columns;
    int64_t listed;           /* majors that `pointers` covers */
    int64_t *pointers;        /* [listed + 1], NULL for coordinates */
    int32_t *majors, *minors; /* [entries]; with pointers majors[listed], or NULL: all majors in order */
    double *values;           /* [entries] */
};

/* Checks that a matrix of this size fits into memory. in_place: no entries are listed and sorted. Returns 0 or OOM. */
int arrays_fit(const char *path, int64_t rows, int64_t cols, int64_t entries, enum coo_mirror, bool in_place,
               char why[ERRLEN]);
/* Allocates what is not NULL in any case: minors and values; pointers if listed >= 0; majors if `majors`. OOM. */
int arrays_alloc(struct arrays *, bool majors, char why[ERRLEN]);
void arrays_free(struct arrays *);
int arrays_no_memory(const struct arrays *, char why[ERRLEN]); /* returns OOM */
/* Checks that pointers increase from 0 to the number of entries, and that indices are in range. FAIL: `why` names the first
 * that is not. */
int arrays_check(const struct arrays *, char why[ERRLEN]);
int arrays_check_pointers(const struct arrays *, char why[ERRLEN]); /* the first part, before the rest is read */
/* Copies the entries of arrays that were checked, in their order. */
void arrays_entries(const struct arrays *, struct coo_entry *);
/* Checks the arrays and appends their entries to the list. Returns 0, FAIL or OOM. Frees the arrays in any case. */
int arrays_append(struct arrays *, struct coo_list *, char why[ERRLEN]);
/* Converts arrays of a general matrix to CSR: columns sorted, duplicates summed in file order. Returns as arrays_append
 * does; frees the arrays in any case. */
int arrays_to_csr(struct arrays *, struct csr *, struct coo_repeats *, char why[ERRLEN]);
#endif
