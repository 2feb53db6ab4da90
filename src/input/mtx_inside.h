/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of the Matrix Market reader: mtx_header.c (banner to size line), mtx_body.c (entries), mtx_array.c
 * (values of a dense array), mtx.c. */
#ifndef SPMVCAST_INPUT_MTX_INSIDE_H
#define SPMVCAST_INPUT_MTX_INSIDE_H
#include "input/matrix.h"
#include "input/mtx_parse.h"
#include "input/text.h"
#include "matrix/coo_matrix.h"

struct mtx_header {
    int64_t rows, cols, entries;
    bool pattern, integer, complex;
    bool array;             /* dense: all values by columns, of a mirrored one those in or below the diagonal */
    enum coo_mirror mirror; /* of a Hermitian matrix: that of its real part */
    char name[128];         /* Group/Name from a comment, "" if there is none */
};

struct mtx_text {
    struct text lines;
    bool real_part; /* accept complex values and drop the imaginary parts */
    struct mtx_header h;
    double limit; /* of memory, in bytes */
};

/* Reads the lines up to the size line into h. */
int mtx_header(struct mtx_text *, char why[ERRLEN]);
/* Checks that a matrix of this size line and so many entries fits into memory. Returns 0 or OOM. */
int mtx_fits(const struct mtx_text *, double entries, char why[ERRLEN]);

/* Reads the h.entries entries in file order (mtx_body.c). */
int mtx_body(struct mtx_text *, struct coo_list *, char why[ERRLEN]);
/* Reads the values of an array (mtx_array.c); those that are zero are no entries. */
int mtx_array(struct mtx_text *, struct coo_list *, char why[ERRLEN]);
#endif
