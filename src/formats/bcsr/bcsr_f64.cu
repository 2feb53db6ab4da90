/* SPDX-License-Identifier: BSD-3-Clause */
/* bcsr kernels for f64. */
#include "formats/bcsr/bcsr.cuh"

const void *bcsr_function_f64(int r, int c, bool pack, bool interleave)
{
    return bcsr_function_find<double>(r, c, pack, interleave);
}
