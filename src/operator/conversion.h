/* SPDX-License-Identifier: BSD-3-Clause */
/* From CSR, on the host or on a device, to a layout on a device, and what that cost. */
#ifndef SPMVCAST_OPERATOR_CONVERSION_H
#define SPMVCAST_OPERATOR_CONVERSION_H
#include "backend/backend.h"
#include "matrix/csr_matrix.h"

/* Where a matrix, or a block of its rows, is: on the device, on the host, or both. All borrowed. */
struct matrix_source {
    const struct csr_view *view;     /* base 0, with values; NULL: copied from the device if a conversion needs it */
    const struct device_csr *csr;    /* NULL: no layout is built on the device */
    const struct features *features; /* for builds on the device, and to resolve configurations */
};

/* Seconds of each step; NaN: there was no such step. */
struct conversion_costs {
    double examine_s; /* features of a block */
    double fetch_s;   /* copy of the CSR from the device */
    double host_s;    /* build on the host */
    double upload_s;  /* its copy to a device with memory of its own */
    double device_s;  /* build on the device */
    double prepare_s; /* set-up of the kernel */
};
extern const struct conversion_costs conversion_costs_none; /* all NaN */
void conversion_costs_add(struct conversion_costs *sum, const struct conversion_costs *);
/* Returns the seconds from CSR to the layout: all steps but the set-up of the kernel. */
double conversion_costs_total(const struct conversion_costs *);

/* Does the device build this layout from that source? */
bool conversion_on_device(const struct device *, const struct layout *, const struct matrix_source *);

/* Does what it then builds refer to the arrays of source->csr? */
bool conversion_refers(const struct device *, const struct layout *, const struct matrix_source *);

/* Converts to the layout of a resolved configuration: on the device if it can (conversion_on_device), else on the host. twice: builds on
 * the device twice and reports the second time, since the first may load code. The caller owns *out (storage_free); it may refer to the
 * arrays of source->csr (conversion_refers). Returns 0, FAIL or OOM; then *out is NULL. */
int conversion_make(struct device *, const struct target *, const struct config *, const struct matrix_source *,
                    bool twice, struct storage **out, struct conversion_costs *, char why[ERRLEN]);
#endif
