/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR whose values take fewer bits (formats/values.h): row_ptr and col as in csr, slot k of the values belongs to entry k. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_PACKED_H
#define SPMVCAST_FORMATS_CSR_CSR_PACKED_H
#include "formats/csr/csr.h"
#include "formats/values.h"
#ifdef __cplusplus
extern "C" {
#endif

struct csr_packed_storage {
    struct csr_storage csr; /* val: values_slots() slots */
    struct values_packed packed;
};

extern const struct layout csr_packed_layout;
#ifdef __cplusplus
}
#endif
#endif
