/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the halves of the reader of SciPy's .npz: npz_arrays.c (the archive and its arrays), npz.c (the matrix). */
#ifndef SPMVCAST_INPUT_NPZ_INSIDE_H
#define SPMVCAST_INPUT_NPZ_INSIDE_H
#include "input/binary.h"

enum { NPZ_DIMS = 3, NPZ_TEXT = 16 };

/* An array. Integers are in `ints` or `wide`, values in `reals`. */
struct npz_array {
    int64_t dims[NPZ_DIMS], n; /* n: elements; -1: it is not there */
    int rank;
    bool by_columns; /* Fortran's order */
    struct number type;
    bool complex, text;
    int32_t *ints;
    int64_t *wide;
    double *reals;
};

enum { DATA, INDICES, INDPTR, ROW, COL, OFFSETS, SHAPE, FORMAT, ARRAYS };

struct npz {
    struct input *in;
    char path[512];
    bool header; /* without values and indices */
    struct npz_array array[ARRAYS];
    char format[NPZ_TEXT + 1];
    char others[200]; /* names of members that are no arrays of a sparse matrix */
    int64_t rows, cols, rounded;
};

const char *npz_array_name(int k);                                      /* "data" and so on */
int npz_length(const struct npz *, int k, int64_t n, char why[ERRLEN]); /* FAIL: array k has not n elements */
/* Reads the arrays of a sparse matrix; of indices and data only what indptr uses, if it comes first. Call npz_free even after a failure. */
int npz_read_arrays(struct npz *, char why[ERRLEN]);
void npz_free(struct npz *);
#endif
