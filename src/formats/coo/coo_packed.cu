/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout coo-packed on a CUDA device: refers to the columns of the CSR, packs its values. */
#include "formats/build_cuda.cuh"
#include "formats/coo/coo.cuh"
#include "formats/coo/coo_packed.h"
#include "formats/values.cuh"

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *, struct storage **out, char why[ERRLEN])
{
    struct coo_packed_storage *p = static_cast<struct coo_packed_storage *>(storage_on(d, &coo_packed_layout, csr));
    struct coo_storage *s = &p->coo;
    int status = 0;

    storage_borrow(&s->base, &s->col, csr->col);
    p->packed.as = values_as(config);
    if ((status = coo_rows_build(d, csr, s, why)) == 0)
        status = values_packed_cuda(d, csr, &s->base, &p->packed, &s->val, why);
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda coo_packed_layout_cuda = { .name = "coo-packed",
                                                           .build = layout_build,
                                                           .refers = true };
