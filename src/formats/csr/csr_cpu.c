/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR kernels of the CPU device, for both precisions. */
#include <omp.h>
#include "base/picked.h"
#include "formats/build.h"
#include "formats/csr/csr_packed.h"

enum { LANES_MAX = 32 };

/* Returns the first row that begins at entry `at` or later; rows if there is none (row_ptr[rows] = nnz). */
static int64_t first_row_from(const struct csr_storage *s, int64_t at)
{
    int64_t low = 0, high = s->base.rows;

    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (s->row_ptr[mid] < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

#define REAL float
#define FN(name) name##_f32
#include "formats/csr/csr_cpu.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "formats/csr/csr_cpu.inc"
#undef REAL
#undef FN

void csr_spmv_rows(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;

    if (base->target.precision == F32)
        rows_f32(s, x, y, mode);
    else
        rows_f64(s, x, y, mode);
}

void csr_spmv_lanes(const struct storage *base, int lanes, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;
    const bool is_packed = base->layout == &csr_packed_layout;
    struct values values;

    if (is_packed)
        values = values_of(&((const struct csr_packed_storage *)base)->packed, base->target.precision);
    if (base->target.precision == F32)
        lanes_f32(s, is_packed ? &values : NULL, lanes, x, y, mode);
    else
        lanes_f64(s, is_packed ? &values : NULL, lanes, x, y, mode);
}

void csr_spmv_equal(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;

    if (base->target.precision == F32)
        equal_f32(s, x, y, mode);
    else
        equal_f64(s, x, y, mode);
}
