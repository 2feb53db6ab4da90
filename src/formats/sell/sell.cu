/* SPDX-License-Identifier: BSD-3-Clause */
/* SELL-C-sigma on a CUDA device: upload and launch. */
#include <cstdlib>
#include "formats/prepared.cuh"
#include "formats/sell/sell.cuh"

/* ---------------------------------------------------------------------------------------------------------- layout */
void sell_release(struct device *d, struct device_layout *l)
{
    struct sell_dev *dev = reinterpret_cast<struct sell_dev *>(l);

    cuda_release(d, dev->off);
    cuda_release(d, dev->perm);
    cuda_release(d, dev->val);
    cuda_release(d, dev->col);
    cuda_release(d, dev->step);
    cuda_release(d, dev->code);
    free(dev);
}

static int layout_upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct sell_storage *from = reinterpret_cast<const struct sell_storage *>(s);
    struct sell_dev *dev = static_cast<struct sell_dev *>(xcalloc(1, sizeof *dev));
    const struct {
        void **to;
        const void *from;
        int64_t bytes;
    } arrays[] = { { reinterpret_cast<void **>(&dev->off), from->off, 4 * (from->slices + 1) },
                   { reinterpret_cast<void **>(&dev->perm), from->perm, 4 * s->rows },
                   { &dev->val, from->val, precision_bytes(s->target.precision) * from->slots },
                   { reinterpret_cast<void **>(&dev->col), from->col, 4 * from->slots },
                   { reinterpret_cast<void **>(&dev->step), from->step,
                     from->slots / SELL_STRIP * static_cast<int64_t>(sizeof *from->step) },
                   { reinterpret_cast<void **>(&dev->code), from->code, (from->units + 1) * SELL_UNIT } };

    dev->base = { s->bytes, s->rows, s->cols, s->nnz, s->target.precision };
    dev->c = from->c;
    dev->slices = from->slices;
    dev->strips = from->strips;
    dev->slots = from->slots;
    dev->units = from->units;
    for (const auto &a : arrays) {
        const int status = a.from ? cuda_upload(d, a.to, a.from, a.bytes, why) : 0;
        if (status == 0)
            continue;
        sell_release(d, &dev->base);
        return status;
    }
    *out = &dev->base;
    return 0;
}

extern const struct layout_cuda sell_layout_cuda = {
    .name = "sell", .upload = layout_upload, .build = sell_build_cuda, .release = sell_release, .refers = false
};

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

static int sell_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                        char why[ERRLEN])
{
    static const void *(*const functions[2][2])(enum precision,
                                                int block) = { { function_of<false, false>, function_of<false, true> },
                                                               { function_of<true, false>, function_of<true, true> } };
    const struct sell_dev *dev = reinterpret_cast<const struct sell_dev *>(l);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    struct sell_args a = {};

    a.strips = static_cast<uint32_t>(dev->strips);
    a.last_slice = static_cast<uint32_t>(dev->slices - 1);
    a.last_height = static_cast<uint32_t>(dev->slices > 0 ? sell_height(l->rows, dev->c, dev->slices - 1) : 0);
    a.rows = static_cast<int32_t>(l->rows);
    a.c = dev->c;
    a.slice_log = log_of(dev->c / SELL_STRIP);
    a.lanes_log = log_of(lanes);
    a.off = dev->off;
    a.perm = dev->perm;
    a.col = dev->col;
    a.step = dev->step;
    a.code = dev->code;
    a.val = dev->val;
    return prepared_make(functions[dev->step != nullptr][lanes > 1](l->precision, sell_block(lanes, block)),
                         sell_grid(l->rows, lanes, block), a, prepared, why);
}

extern const struct kernel_cuda sell_kernel_cuda = { .name = "sell",
                                                     .prepare = sell_prepare,
                                                     .launch = prepared_launch<sell_args>,
                                                     .attributes = prepared_attributes<sell_args>,
                                                     .part = nullptr,
                                                     .release = prepared_release };
