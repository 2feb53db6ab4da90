/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix ready to be multiplied: blocks of consecutive rows, each in one configuration with its kernel prepared. One block is a matrix
 * handle or a measured configuration, more are a plan. Each block names its device: today it is that of the operator, whose x all
 * blocks read and whose y they write in slices. Blocks on other devices would be prepared there, and operator_join is where x is
 * distributed and y collected. Serves one thread at a time. */
#ifndef SPMVCAST_OPERATOR_OPERATOR_H
#define SPMVCAST_OPERATOR_OPERATOR_H
#include "operator/conversion.h"

struct operator_block {
    int64_t first_row, rows; /* rows 0: the end of the list */
    struct config config;
    bool resolved;           /* for these rows, and applicable to them; else operator_make does it */
    struct storage *storage; /* a reference, shared with other operators of this layout; NULL: not converted */
    struct device *device;
    struct launch launch;     /* run NULL: not prepared */
    struct device_csr copied; /* rows that the layout refers to; row_ptr NULL: none, or they are the source's */
};

struct operator
{
    struct device *device; /* outlives it */
    struct target target;
    int64_t rows;
    bool parallel; /* blocks run side by side; needs backend.branches */
    int n;
    struct operator_block *block; /* [n + 1], the last without rows; owned. The caller sets rows and configurations */
    /* set by operator_make */
    struct launch launch; /* the whole product; x and y are the caller's. run NULL: not ready */
    struct conversion_costs costs;
    int64_t bytes; /* of all layouts */
    bool refers;   /* a layout uses the arrays of the source's csr, which must outlive it */
    void *product; /* [rows] A x on the device, if it is neither set nor added; NULL: not used yet */
};

/* Sets up an operator of n blocks, each with all rows until the caller sets others. Allocates; nothing is converted yet. */
void operator_begin(struct operator*, struct device *, const struct target *, int64_t rows, int n);

/* Converts the blocks that have no storage, prepares all and joins their launches. from: the whole matrix; only needed to convert.
 * twice: conversions on the device and preparations are done twice and report the second time, since the first may load code. Returns
 * 0, FAIL or OOM, with the number of the block in `why` if there is more than one; then it is as after operator_release. */
int operator_make(struct operator*, const struct matrix_source *from, bool twice, char why[ERRLEN]);

/* y = alpha A x + beta y, enqueued: x has cols elements, y rows, on the device. alpha 0: x is not read; beta 0: y is not. Returns 0, FAIL
 * or OOM. */
int operator_multiply(struct operator*, double alpha, const void *x, double beta, void *y, struct stream *,
                      char why[ERRLEN]);

/* Allocates what products of any factors need, unless it is there: those that follow allocate nothing. Returns 0, FAIL or OOM. */
int operator_reserve(struct operator*, char why[ERRLEN]);

/* Releases what operator_make made; it can be made again, from other values. */
void operator_release(struct operator*);
void operator_free(struct operator*); /* also the blocks; not the struct */
#endif
