/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a block: some rows of the matrix, where that is. */
#ifndef SPMVCAST_OPERATOR_ROWS_SOURCE_H
#define SPMVCAST_OPERATOR_ROWS_SOURCE_H
#include "operator/conversion.h"

struct rows_source {
    struct matrix_source source; /* points into this struct, which must not be moved */
    struct device *device;
    struct csr_view view;
    struct device_csr csr; /* a copy on the device, owned; row_ptr NULL: none */
    struct features features;
};

/* Rows first .. first + rows - 1 of `from`; all rows are `from` itself. On a device with memory of its own, other rows are copied and
 * examined there (costs->examine_s); on the host, their features are computed if asked for. Returns 0, FAIL or OOM; then there is nothing to close. */
int rows_source_open(struct rows_source *, struct device *, const struct matrix_source *from, int64_t first,
                     int64_t rows, bool features, struct conversion_costs *, char why[ERRLEN]);
/* Frees the copy, or hands it to *kept, for a layout that refers to its arrays (NULL: it does not). */
void rows_source_close(struct rows_source *, struct device_csr *kept);
void device_rows_free(struct device *, struct device_csr *); /* such a copy */
#endif
