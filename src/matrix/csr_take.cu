/* SPDX-License-Identifier: BSD-3-Clause */
/* A caller's CSR arrays on a CUDA device, with 32-bit offsets and base 0. */
#include <cinttypes>
#include <climits>
#include "device/cuda.cuh"
#include "matrix/device_csr.h"

enum { BLOCK = 256 };

/* Offsets that 32 bits cannot hold become -1, which the check of the matrix refuses. `to` may be `from`. */
template <typename P> static __global__ void take(const P *from, int64_t n, int64_t base, int32_t *to)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const int64_t v = static_cast<int64_t>(from[i]);
    to[i] = v >= base && v - base <= INT32_MAX ? static_cast<int32_t>(v - base) : -1;
}

template <typename P>
static int enqueue(struct device *d, const void *from, int64_t n, int base, void *to, char why[ERRLEN])
{
    const unsigned blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);

    if (n == 0)
        return 0;
    take<<<blocks, BLOCK, 0, cuda_stream(d)>>>(static_cast<const P *>(from), n, base, static_cast<int32_t *>(to));
    return CUDA_LAUNCHED(d, why);
}

/* Gets n integers of `bits` bits on the device, less `base`: the array itself if it is there as wanted, else a copy in *owned. */
static int take_integers(struct device *d, const void *from, bool here, int bits, int64_t n, int base, int32_t **to,
                         void **owned, char why[ERRLEN])
{
    const bool as_is = bits == 32 && base == 0;
    void *wide = nullptr;
    int status = 0;

    *to = nullptr;
    if (here && as_is)
        return *to = static_cast<int32_t *>(const_cast<void *>(from)), 0;
    if ((status = cuda_alloc(d, 4 * n, owned, why)) != 0)
        return status;
    *to = static_cast<int32_t *>(*owned);
    if (as_is)
        return cuda_put(d, *owned, from, 4 * n, why);
    if (!here && bits == 64) {
        if ((status = cuda_scratch(d, 8 * n, &wide, why)) == 0)
            status = cuda_put(d, wide, from, 8 * n, why);
    } else if (!here) {
        status = cuda_put(d, *owned, from, 4 * n, why);
    }
    const void *source = here ? from : wide ? wide : *owned;
    if (status == 0)
        status = bits == 64 ? enqueue<int64_t>(d, source, n, base, *owned, why)
                            : enqueue<int32_t>(d, source, n, base, *owned, why);
    return status;
}

int cuda_csr_take(struct device *d, const struct csr_arrays *a, struct device_csr *csr, void *owned[3],
                  char why[ERRLEN])
{
    const int64_t value_bytes = precision_bytes(a->precision);
    const bool here = !a->copy && cuda_holds(d, a->row_ptr);
    int status = 0;

    for (int i = 0; i < 3; i++)
        owned[i] = nullptr;
    *csr = device_csr();
    csr->rows = a->rows;
    csr->cols = a->cols;
    csr->nnz = a->nnz;
    csr->precision = a->precision;
    csr->val = const_cast<void *>(a->val);
    status = take_integers(d, a->row_ptr, here, a->row_ptr_bits, a->rows + 1, a->base, &csr->row_ptr, &owned[0], why);
    if (status == 0 && a->nnz > 0)
        status = take_integers(d, a->col, here, 32, a->nnz, a->base, &csr->col, &owned[1], why);
    if (status == 0 && a->nnz > 0 && !here) {
        if ((status = cuda_upload(d, &owned[2], a->val, a->nnz * value_bytes, why)) == 0)
            csr->val = owned[2];
    }
    for (int i = 0; i < 3 && status; i++) {
        cuda_release(d, owned[i]);
        owned[i] = nullptr;
    }
    return status;
}
