/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-op, a library kernel: cuSPARSE's SpMVOp on our CSR arrays. Algorithm 2 keeps a copy of the matrix: after new values a launch
 * would multiply the old ones, so it must be prepared again. */
#include <cstdlib>
#include "formats/cusparse/cusparse_library.cuh"

/* spmv: cuSPARSE's generic SpMV on the same arrays, for products with an x that SpMVOp does not take; the descriptors of the matrix and
 * the vectors serve both. */
struct op_prepared {
    struct cusparse_spmv *spmv;
    struct cusparse_op_description *description;
    struct cusparse_op_plan *plan;
    void *buffer;
};
enum { X_ALIGNMENT = 16 };

static bool is_there(const struct cusparse_library *l)
{
    return l->create_csr && l->op_size && l->op_describe && l->op_make_plan && l->op_multiply
           && l->op_destroy_description && l->op_destroy_plan;
}
static const struct cusparse_format format = { "cusparseSpMVOp", is_there, cusparse_describe_csr };

static void release(void *prepared)
{
    struct op_prepared *p = static_cast<struct op_prepared *>(prepared);
    struct device *d = p->spmv->device;
    const struct cusparse_library *l = p->spmv->l;
    cusparseStatus_t s = CUSPARSE_STATUS_SUCCESS;

    if (p->plan)
        s = l->op_destroy_plan(p->plan);
    if (p->description && s == CUSPARSE_STATUS_SUCCESS)
        s = l->op_destroy_description(p->description);
    if (s != CUSPARSE_STATUS_SUCCESS && !d->lost)
        warn("cannot release a cuSPARSE kernel: %s", l->error(s));
    cuda_release(d, p->buffer);
    cusparse_spmv_release(p->spmv);
    free(p);
}

static int make_plan(struct op_prepared *p, int algorithm, char why[ERRLEN])
{
    const struct cusparse_spmv *s = p->spmv;
    const struct cusparse_library *l = s->l;
    size_t bytes = 0;
    int status = cusparse_check(
        l, l->op_size(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->a, s->x, s->y, s->y, s->type, algorithm, &bytes),
        "cusparseSpMVOp_bufferSize", why);

    if (!status)
        status = cuda_alloc(s->device, static_cast<int64_t>(bytes), &p->buffer, why);
    if (!status)
        status = cusparse_check(l,
                                l->op_describe(s->handle, &p->description, CUSPARSE_OPERATION_NON_TRANSPOSE, s->a, s->x,
                                               s->y, s->y, s->type, algorithm, p->buffer),
                                "cusparseSpMVOp_createDescr", why);
    if (!status)
        status = cusparse_check(l, l->op_make_plan(s->handle, p->description, &p->plan, nullptr, 0),
                                "cusparseSpMVOp_createPlan", why);
    return status ? status : CUDA_WAIT(s->device, why);
}

static int prepare(struct device *d, const struct storage *base, const struct config *c, void **prepared,
                   char why[ERRLEN])
{
    void *spmv = nullptr;
    int status = cusparse_spmv_prepare(d, base, &format, CUSPARSE_SPMV_CSR_ALG1, false, &spmv, why);

    if (status)
        return status;
    struct op_prepared *p = static_cast<struct op_prepared *>(xcalloc(1, sizeof *p));
    p->spmv = static_cast<struct cusparse_spmv *>(spmv);
    if (!p->spmv->empty)
        status = make_plan(p, static_cast<int>(config_int(c, "alg")), why);
    if (status)
        release(p);
    else
        *prepared = p;
    return status;
}

static int launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    struct op_prepared *p = static_cast<struct op_prepared *>(prepared);
    const struct cusparse_spmv *s = p->spmv;
    const struct cusparse_library *l = s->l;

    if (s->empty || reinterpret_cast<uintptr_t>(x) % X_ALIGNMENT != 0)
        return cusparse_spmv_launch(p->spmv, x, y, mode, stream);
    if (l->set_stream(s->handle, stream->cuda) != CUSPARSE_STATUS_SUCCESS)
        return FAIL;
    if (l->set_values(s->x, const_cast<void *>(x)) != CUSPARSE_STATUS_SUCCESS
        || l->set_values(s->y, y) != CUSPARSE_STATUS_SUCCESS)
        return FAIL;
    return l->op_multiply(s->handle, p->plan, cusparse_scalar(s->type, true), cusparse_scalar(s->type, mode == Y_ADD),
                          s->x, s->y, s->y)
                   == CUSPARSE_STATUS_SUCCESS
               ? 0
               : FAIL;
}

extern const struct kernel_cuda cusparse_op_kernel_cuda = { .name = "cusparse-op",
                                                            .prepare = prepare,
                                                            .launch = launch,
                                                            .attributes = cusparse_no_attributes,
                                                            .part = nullptr,
                                                            .release = release,
                                                            .waits = false };
