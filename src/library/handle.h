/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator of a matrix handle in an arena of its own, which has all that it allocates on the host. */
#ifndef SPMVCAST_LIBRARY_HANDLE_H
#define SPMVCAST_LIBRARY_HANDLE_H
#include "library/library.h"
#include "operator/operator.h"

/* Rows and configurations of an operator to be made. */
struct handle_blocks {
    bool parallel;
    int n;
    const struct operator_block *at; /* [n] */
};

struct handle {
    struct arena arena;       /* of the operator */
    struct operator operator; /* device NULL: none; launch.run NULL: the last conversion failed */
};

/* Converts and prepares, in place of what was made before. from: the whole matrix. After a failure there is no operator. SPMVCAST_INVALID_ARGUMENT: the matrix does not
 * fit a configuration; SPMVCAST_OUT_OF_MEMORY; SPMVCAST_DEVICE_ERROR: the device is lost. */
spmvcast_status handle_make(spmvcast_context *, struct handle *, struct device *, const struct target *, int64_t rows,
                            const struct handle_blocks *, const struct matrix_source *from);
void handle_free(struct handle *); /* what it holds, not the struct */
#endif
