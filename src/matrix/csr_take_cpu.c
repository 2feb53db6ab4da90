/* SPDX-License-Identifier: BSD-3-Clause */
/* A caller's CSR arrays on the CPU, with 32-bit offsets and base 0. */
#include <string.h>
#include "matrix/device_csr.h"

/* Gets n integers, less `base`: the array itself if it is as wanted, else a copy in *owned. */
static int32_t *take_integers(const struct csr_arrays *a, const void *from, int bits, int64_t n, void **owned)
{
    const int32_t *narrow = from;
    const int64_t *wide = from;

    if (bits == 32 && a->base == 0 && !a->copy)
        return (int32_t *)(uintptr_t)from;
    int32_t *to = *owned = xmalloc((unsigned long)(n + 1) * sizeof *to);
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t i = 0; i < n; i++)
        to[i] = (int32_t)((bits == 32 ? narrow[i] : wide[i]) - a->base);
    return to;
}

int cpu_csr_take(struct device *d, const struct csr_arrays *a, struct device_csr *csr, void *owned[3], char why[ERRLEN])
{
    const int64_t value_bytes = a->nnz * precision_bytes(a->precision);

    (void)d, (void)why;
    owned[0] = owned[1] = owned[2] = NULL;
    *csr = (struct device_csr){ .rows = a->rows, .cols = a->cols, .nnz = a->nnz, .precision = a->precision };
    csr->row_ptr = take_integers(a, a->row_ptr, a->row_ptr_bits, a->rows + 1, &owned[0]);
    csr->col = take_integers(a, a->col, 32, a->nnz, &owned[1]);
    csr->val = a->copy ? owned[2] = xmalloc((unsigned long)value_bytes + 1) : (void *)(uintptr_t)a->val;
    if (a->copy && a->nnz > 0)
        memcpy(owned[2], a->val, (size_t)value_bytes);
    return 0;
}
