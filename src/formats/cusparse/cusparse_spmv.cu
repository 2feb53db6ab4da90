/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE's generic SpMV as prepared kernels, for any format. */
#include <cstdlib>
#include "formats/cusparse/cusparse_library.cuh"

void cusparse_spmv_release(void *prepared)
{
    struct cusparse_spmv *p = static_cast<struct cusparse_spmv *>(prepared);
    cusparseStatus_t s = CUSPARSE_STATUS_SUCCESS;

    if (p->x)
        s = p->l->destroy_vector(p->x);
    if (p->y && s == CUSPARSE_STATUS_SUCCESS)
        s = p->l->destroy_vector(p->y);
    if (p->a && s == CUSPARSE_STATUS_SUCCESS)
        s = p->l->destroy_matrix(p->a);
    if (p->handle && s == CUSPARSE_STATUS_SUCCESS)
        s = p->l->destroy(p->handle);
    if (s != CUSPARSE_STATUS_SUCCESS && !p->device->lost)
        warn("cannot release a cuSPARSE kernel: %s", p->l->error(s));
    cuda_release(p->device, p->buffer);
    free(p);
}

/* Creates descriptors and scratch memory and, if `pre`, runs preprocessing. Each launch sets the vectors; until then
 * they point to the matrix's values, which no call here reads as a vector. */
static int make(struct cusparse_spmv *p, const struct storage *m, const struct cusparse_format *format, bool pre,
                char why[ERRLEN])
{
    const struct cusparse_library *l = p->l;
    struct device *d = p->device;
    const void *one = cusparse_scalar(p->type, true), *zero = cusparse_scalar(p->type, false);
    void *values = nullptr;
    size_t bytes = 0;
    int status = 0;

    if ((status = cusparse_check(l, l->create(&p->handle), "cusparseCreate", why)) != 0)
        return status;
    if ((status = cusparse_check(l, l->set_stream(p->handle, cuda_stream(d)), "cusparseSetStream", why)) != 0)
        return status;
    if ((status = cusparse_check(l, format->describe(l, m, p->type, &p->a, &values), format->function, why)) != 0)
        return status;
    if ((status = cusparse_check(l, l->create_vector(&p->x, m->cols, values, p->type), "cusparseCreateDnVec", why))
        != 0)
        return status;
    if ((status = cusparse_check(l, l->create_vector(&p->y, m->rows, values, p->type), "cusparseCreateDnVec", why))
        != 0)
        return status;
    if ((status = cusparse_check(l,
                                 l->buffer_size(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, p->a, p->x, zero,
                                                p->y, p->type, p->algorithm, &bytes),
                                 "cusparseSpMV_bufferSize", why))
        != 0)
        return status;
    if ((status = cuda_alloc(d, static_cast<int64_t>(bytes), &p->buffer, why)) != 0)
        return status;
    if (pre
        && (status = cusparse_check(l,
                                    l->preprocess(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, p->a, p->x, zero,
                                                  p->y, p->type, p->algorithm, p->buffer),
                                    "cusparseSpMV_preprocess", why))
               != 0)
        return status;
    return CUDA_WAIT(d, why);
}

int cusparse_spmv_prepare(struct device *d, const struct storage *base, const struct cusparse_format *format,
                          cusparseSpMVAlg_t algorithm, bool pre, void **prepared, char why[ERRLEN])
{
    const struct cusparse_library *l;
    struct cusparse_spmv *p;
    int status = 0;

    if ((status = cusparse_open(d, &l, why)) != 0)
        return status;
    if ((status = cusparse_needs(l, format->there(l), format->function, why)) != 0)
        return status;
    p = static_cast<struct cusparse_spmv *>(xcalloc(1, sizeof *p));
    p->device = d;
    p->l = l;
    p->algorithm = algorithm;
    p->type = cusparse_type(base->target.precision);
    p->y_bytes = base->rows * precision_bytes(base->target.precision);
    p->empty = base->nnz == 0;
    if (!p->empty)
        status = make(p, base, format, pre, why);
    if (status)
        cusparse_spmv_release(p);
    else
        *prepared = p;
    return status;
}

int cusparse_spmv_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    struct cusparse_spmv *p = static_cast<struct cusparse_spmv *>(prepared);
    const struct cusparse_library *l = p->l;

    if (p->empty) {
        if (mode == Y_ADD || p->y_bytes == 0)
            return 0;
        return cudaMemsetAsync(y, 0, static_cast<size_t>(p->y_bytes), s->cuda) == cudaSuccess ? 0 : FAIL;
    }
    if (l->set_stream(p->handle, s->cuda) != CUSPARSE_STATUS_SUCCESS)
        return FAIL;
    if (l->set_values(p->x, const_cast<void *>(x)) != CUSPARSE_STATUS_SUCCESS
        || l->set_values(p->y, y) != CUSPARSE_STATUS_SUCCESS)
        return FAIL;
    return l->spmv(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, cusparse_scalar(p->type, true), p->a, p->x,
                   cusparse_scalar(p->type, mode == Y_ADD), p->y, p->type, p->algorithm, p->buffer)
                   == CUSPARSE_STATUS_SUCCESS
               ? 0
               : FAIL;
}

int cusparse_no_attributes(void *, struct kernel_attributes *) { return FAIL; }
