/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-sell: cuSPARSE's generic SpMV on slices built on the host. */
#include <cstdlib>
#include "formats/cusparse/cusparse_library.cuh"
#include "formats/cusparse/cusparse_sell.h"

struct sell_dev {
    struct device_layout base;
    int c;
    int64_t slots;
    int32_t *off, *col;
    void *val;
};

static void layout_release(struct device *d, struct device_layout *l)
{
    struct sell_dev *dev = reinterpret_cast<struct sell_dev *>(l);

    cuda_release(d, dev->off);
    cuda_release(d, dev->col);
    cuda_release(d, dev->val);
    free(dev);
}

static int layout_upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct cusparse_sell_storage *from = reinterpret_cast<const struct cusparse_sell_storage *>(s);
    struct sell_dev *dev = static_cast<struct sell_dev *>(xcalloc(1, sizeof *dev));
    int status = 0;

    dev->base = { s->bytes, s->rows, s->cols, s->nnz, s->target.precision };
    dev->c = from->c;
    dev->slots = from->slots;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->off), from->off, 4 * (from->slices + 1), why)) != 0)
        goto out;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->col), from->col, 4 * from->slots, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, &dev->val, from->val, precision_bytes(s->target.precision) * from->slots, why)) != 0)
        goto out;
    *out = &dev->base;
out:
    if (status)
        layout_release(d, &dev->base);
    return status;
}

extern const struct layout_cuda cusparse_sell_layout_cuda = {
    .name = "cusparse-sell", .upload = layout_upload, .build = nullptr, .release = layout_release, .refers = false
};

static cusparseStatus_t describe(const struct cusparse_library *l, const struct device_layout *layout,
                                 cudaDataType_t type, cusparseSpMatDescr_t *a, void **values)
{
    const struct sell_dev *m = reinterpret_cast<const struct sell_dev *>(layout);

    *values = m->val;
    return l->create_sell(a, m->base.rows, m->base.cols, m->base.nnz, m->slots, m->c, m->off, m->col, m->val,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
}

static bool has_sell(const struct cusparse_library *l) { return l->create_sell != nullptr; }
static const struct cusparse_format sell_format = { "cusparseCreateSlicedEll", has_sell, describe };

static int prepare(struct device *d, const struct device_layout *layout, const struct config *c, void **prepared,
                   char why[ERRLEN])
{
    return cusparse_spmv_prepare(d, layout, &sell_format, CUSPARSE_SPMV_ALG_DEFAULT, config_int(c, "pre") != 0,
                                 prepared, why);
}

extern const struct kernel_cuda cusparse_sell_kernel_cuda = { .name = "cusparse-sell",
                                                              .prepare = prepare,
                                                              .launch = cusparse_spmv_launch,
                                                              .attributes = cusparse_no_attributes,
                                                              .part = nullptr,
                                                              .release = cusparse_spmv_release };
