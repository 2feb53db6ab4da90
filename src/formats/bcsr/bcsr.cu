/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocked CSR on a CUDA device: upload and prepared kernel; the host builds the layout. */
#include <cstdlib>
#include "formats/bcsr/bcsr.cuh"
#include "formats/prepared.cuh"

struct bcsr_dev {
    struct device_layout base;
    int64_t block_rows;
    int32_t *row_ptr, *col;
    void *val;
};

static void layout_release(struct device *d, struct device_layout *l)
{
    struct bcsr_dev *dev = reinterpret_cast<struct bcsr_dev *>(l);

    cuda_release(d, dev->row_ptr);
    cuda_release(d, dev->col);
    cuda_release(d, dev->val);
    free(dev);
}

static int layout_upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct bcsr_storage *from = reinterpret_cast<const struct bcsr_storage *>(s);
    struct bcsr_dev *dev = static_cast<struct bcsr_dev *>(xcalloc(1, sizeof *dev));
    const int64_t pointers = 4 * (from->block_rows + 1), indices = 4 * from->blocks;
    int status = 0;

    dev->base = { s->bytes, s->rows, s->cols, s->nnz, s->target.precision };
    dev->block_rows = from->block_rows;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->row_ptr), from->row_ptr, pointers, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->col), from->col, indices, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, &dev->val, from->val, s->bytes - pointers - indices, why)) != 0)
        goto out;
    *out = &dev->base;
out:
    if (status)
        layout_release(d, &dev->base);
    return status;
}

extern const struct layout_cuda bcsr_layout_cuda = {
    .name = "bcsr", .upload = layout_upload, .build = nullptr, .release = layout_release, .refers = false
};

static int bcsr_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                        char why[ERRLEN])
{
    const struct bcsr_dev *dev = reinterpret_cast<const struct bcsr_dev *>(l);
    const int r = static_cast<int>(config_int(config, "r")), c = static_cast<int>(config_int(config, "c"));
    const bool pack = config_int(config, "pack") != 0, interleave = config_int(config, "interleave") != 0;
    const void *function =
        l->precision == F32 ? bcsr_function_f32(r, c, pack, interleave) : bcsr_function_f64(r, c, pack, interleave);
    struct bcsr_args a = {};

    if (!function)
        return fail(why, "bcsr: no kernel for %dx%d blocks", r, c);
    a.rows = static_cast<int32_t>(l->rows);
    a.cols = static_cast<int32_t>(l->cols);
    a.block_rows = static_cast<int32_t>(dev->block_rows);
    a.lanes = static_cast<int>(config_int(config, "lanes"));
    a.row_ptr = dev->row_ptr;
    a.col = dev->col;
    a.val = dev->val;
    return prepared_make(function, bcsr_grid(l->rows, r, a.lanes), a, prepared, why);
}

extern const struct kernel_cuda bcsr_kernel_cuda = { .name = "bcsr",
                                                     .prepare = bcsr_prepare,
                                                     .launch = prepared_launch<bcsr_args>,
                                                     .attributes = prepared_attributes<bcsr_args>,
                                                     .part = nullptr,
                                                     .release = prepared_release };
