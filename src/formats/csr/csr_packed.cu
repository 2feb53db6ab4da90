/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout csr-packed on a CUDA device: refers to the row pointers and columns of the CSR, packs its values. */
#include "formats/build_cuda.cuh"
#include "formats/csr/csr_packed.h"
#include "formats/values.cuh"

enum { BLOCK = 256 };

/* Thread k of the grid handles slot k. */
template <typename T>
static __global__ void pack(const T *val, int64_t nnz, int64_t slots, const struct values values, void *packed)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool entry = k < nnz;

    if (k < slots) /* all of a warp, or none */
        value_store(values, packed, k - threadIdx.x % WARP, entry ? val[k] : T(0), entry);
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *, struct storage **out, char why[ERRLEN])
{
    struct csr_packed_storage *p = static_cast<struct csr_packed_storage *>(storage_on(d, &csr_packed_layout, csr));
    const int64_t slots = csr_packed_slots(csr->nnz);
    struct csr_storage *s = &p->csr;
    dim3 blocks, threads;
    int status = 0;

    s->row_max = csr->row_max;
    s->listed = csr->listed;
    storage_borrow(&s->base, &s->row_ptr, csr->row_ptr);
    storage_borrow(&s->base, &s->col, csr->col);
    p->as = values_as(config);
    if ((status = values_examine_cuda(d, csr, p->as, false, &s->base, &p->table, &p->entries, why)) != 0)
        goto out;
    if ((status = storage_array(&s->base, &s->val, why)) != 0)
        goto out;
    if ((status = cuda_grid(grid_of(slots, BLOCK), &blocks, &threads, why)) != 0)
        goto out;
    if (csr->precision == F32)
        pack<<<blocks, threads, 0, cuda_stream(d)>>>(static_cast<const float *>(csr->val), csr->nnz, slots,
                                                     csr_packed_values(p), s->val);
    else
        pack<<<blocks, threads, 0, cuda_stream(d)>>>(static_cast<const double *>(csr->val), csr->nnz, slots,
                                                     csr_packed_values(p), s->val);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    status = CUDA_WAIT(d, why);
out:
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda csr_packed_layout_cuda = { .name = "csr-packed",
                                                           .build = layout_build,
                                                           .refers = true };
