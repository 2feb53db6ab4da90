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
    struct csr_storage csr; /* val: the packed values of csr_packed_slots() slots */
    enum values_as as;
    int64_t entries; /* of the dictionary */
    void *table;     /* [entries] in target.precision; NULL: no dictionary */
};

static inline int64_t csr_packed_slots(int64_t nnz) { return (nnz + 31) / 32 * 32; }
static inline struct values csr_packed_values(const struct csr_packed_storage *s)
{
    const struct values v = { s->as, s->csr.base.target.precision, false, s->entries, s->table };
    return v;
}

extern const struct layout csr_packed_layout;
#ifdef __cplusplus
}
#endif
#endif
