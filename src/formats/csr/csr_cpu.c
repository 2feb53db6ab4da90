/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR kernels of the CPU device, for both precisions. */
#include <omp.h>
#include "base/picked.h"
#include "formats/build.h"
#include "formats/csr/csr_packed.h"

enum { LANES_MAX = 32 };

#define BOTH_PRECISIONS "formats/csr/csr_cpu.inc"
#include "formats/both_precisions.inc"

void csr_spmv_rows(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;

    BY_PRECISION(base->target.precision, rows, s, x, y, mode);
}

void csr_spmv_lanes(const struct storage *base, int lanes, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;
    const bool is_packed = base->layout == &csr_packed_layout;
    struct values values;

    if (is_packed)
        values = values_of(&((const struct csr_packed_storage *)base)->packed, base->target.precision);
    BY_PRECISION(base->target.precision, lanes, s, is_packed ? &values : NULL, lanes, x, y, mode);
}

void csr_spmv_equal(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;

    BY_PRECISION(base->target.precision, equal, s, x, y, mode);
}
