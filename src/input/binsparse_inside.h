/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the Binsparse reader share: binsparse.c (the attribute), binsparse_arrays.c (the datasets). */
#ifndef SPMVCAST_INPUT_BINSPARSE_INSIDE_H
#define SPMVCAST_INPUT_BINSPARSE_INSIDE_H
#include <cJSON.h>

#include "archive/h5.h"
#include "matrix/coo_matrix.h"

/* Which datasets say where the entries stand: `major` is the row, of formats by columns the column, `minor` the other.
 * compressed: pointers_to_1 [majors + 1], indices_1 = minor; doubly: also indices_0, the majors that have entries, and
 * pointers_to_1 [of those + 1]; coordinates: indices_0 = major, indices_1 = minor. */
struct bsp_format {
    const char *name;
    enum { BSP_COMPRESSED, BSP_DOUBLY, BSP_COORDINATES } kind;
    bool by_columns;
};

/* Of structures other than general one triangle with the diagonal is stored. */
struct bsp_structure {
    const char *name;
    enum { BSP_BOTH, BSP_LOWER, BSP_UPPER } triangle;
    enum coo_mirror mirror;
};

struct bsp {
    char path[512]; /* for messages: FILE or FILE:GROUP */
    hid_t file, group;
    cJSON *root;        /* the attribute */
    const cJSON *about; /* its member "binsparse", or itself where a writer left that level out */
    const cJSON *ours;  /* its member "spmvcast", or NULL */
    const struct bsp_format *format;
    const struct bsp_structure *structure;
    int64_t rows, cols, nnz; /* nnz: stored */
    bool iso;                /* one value for all entries */
    bool complex;            /* pairs, of which the real part is wanted */
    bool boolean;            /* bint8: all but 0 is 1 */
    bool fill;               /* dataset fill_value holds what is not stored */
};

/* Datasets → CSR: sorted, duplicates summed in the order of the file. FAIL names the dataset; OOM. */
int bsp_read_arrays(const struct bsp *, struct csr *, struct coo_repeats *, char why[ERRLEN]);
#endif
