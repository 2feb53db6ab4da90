/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked CSR on a CUDA device: upload and prepared kernel; the host builds the layout. */
#include "formats/bcsr/bcsr.cuh"
#include "formats/prepared.cuh"

extern const struct layout_cuda bcsr_layout_cuda = { .name = "bcsr", .build = nullptr, .refers = false };

static int bcsr_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                        char why[ERRLEN])
{
    const struct bcsr_storage *s = reinterpret_cast<const struct bcsr_storage *>(base);
    const int r = static_cast<int>(config_int(config, "r")), c = static_cast<int>(config_int(config, "c"));
    const bool pack = config_int(config, "pack") != 0, interleave = config_int(config, "interleave") != 0;
    const void *function = base->target.precision == F32 ? bcsr_function_f32(r, c, pack, interleave)
                                                         : bcsr_function_f64(r, c, pack, interleave);
    struct bcsr_args a = {};

    if (!function)
        return fail(why, "bcsr: no kernel for %dx%d blocks", r, c);
    a.rows = static_cast<int32_t>(base->rows);
    a.cols = static_cast<int32_t>(base->cols);
    a.block_rows = static_cast<int32_t>(s->block_rows);
    a.lanes = static_cast<int>(config_int(config, "lanes"));
    a.row_ptr = s->row_ptr;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    return prepared_make(function, bcsr_grid(base->rows, r, a.lanes), a, prepared, why);
}

extern const struct kernel_cuda bcsr_kernel_cuda = { .name = "bcsr",
                                                     .prepare = bcsr_prepare,
                                                     .launch = prepared_launch<bcsr_args>,
                                                     .attributes = prepared_attributes<bcsr_args>,
                                                     .part = nullptr,
                                                     .release = prepared_release,
                                                     .waits = false };
