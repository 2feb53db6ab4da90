/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-sell: cuSPARSE's generic SpMV on slices built on the host. */
#include "formats/cusparse/cusparse_library.cuh"
#include "formats/cusparse/cusparse_sell.h"

extern const struct layout_cuda cusparse_sell_layout_cuda = { .name = "cusparse-sell",
                                                              .build = nullptr,
                                                              .refers = false };

static cusparseStatus_t describe(const struct cusparse_library *l, const struct storage *base, cudaDataType_t type,
                                 cusparseSpMatDescr_t *a, void **values)
{
    const struct cusparse_sell_storage *m = reinterpret_cast<const struct cusparse_sell_storage *>(base);

    *values = m->val;
    return l->create_sell(a, m->base.rows, m->base.cols, m->base.nnz, m->slots, m->c, m->off, m->col, m->val,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
}

static bool has_sell(const struct cusparse_library *l) { return l->create_sell != nullptr; }
static const struct cusparse_format sell_format = { "cusparseCreateSlicedEll", has_sell, describe };

static int prepare(struct device *d, const struct storage *base, const struct config *c, void **prepared,
                   char why[ERRLEN])
{
    return cusparse_spmv_prepare(d, base, &sell_format, CUSPARSE_SPMV_ALG_DEFAULT, config_int(c, "pre") != 0, prepared,
                                 why);
}

extern const struct kernel_cuda cusparse_sell_kernel_cuda = { .name = "cusparse-sell",
                                                              .prepare = prepare,
                                                              .launch = cusparse_spmv_launch,
                                                              .attributes = cusparse_no_attributes,
                                                              .part = nullptr,
                                                              .release = cusparse_spmv_release,
                                                              .waits = false };
