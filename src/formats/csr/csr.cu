/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR on a CUDA device, with the kernels csr-scalar, csr-vector and csr-block. */
#include "formats/build_cuda.cuh"
#include "formats/csr/csr.cuh"
#include "formats/prepared.cuh"

/* ---------------------------------------------------------------------------------------------------------- layout */
static int layout_build(struct device *d, const struct device_csr *csr, const struct config *, const struct features *,
                        struct storage **out, char[ERRLEN])
{
    return csr_refer(d, csr, out);
}

extern const struct layout_cuda csr_layout_cuda = { .name = "csr", .build = layout_build, .refers = true };

/* ---------------------------------------------------------------------------------------------------------- kernels */
static struct csr_args args_of(const struct storage *base, int group_rows)
{
    const struct csr_storage *s = reinterpret_cast<const struct csr_storage *>(base);
    struct csr_args a = {};

    a.rows = static_cast<int32_t>(base->rows);
    a.group_rows = group_rows;
    a.row_ptr = s->row_ptr;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    return a;
}

static int scalar_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    static const void *const functions[NPRECISIONS] = { address(csr_spmv_scalar<float>),
                                                        address(csr_spmv_scalar<double>) };
    const int block = static_cast<int>(config_int(config, "block"));

    return prepared_make(functions[base->target.precision], csr_scalar_grid(base->rows, block), args_of(base, 1),
                         prepared, why);
}

template <typename T, int LANES> static const void *vector_function(int group_rows)
{
    if (group_rows % 4 == 0)
        return address(csr_spmv_vector<T, LANES, 4>);
    if (group_rows % 2 == 0)
        return address(csr_spmv_vector<T, LANES, 2>);
    return address(csr_spmv_vector<T, LANES, 1>);
}

static int vector_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
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
    struct csr_args a = args_of(base, group_rows);

    if (csr_lanes_few(config))
        a.policy = l2_policy_keeping(L2_POLICY_ALL); /* see load_entry() */
    for (const auto &f : functions)
        if (f.lanes == lanes)
            return prepared_make(f.function[base->target.precision](group_rows),
                                 csr_vector_grid(base->rows, lanes, group_rows, block), a, prepared, why);
    return fail(why, "csr-vector: no kernel for %d lanes per row", lanes);
}

static int block_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
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
            return prepared_make(f.function[base->target.precision], csr_block_grid(base->rows, base->nnz, block),
                                 args_of(base, csr_block_rows(base->rows, base->nnz, block)), prepared, why);
    return fail(why, "csr-block: no kernel for %d threads per block", block);
}

extern const struct kernel_cuda csr_scalar_kernel_cuda = { .name = "csr-scalar",
                                                           .prepare = scalar_prepare,
                                                           .launch = prepared_launch<csr_args>,
                                                           .attributes = prepared_attributes<csr_args>,
                                                           .part = nullptr,
                                                           .release = prepared_release,
                                                           .waits = true };
extern const struct kernel_cuda csr_vector_kernel_cuda = { .name = "csr-vector",
                                                           .prepare = vector_prepare,
                                                           .launch = prepared_launch<csr_args>,
                                                           .attributes = prepared_attributes<csr_args>,
                                                           .part = nullptr,
                                                           .release = prepared_release,
                                                           .waits = true };
extern const struct kernel_cuda csr_block_kernel_cuda = { .name = "csr-block",
                                                          .prepare = block_prepare,
                                                          .launch = prepared_launch<csr_args>,
                                                          .attributes = prepared_attributes<csr_args>,
                                                          .part = nullptr,
                                                          .release = prepared_release,
                                                          .waits = true };
