/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout csr-packed on a CUDA device: refers to the row pointers and columns of the CSR, packs its values. */
#include "formats/build_cuda.cuh"
#include "formats/csr/csr_packed.h"
#include "formats/values.cuh"

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *, struct storage **out, char why[ERRLEN])
{
    struct csr_packed_storage *p = static_cast<struct csr_packed_storage *>(storage_on(d, &csr_packed_layout, csr));
    struct csr_storage *s = &p->csr;

    s->row_max = csr->row_max;
    s->listed = csr->listed;
    storage_borrow(&s->base, &s->row_ptr, csr->row_ptr);
    storage_borrow(&s->base, &s->col, csr->col);
    p->packed.as = values_as(config);
    return storage_done(values_packed_cuda(d, csr, &s->base, &p->packed, &s->val, why), &s->base, out);
}

extern const struct layout_cuda csr_packed_layout_cuda = { .name = "csr-packed",
                                                           .build = layout_build,
                                                           .refers = true };
