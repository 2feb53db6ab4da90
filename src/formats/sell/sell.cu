/* SPDX-License-Identifier: BSD-3-Clause */
/* SELL-C-sigma on a CUDA device: upload and launch. */
#include "formats/prepared.cuh"
#include "formats/sell/sell.cuh"

/* ---------------------------------------------------------------------------------------------------------- layout */
extern const struct layout_cuda sell_layout_cuda = { .name = "sell", .build = sell_build_cuda, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
static uint32_t log_of(int power)
{
    uint32_t log = 0;
    while (1 << log < power)
        log++;
    return log;
}

template <typename T, bool NARROW, bool SPLIT> static const void *function_for(int block)
{
    return block <= SELL_BLOCK_FEW ? address(sell_spmv<T, NARROW, SPLIT, SELL_BLOCK_FEW>)
                                   : address(sell_spmv<T, NARROW, SPLIT, SELL_BLOCK_MAX>);
}

template <bool NARROW, bool SPLIT> static const void *function_of(enum precision p, int block)
{
    return p == F32 ? function_for<float, NARROW, SPLIT>(block) : function_for<double, NARROW, SPLIT>(block);
}

static int sell_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                        char why[ERRLEN])
{
    static const void *(*const functions[2][2])(enum precision,
                                                int block) = { { function_of<false, false>, function_of<false, true> },
                                                               { function_of<true, false>, function_of<true, true> } };
    const struct sell_storage *s = reinterpret_cast<const struct sell_storage *>(base);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    struct sell_args a = {};

    a.strips = static_cast<uint32_t>(s->strips);
    a.last_slice = static_cast<uint32_t>(s->slices - 1);
    a.last_height = static_cast<uint32_t>(s->slices > 0 ? sell_height(base->rows, s->c, s->slices - 1) : 0);
    a.rows = static_cast<int32_t>(base->rows);
    a.c = s->c;
    a.slice_log = log_of(s->c / SELL_STRIP);
    a.lanes_log = log_of(lanes);
    a.off = s->off;
    a.perm = s->perm;
    a.col = s->col;
    a.step = s->step;
    a.code = s->code;
    a.val = s->val;
    return prepared_make(functions[s->step != nullptr][lanes > 1](base->target.precision, sell_block(lanes, block)),
                         sell_grid(base->rows, lanes, block), a, prepared, why);
}

extern const struct kernel_cuda sell_kernel_cuda = { .name = "sell",
                                                     .prepare = sell_prepare,
                                                     .launch = prepared_launch<sell_args>,
                                                     .attributes = prepared_attributes<sell_args>,
                                                     .part = nullptr,
                                                     .release = prepared_release };
