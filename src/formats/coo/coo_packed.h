/* SPDX-License-Identifier: BSD-3-Clause */
/* COO whose values take fewer bits (formats/values.h): row and col as in coo, slot k of the values belongs to entry k. */
#ifndef SPMVCAST_FORMATS_COO_COO_PACKED_H
#define SPMVCAST_FORMATS_COO_COO_PACKED_H
#include "formats/coo/coo.h"
#include "formats/values.h"
#ifdef __cplusplus
extern "C" {
#endif

struct coo_packed_storage {
    struct coo_storage coo; /* val: values_slots() slots */
    struct values_packed packed;
};

extern const struct layout coo_packed_layout;
#ifdef __cplusplus
}
#endif
#endif
