/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-csr and cusparse-coo, library kernels: cuSPARSE's generic SpMV on our arrays. */
#include "formats/coo/coo.h"
#include "formats/csr/csr.h"
#include "formats/cusparse/cusparse_library.cuh"

cusparseStatus_t cusparse_describe_csr(const struct cusparse_library *l, const struct storage *base,
                                       cudaDataType_t type, cusparseSpMatDescr_t *a, void **values)
{
    const struct csr_storage *m = reinterpret_cast<const struct csr_storage *>(base);

    *values = m->val;
    return l->create_csr(a, m->base.rows, m->base.cols, m->base.nnz, m->row_ptr, m->col, m->val, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
}

static cusparseStatus_t describe_coo(const struct cusparse_library *l, const struct storage *base, cudaDataType_t type,
                                     cusparseSpMatDescr_t *a, void **values)
{
    const struct coo_storage *m = reinterpret_cast<const struct coo_storage *>(base);

    *values = m->val;
    return l->create_coo(a, m->base.rows, m->base.cols, m->base.nnz, m->row, m->col, m->val, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, type);
}

static bool has_csr(const struct cusparse_library *l) { return l->create_csr != nullptr; }
static bool has_coo(const struct cusparse_library *l) { return l->create_coo != nullptr; }
static const struct cusparse_format csr_format = { "cusparseCreateCsr", has_csr, cusparse_describe_csr };
static const struct cusparse_format coo_format = { "cusparseCreateCoo", has_coo, describe_coo };

static int csr_prepare(struct device *d, const struct storage *base, const struct config *c, void **prepared,
                       char why[ERRLEN])
{
    const cusparseSpMVAlg_t algorithm = config_int(c, "alg") == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    return cusparse_spmv_prepare(d, base, &csr_format, algorithm, config_int(c, "pre") != 0, prepared, why);
}

static int coo_prepare(struct device *d, const struct storage *base, const struct config *c, void **prepared,
                       char why[ERRLEN])
{
    const cusparseSpMVAlg_t algorithm = config_int(c, "alg") == 1 ? CUSPARSE_SPMV_COO_ALG1 : CUSPARSE_SPMV_COO_ALG2;
    return cusparse_spmv_prepare(d, base, &coo_format, algorithm, config_int(c, "pre") != 0, prepared, why);
}

extern const struct kernel_cuda cusparse_csr_kernel_cuda = { .name = "cusparse-csr",
                                                             .prepare = csr_prepare,
                                                             .launch = cusparse_spmv_launch,
                                                             .attributes = cusparse_no_attributes,
                                                             .part = nullptr,
                                                             .release = cusparse_spmv_release,
                                                             .waits = false };
extern const struct kernel_cuda cusparse_coo_kernel_cuda = { .name = "cusparse-coo",
                                                             .prepare = coo_prepare,
                                                             .launch = cusparse_spmv_launch,
                                                             .attributes = cusparse_no_attributes,
                                                             .part = nullptr,
                                                             .release = cusparse_spmv_release,
                                                             .waits = false };
