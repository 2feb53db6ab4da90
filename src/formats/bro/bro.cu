/* SPDX-License-Identifier: BSD-3-Clause */
/* BRO-ELL on a CUDA device: upload and prepared kernel; the host builds the layout. */
#include <cstdlib>
#include "formats/bro/bro.cuh"
#include "formats/prepared.cuh"

struct bro_dev {
    struct device_layout base;
    int h, lanes, symbol_bits;
    struct bro_slice *slice;
    uint8_t *bits;
    void *symbol, *val;
};

/* ---------------------------------------------------------------------------------------------------------- layout */
static void layout_release(struct device *d, struct device_layout *l)
{
    struct bro_dev *dev = reinterpret_cast<struct bro_dev *>(l);

    cuda_release(d, dev->slice);
    cuda_release(d, dev->bits);
    cuda_release(d, dev->symbol);
    cuda_release(d, dev->val);
    free(dev);
}

static int layout_upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct bro_storage *from = reinterpret_cast<const struct bro_storage *>(s);
    const int64_t slice_bytes = from->slices * static_cast<int64_t>(sizeof(struct bro_slice));
    struct bro_dev *dev = static_cast<struct bro_dev *>(xcalloc(1, sizeof *dev));
    int status = 0;

    dev->base = { s->bytes, s->rows, s->cols, s->nnz, s->target.precision };
    dev->h = from->h;
    dev->lanes = from->lanes;
    dev->symbol_bits = from->symbol_bits;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->slice), from->slice, slice_bytes, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->bits), from->bits, from->steps, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, &dev->symbol, from->symbol, from->symbols * (from->symbol_bits / 8), why)) != 0)
        goto out;
    if ((status = cuda_upload(d, &dev->val, from->val, from->slots * precision_bytes(s->target.precision), why)) != 0)
        goto out;
    *out = &dev->base;
out:
    if (status)
        layout_release(d, &dev->base);
    return status;
}

extern const struct layout_cuda bro_layout_cuda = {
    .name = "bro", .upload = layout_upload, .build = nullptr, .release = layout_release, .refers = false
};

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

static int bro_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    const struct bro_dev *dev = reinterpret_cast<const struct bro_dev *>(l);
    const int block = static_cast<int>(config_int(config, "block"));
    const void *function = dev->symbol_bits == 64 ? function_of<uint64_t>(dev->lanes, l->precision)
                                                  : function_of<uint32_t>(dev->lanes, l->precision);
    struct bro_args a = {};

    if (!function)
        return fail(why, "bro: no kernel for %d lanes per row", dev->lanes);
    a.rows = static_cast<int32_t>(l->rows);
    a.h = dev->h;
    while (1 << a.shift < dev->h)
        a.shift++;
    a.slice = dev->slice;
    a.bits = reinterpret_cast<const uint32_t *>(dev->bits);
    a.symbol = dev->symbol;
    a.val = dev->val;
    return prepared_make(function, bro_grid(l->rows, dev->lanes, block), a, prepared, why);
}

extern const struct kernel_cuda bro_kernel_cuda = { .name = "bro",
                                                    .prepare = bro_prepare,
                                                    .launch = prepared_launch<bro_args>,
                                                    .attributes = prepared_attributes<bro_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release };
