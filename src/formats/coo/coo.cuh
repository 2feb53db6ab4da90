/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_FORMATS_COO_COO_CUH
#define SPMVCAST_FORMATS_COO_COO_CUH
#include "formats/coo/coo.h"

/* Starts to fill the array of rows on the device. */
int coo_rows_build(struct device *, const struct device_csr *, struct coo_storage *, char why[ERRLEN]);
#endif
