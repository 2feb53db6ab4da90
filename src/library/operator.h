/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix that is ready to be multiplied on a device: y = alpha A x + beta y, in a configuration that a forecast picks or the caller
 * names. Internal: bindings/petsc uses it with the CPU device. A context and an operator serve one thread at a time. */
#ifndef SPMVCAST_LIBRARY_OPERATOR_H
#define SPMVCAST_LIBRARY_OPERATOR_H
#include <spmvcast.h>
#include "device/device.h"
#include "matrix/csr_matrix.h"

struct spmv_operator;

struct operator_options {
    enum precision precision;
    /* Profile whose forecasts pick the configuration, and are reported for one that is named; it must be of this device. NULL: none. */
    const spmvcast_profile *profile;
    const char *config; /* the configuration; NULL: the forecast's pick, or operator_default without a profile */
    int64_t
        products; /* number of products over which conversion and preparation are to pay off; 0: rank by their time alone */
};
extern const char operator_default[]; /* "csr-vector" */

/* What was chosen and what it took. Unknown numbers are NaN. */
struct operator_report {
    char config[CONFIG_LEN];      /* resolved */
    char profile[64];             /* "": none */
    bool picked;                  /* by the forecast */
    double time_s, low_s, high_s; /* forecast of one product */
    double features_s, ranking_s; /* time of the choice */
    double convert_s, prepare_s;  /* of the last build */
    double update_s;              /* of the last update, all of it */
    int64_t bytes, products, updates;
};

/* Opens a device of a back-end; close it with backend->close, after its operators are freed. */
spmvcast_status operator_open_device(spmvcast_context *, const struct backend *, int index, struct device **);
/* Opens the profile that was measured on this device. SPMVCAST_NO_PROFILE: there is none. */
spmvcast_status operator_open_profile(spmvcast_context *, const struct device *, spmvcast_profile **);

/* Makes a matrix ready. The view has whole rows (end = begin + 1), base 0 and values, sorted columns without repetition; it is not
 * needed after the call. The device must outlive the operator. Returns SPMVCAST_OK, or with the message in the context
 * SPMVCAST_INVALID_ARGUMENT (unknown configuration, one that the device lacks or that cannot hold the matrix; profile of another device),
 * SPMVCAST_INVALID_MATRIX, SPMVCAST_OUT_OF_MEMORY, SPMVCAST_NO_FORECAST or SPMVCAST_INTERNAL_ERROR. */
spmvcast_status operator_create(spmvcast_context *, struct device *, const struct csr_view *,
                                const struct operator_options *, struct spmv_operator **);

/* Returns whether a view has the operator's sizes and pattern, by a hash of 64 bits. Reads the pattern once, in parallel. */
bool operator_has_pattern(const struct spmv_operator *, const struct csr_view *);

/* Takes the values of a view with the same pattern: builds the same configuration again. SPMVCAST_INVALID_MATRIX: another pattern;
 * the operator is unchanged. After other failures the operator can only be freed. */
spmvcast_status operator_update(spmvcast_context *, struct spmv_operator *, const struct csr_view *);

/* y = alpha A x + beta y; x and y are in the device's memory, in the operator's precision, and do not overlap. alpha 1 with beta 0 or
 * 1 is the kernel alone; other values take one more pass over y. With alpha 0, x is not read; with beta 0, y is not. Returns 0, FAIL or
 * OOM. */
int operator_multiply(struct spmv_operator *, double alpha, const void *x, double beta, void *y, struct stream *,
                      char why[ERRLEN]);

void operator_get_report(const struct spmv_operator *, struct operator_report *);
void operator_free(struct spmv_operator *); /* NULL: nothing to free */
#endif
