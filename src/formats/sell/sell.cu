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

template <typename T, bool NARROW, bool SPLIT, int AS> static const void *function_for(int block)
{
    return block <= SELL_BLOCK_FEW ? address(sell_spmv<T, NARROW, SPLIT, SELL_BLOCK_FEW, AS>)
                                   : address(sell_spmv<T, NARROW, SPLIT, SELL_BLOCK_MAX, AS>);
}

template <typename T, bool SPLIT> static const void *function_of(const struct sell_storage *s, int block)
{
    switch (s->as) {
    case AS_CONST: return function_for<T, true, SPLIT, AS_CONST>(block);
    case AS_DICT1: return function_for<T, true, SPLIT, AS_DICT1>(block);
    case AS_DICT8: return function_for<T, true, SPLIT, AS_DICT8>(block);
    case AS_DICT16: return function_for<T, true, SPLIT, AS_DICT16>(block);
    case AS_NARROW: return function_for<double, true, SPLIT, AS_NARROW>(block);
    default:
        return s->step ? function_for<T, true, SPLIT, AS_FULL>(block) : function_for<T, false, SPLIT, AS_FULL>(block);
    }
}

static int sell_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                        char why[ERRLEN])
{
    static const void *(*const functions[NPRECISIONS][2])(
        const struct sell_storage *, int block) = { { function_of<float, false>, function_of<float, true> },
                                                    { function_of<double, false>, function_of<double, true> } };
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
    a.policy = l2_policy(base);
    a.table = s->table;
    return prepared_make(functions[base->target.precision][lanes > 1](s, sell_block(lanes, block)),
                         sell_grid(base->rows, lanes, block), a, prepared, why);
}

extern const struct kernel_cuda sell_kernel_cuda = { .name = "sell",
                                                     .prepare = sell_prepare,
                                                     .launch = prepared_launch<sell_args>,
                                                     .attributes = prepared_attributes<sell_args>,
                                                     .part = nullptr,
                                                     .release = prepared_release,
                                                     .waits = false };
