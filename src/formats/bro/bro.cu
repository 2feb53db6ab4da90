/* SPDX-License-Identifier: BSD-3-Clause */
/* BRO-ELL on a CUDA device: upload and prepared kernel; the host builds the layout. */
#include "formats/bro/bro.cuh"
#include "formats/prepared.cuh"

/* ---------------------------------------------------------------------------------------------------------- layout */
extern const struct layout_cuda bro_layout_cuda = { .name = "bro", .build = nullptr, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */

struct bro_function {
    int lanes;
    const void *function[NPRECISIONS];
};

template <typename S> static const void *function_of(int lanes, enum precision p)
{
    static const struct bro_function functions[] = {
        { 1, { address(bro_spmv<float, S, 1>), address(bro_spmv<double, S, 1>) } },
        { 2, { address(bro_spmv<float, S, 2>), address(bro_spmv<double, S, 2>) } },
        { 4, { address(bro_spmv<float, S, 4>), address(bro_spmv<double, S, 4>) } },
        { 8, { address(bro_spmv<float, S, 8>), address(bro_spmv<double, S, 8>) } }
    };

    for (const auto &f : functions)
        if (f.lanes == lanes)
            return f.function[p];
    return nullptr;
}

static int bro_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    const struct bro_storage *s = reinterpret_cast<const struct bro_storage *>(base);
    const int block = static_cast<int>(config_int(config, "block"));
    const void *function = s->symbol_bits == 64 ? function_of<uint64_t>(s->lanes, base->target.precision)
                                                : function_of<uint32_t>(s->lanes, base->target.precision);
    struct bro_args a = {};

    if (!function)
        return fail(why, "bro: no kernel for %d lanes per row", s->lanes);
    a.rows = static_cast<int32_t>(base->rows);
    a.h = s->h;
    while (1 << a.shift < s->h)
        a.shift++;
    a.slice = s->slice;
    a.bits = reinterpret_cast<const uint32_t *>(s->bits);
    a.symbol = s->symbol;
    a.val = s->val;
    a.policy = l2_policy(base);
    return prepared_make(function, bro_grid(base->rows, s->lanes, block), a, prepared, why);
}

extern const struct kernel_cuda bro_kernel_cuda = { .name = "bro",
                                                    .prepare = bro_prepare,
                                                    .launch = prepared_launch<bro_args>,
                                                    .attributes = prepared_attributes<bro_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release,
                                                    .waits = false };
