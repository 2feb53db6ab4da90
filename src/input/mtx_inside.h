/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the Matrix Market reader share: mtx_header.c (banner to size line), mtx_body.c (entries), mtx.c. */
#ifndef SPMVCAST_INPUT_MTX_INSIDE_H
#define SPMVCAST_INPUT_MTX_INSIDE_H
#include "input/matrix.h"
#include "input/mtx_parse.h"
#include "input/text.h"
#include "matrix/coo_matrix.h"

struct mtx_header {
    int64_t rows, cols, entries;
    bool pattern, integer, complex;
    enum coo_mirror mirror; /* of a Hermitian matrix that of its real part */
    char name[128];         /* Group/Name of a comment, "" where none says it */
};

struct mtx_text {
    struct text lines;
    bool real_part; /* complex values are taken, without their imaginary parts */
    struct mtx_header h;
};

/* Fills h from the lines up to the size line. */
int mtx_header(struct mtx_text *, char why[ERRLEN]);

/* mtx_body.c: the entries, h.entries of them, in the order of the file. */
int mtx_body(struct mtx_text *, struct coo_list *, char why[ERRLEN]);
#endif
