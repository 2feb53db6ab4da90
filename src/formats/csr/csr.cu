/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR on a CUDA device, with the kernels csr-scalar, csr-vector and csr-block. */
#include <cstdlib>
#include "formats/csr/csr.cuh"
#include "formats/prepared.cuh"

/* ---------------------------------------------------------------------------------------------------------- layout */
static void layout_release(struct device *d, struct device_layout *l)
{
    struct csr_dev *dev = reinterpret_cast<struct csr_dev *>(l);

    if (dev->owned) {
        cuda_release(d, dev->row_ptr);
        cuda_release(d, dev->col);
        cuda_release(d, dev->val);
    }
    free(dev);
}

static int layout_upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct csr_storage *from = reinterpret_cast<const struct csr_storage *>(s);
    struct csr_dev *dev = static_cast<struct csr_dev *>(xcalloc(1, sizeof *dev));
    const int64_t value_bytes = precision_bytes(s->target.precision);
    int status = 0;

    dev->base = { s->bytes, s->rows, s->cols, s->nnz, s->target.precision };
    dev->owned = true;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->row_ptr), from->row_ptr, 4 * (s->rows + 1), why)) != 0)
        goto out;
    if ((status = cuda_upload(d, reinterpret_cast<void **>(&dev->col), from->col, 4 * s->nnz, why)) != 0)
        goto out;
    if ((status = cuda_upload(d, &dev->val, from->val, value_bytes * s->nnz, why)) != 0)
        goto out;
    *out = &dev->base;
out:
    if (status)
        layout_release(d, &dev->base);
    return status;
}

/* CSR needs no conversion: the layout refers to the existing arrays. */
static int layout_build(struct device *, const struct device_csr *csr, const struct config *, const struct features *,
                        struct device_layout **out, char[ERRLEN])
{
    struct csr_dev *dev = static_cast<struct csr_dev *>(xcalloc(1, sizeof *dev));

    dev->base = { csr->nnz * (4 + precision_bytes(csr->precision)) + 4 * (csr->rows + 1), csr->rows, csr->cols,
                  csr->nnz, csr->precision };
    dev->row_ptr = csr->row_ptr;
    dev->col = csr->col;
    dev->val = csr->val;
    dev->row_max = csr->row_max;
    dev->long_rows = csr->long_rows;
    dev->long_entries = csr->long_entries;
    *out = &dev->base;
    return 0;
}

extern const struct layout_cuda csr_layout_cuda = {
    .name = "csr", .upload = layout_upload, .build = layout_build, .release = layout_release, .refers = true
};

/* ---------------------------------------------------------------------------------------------------------- kernels */
static struct csr_args args_of(const struct device_layout *l, int group_rows)
{
    const struct csr_dev *dev = reinterpret_cast<const struct csr_dev *>(l);
    struct csr_args a = {};

    a.rows = static_cast<int32_t>(l->rows);
    a.group_rows = group_rows;
    a.row_ptr = dev->row_ptr;
    a.col = dev->col;
    a.val = dev->val;
    return a;
}

static int scalar_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    static const void *const functions[NPRECISIONS] = { address(csr_spmv_scalar<float>),
                                                        address(csr_spmv_scalar<double>) };
    const int block = static_cast<int>(config_int(config, "block"));

    return prepared_make(functions[l->precision], csr_scalar_grid(l->rows, block), args_of(l, 1), prepared, why);
}

template <typename T, int LANES> static const void *vector_function(int group_rows)
{
    if (group_rows % 4 == 0)
        return address(csr_spmv_vector<T, LANES, 4>);
    if (group_rows % 2 == 0)
        return address(csr_spmv_vector<T, LANES, 2>);
    return address(csr_spmv_vector<T, LANES, 1>);
}

static int vector_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    static const struct {
        int lanes;
        const void *(*function[NPRECISIONS])(int);
    } functions[] = { { 2, { vector_function<float, 2>, vector_function<double, 2> } },
                      { 4, { vector_function<float, 4>, vector_function<double, 4> } },
                      { 8, { vector_function<float, 8>, vector_function<double, 8> } },
                      { 16, { vector_function<float, 16>, vector_function<double, 16> } },
                      { 32, { vector_function<float, 32>, vector_function<double, 32> } } };
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    const int group_rows = static_cast<int>(config_int(config, "rows"));

    for (const auto &f : functions)
        if (f.lanes == lanes)
            return prepared_make(f.function[l->precision](group_rows),
                                 csr_vector_grid(l->rows, lanes, group_rows, block), args_of(l, group_rows), prepared,
                                 why);
    return fail(why, "csr-vector: no kernel for %d lanes per row", lanes);
}

static int block_prepare(struct device *, const struct device_layout *l, const struct config *config, void **prepared,
                         char why[ERRLEN])
{
    static const struct {
        int block;
        const void *function[NPRECISIONS];
    } functions[] = { { 64, { address(csr_spmv_block<float, 64>), address(csr_spmv_block<double, 64>) } },
                      { 128, { address(csr_spmv_block<float, 128>), address(csr_spmv_block<double, 128>) } },
                      { 256, { address(csr_spmv_block<float, 256>), address(csr_spmv_block<double, 256>) } },
                      { 512, { address(csr_spmv_block<float, 512>), address(csr_spmv_block<double, 512>) } } };
    const int block = static_cast<int>(config_int(config, "block"));

    for (const auto &f : functions)
        if (f.block == block)
            return prepared_make(f.function[l->precision], csr_block_grid(l->rows, l->nnz, block),
                                 args_of(l, csr_block_rows(l->rows, l->nnz, block)), prepared, why);
    return fail(why, "csr-block: no kernel for %d threads per block", block);
}

extern const struct kernel_cuda csr_scalar_kernel_cuda = { .name = "csr-scalar",
                                                           .prepare = scalar_prepare,
                                                           .launch = prepared_launch<csr_args>,
                                                           .attributes = prepared_attributes<csr_args>,
                                                           .part = nullptr,
                                                           .release = prepared_release };
extern const struct kernel_cuda csr_vector_kernel_cuda = { .name = "csr-vector",
                                                           .prepare = vector_prepare,
                                                           .launch = prepared_launch<csr_args>,
                                                           .attributes = prepared_attributes<csr_args>,
                                                           .part = nullptr,
                                                           .release = prepared_release };
extern const struct kernel_cuda csr_block_kernel_cuda = { .name = "csr-block",
                                                          .prepare = block_prepare,
                                                          .launch = prepared_launch<csr_args>,
                                                          .attributes = prepared_attributes<csr_args>,
                                                          .part = nullptr,
                                                          .release = prepared_release };
