/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of the Matrix Market reader share: mtx_header.c (banner to size line), mtx.c (entries). */
#ifndef SPMVCAST_INPUT_MTX_INSIDE_H
#define SPMVCAST_INPUT_MTX_INSIDE_H
#include "input/matrix.h"
#include "input/mtx_parse.h"
#include "matrix/coo_matrix.h"

enum { MTX_SHOWN = 40 };

struct mtx_header {
    int64_t rows, cols, entries;
    bool pattern, integer, complex;
    enum coo_mirror mirror; /* of a Hermitian matrix that of its real part */
    char name[128];         /* Group/Name of a comment, "" where none says it */
    const char *body;       /* the first line after the size line */
};

struct mtx_text {
    const char *path;       /* for messages: FILE or FILE:MEMBER */
    const char *named;      /* the file that gives the matrix its name where no comment does */
    bool real_part;         /* complex values are taken, without their imaginary parts */
    const char *text, *end; /* text ends in a newline at end[-1] */
    struct mtx_header h;
};

/* Fills h. FAIL also where the text ends before the size line; *ended then says so (a peek reads on). */
int mtx_header(struct mtx_text *, bool *ended, char why[ERRLEN]);

/* A token (or with `line` the rest of the line) cut to MTX_SHOWN characters, unprintable ones as '?'. */
const char *mtx_shown(const char *p, bool line, char out[MTX_SHOWN + 4]);
/* From 1. */
int64_t mtx_line_of(const struct mtx_text *, const char *p);
#endif
