/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-bsr: cuSPARSE's generic SpMV, or its older bsrmv, on blocks built on the host. */
#include <cstdlib>
#include <cstring>
#include "formats/cusparse/cusparse_bsr.h"
#include "formats/cusparse/cusparse_library.cuh"

extern const struct layout_cuda cusparse_bsr_layout_cuda = { .name = "cusparse-bsr",
                                                             .build = nullptr,
                                                             .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
static cusparseStatus_t describe(const struct cusparse_library *l, const struct storage *base, cudaDataType_t type,
                                 cusparseSpMatDescr_t *a, void **values)
{
    const struct cusparse_bsr_storage *m = reinterpret_cast<const struct cusparse_bsr_storage *>(base);

    *values = m->val;
    return l->create_bsr(a, m->block_rows, m->block_cols, m->blocks, m->b, m->b, m->off, m->col, m->val,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type, CUSPARSE_ORDER_ROW);
}

static bool has_bsr(const struct cusparse_library *l) { return l->create_bsr != nullptr; }
static const struct cusparse_format bsr_format = { "cusparseCreateBsr", has_bsr, describe };

/* generic: the prepared generic SpMV, also used for matrices without entries; NULL if bsrmv is used, which needs the
 * other fields. */
struct bsr_prepared {
    void *generic;
    struct device *device;
    const struct cusparse_library *l;
    const struct cusparse_bsr_storage *m;
    cusparseHandle_t handle;
    cusparseMatDescr_t description;
};

static void release(void *prepared)
{
    struct bsr_prepared *p = static_cast<struct bsr_prepared *>(prepared);
    cusparseStatus_t s = CUSPARSE_STATUS_SUCCESS;

    if (p->generic)
        cusparse_spmv_release(p->generic);
    if (p->description)
        s = p->l->destroy_description(p->description);
    if (p->handle && s == CUSPARSE_STATUS_SUCCESS)
        s = p->l->destroy(p->handle);
    if (s != CUSPARSE_STATUS_SUCCESS && !p->device->lost)
        warn("cannot release a cuSPARSE kernel: %s", p->l->error(s));
    free(p);
}

static int make_bsrmv(struct bsr_prepared *p, char why[ERRLEN])
{
    int status = 0;

    if ((status = cusparse_open(p->device, &p->l, why)) != 0)
        return status;
    if ((status = cusparse_needs(
             p->l, p->l->bsrmv_f32 && p->l->bsrmv_f64 && p->l->create_description && p->l->destroy_description,
             "cusparse<t>bsrmv", why))
        != 0)
        return status;
    if ((status = cusparse_check(p->l, p->l->create(&p->handle), "cusparseCreate", why)) != 0)
        return status;
    return cusparse_check(p->l, p->l->create_description(&p->description), "cusparseCreateMatDescr", why);
}

static int prepare(struct device *d, const struct storage *base, const struct config *c, void **prepared,
                   char why[ERRLEN])
{
    struct bsr_prepared *p = static_cast<struct bsr_prepared *>(xcalloc(1, sizeof *p));
    const bool generic = strcmp(config_word(c, "call"), "spmv") == 0 || base->nnz == 0;
    int status = 0;

    p->device = d;
    p->m = reinterpret_cast<const struct cusparse_bsr_storage *>(base);
    status = generic ? cusparse_spmv_prepare(d, base, &bsr_format, CUSPARSE_SPMV_ALG_DEFAULT, true, &p->generic, why)
                     : make_bsrmv(p, why);
    if (status)
        release(p);
    else
        *prepared = p;
    return status;
}

static int launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    struct bsr_prepared *p = static_cast<struct bsr_prepared *>(prepared);
    const struct cusparse_bsr_storage *m = p->m;
    const struct cusparse_library *l = p->l;

    if (p->generic)
        return cusparse_spmv_launch(p->generic, x, y, mode, s);
    const int rows = static_cast<int>(m->block_rows), cols = static_cast<int>(m->block_cols),
              blocks = static_cast<int>(m->blocks);
    const cudaDataType_t type = cusparse_type(m->base.target.precision);
    const void *one = cusparse_scalar(type, true), *beta = cusparse_scalar(type, mode == Y_ADD);
    cusparseStatus_t status = l->set_stream(p->handle, s->cuda);
    if (status == CUSPARSE_STATUS_SUCCESS && type == CUDA_R_32F)
        status = l->bsrmv_f32(p->handle, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, rows, cols, blocks,
                              static_cast<const float *>(one), p->description, static_cast<const float *>(m->val),
                              m->off, m->col, m->b, static_cast<const float *>(x), static_cast<const float *>(beta),
                              static_cast<float *>(y));
    else if (status == CUSPARSE_STATUS_SUCCESS)
        status = l->bsrmv_f64(p->handle, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, rows, cols, blocks,
                              static_cast<const double *>(one), p->description, static_cast<const double *>(m->val),
                              m->off, m->col, m->b, static_cast<const double *>(x), static_cast<const double *>(beta),
                              static_cast<double *>(y));
    return status == CUSPARSE_STATUS_SUCCESS ? 0 : FAIL;
}

extern const struct kernel_cuda cusparse_bsr_kernel_cuda = { .name = "cusparse-bsr",
                                                             .prepare = prepare,
                                                             .launch = launch,
                                                             .attributes = cusparse_no_attributes,
                                                             .part = nullptr,
                                                             .release = release,
                                                             .waits = false };
