/* SPDX-License-Identifier: BSD-3-Clause */
/* bcsr kernels for f32. */
#include "formats/bcsr/bcsr.cuh"

const void *bcsr_function_f32(int r, int c, bool pack, bool interleave)
{
    return bcsr_function_find<float>(r, c, pack, interleave);
}
