/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the Matrix Market reader share: mtx_header.c (banner to size line), mtx.c (entries). */
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
    const char *body;       /* the first line after the size line */
};

struct mtx_text {
    struct text lines;
    bool real_part; /* complex values are taken, without their imaginary parts */
    struct mtx_header h;
};

/* Fills h. FAIL also where the text ends before the size line; *ended then says so (a peek reads on). */
int mtx_header(struct mtx_text *, bool *ended, char why[ERRLEN]);
#endif
