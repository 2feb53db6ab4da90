/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix in one configuration on a device, ready to be multiplied: conversion, preparation, products. What it allocates on the host
 * belongs to an arena of its own. Serves one thread at a time. */
#ifndef SPMVCAST_LIBRARY_READY_H
#define SPMVCAST_LIBRARY_READY_H
#include "backend/backend.h"
#include "library/library.h"

struct ready {
    struct device *device; /* set by the caller, like target; outlives it */
    struct target target;
    int64_t rows;
    struct config config; /* resolved */
    /* private */
    struct arena arena; /* of storage and launch */
    struct storage *storage;
    struct launch launch; /* prepared NULL: not ready */
    void *product;        /* [rows] A x, if it is neither set nor added; NULL: not used yet */
    /* of the last build */
    double convert_s, prepare_s;
    int64_t bytes; /* of the layout */
    bool refers;   /* the layout uses the arrays of the source's csr, which must outlive it */
};

/* Where the matrix is. On a device with its own memory: csr, and view if it is on the host, too. Else the view. Features: what the
 * conversion to this configuration needs. */
struct ready_source {
    const struct csr_view
        *view; /* whole rows, base 0, with values; NULL: copied from the device if a conversion needs it */
    const struct device_csr *csr;
    const struct features *features;
};

/* Converts and prepares, in place of what was built before; config may be that of `ready`. After a failure it is not ready, and
 * another configuration may be tried. SPMVCAST_INVALID_ARGUMENT: the matrix does not fit the configuration;
 * SPMVCAST_OUT_OF_MEMORY; SPMVCAST_DEVICE_ERROR: the device is lost. */
spmvcast_status ready_build(spmvcast_context *, struct ready *, const struct config *, const struct ready_source *);

/* y = alpha A x + beta y, as spmvcast_multiply. Returns 0, FAIL or OOM. */
int ready_multiply(struct ready *, double alpha, const void *x, double beta, void *y, struct stream *,
                   char why[ERRLEN]);

void ready_free(struct ready *); /* what it built, not the struct */
#endif
