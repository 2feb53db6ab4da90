/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion, preparation and products of one matrix (ready.h). */
#include "library/ready.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

/* Releases what the arena holds, which must be set. */
static void release_built(struct ready *r)
{
    const struct backend *b = r->device->backend;
    if (r->launch.prepared)
        b->unprepare(&r->config, &r->launch);
    storage_free(r->storage);
    r->launch = (struct launch){ 0 };
    r->storage = NULL;
}

static void free_built(struct ready *r)
{
    arena_set(&r->arena);
    release_built(r);
    arena_set(NULL);
    arena_free(&r->arena);
}

/* ---- the matrix on the host ---- */
static int get_values(struct device *d, const struct device_csr *csr, double *val, char why[ERRLEN])
{
    if (csr->precision == F64)
        return d->memory->get(d, val, csr->val, csr->nnz * 8, why);
    float *narrow = xmalloc((unsigned long)(csr->nnz + 1) * sizeof *narrow);
    const int status = d->memory->get(d, narrow, csr->val, csr->nnz * 4, why);
    for (int64_t k = 0; k < csr->nnz && status == 0; k++)
        val[k] = (double)narrow[k];
    free(narrow);
    return status;
}

/* Copies a matrix from the device; free with csr_free. */
static int csr_from_device(struct device *d, const struct device_csr *from, struct csr *to, char why[ERRLEN])
{
    int status = csr_alloc(to, from->rows, from->cols, from->nnz, why);
    if (status != 0)
        return status;
    int32_t *narrow = xmalloc((unsigned long)(from->rows + 1) * sizeof *narrow);
    status = d->memory->get(d, narrow, from->row_ptr, 4 * (from->rows + 1), why);
    for (int64_t i = 0; i <= from->rows && status == 0; i++)
        to->row_ptr[i] = narrow[i];
    free(narrow);
    if (status == 0)
        status = d->memory->get(d, to->col, from->col, 4 * from->nnz, why);
    if (status == 0)
        status = get_values(d, from, to->val, why);
    if (status != 0)
        csr_free(to);
    return status;
}

/* ---- build ---- */
static int convert_on_host(struct ready *r, const struct csr_view *view, char why[ERRLEN])
{
    const struct backend *b = r->device->backend;
    struct storage *built;
    int status = r->config.kernel->layout->build(view, &r->config, &r->target, &built, why);
    if (status != 0)
        return status;
    status = b->upload(r->device, built, &r->storage, why);
    storage_free(built);
    return status;
}

static int convert(struct ready *r, const struct ready_source *from, char why[ERRLEN])
{
    const struct backend *b = r->device->backend;
    const struct layout *layout = r->config.kernel->layout;
    struct csr copy;
    r->refers = false;
    if (from->csr && b->builds(layout)) {
        const int status = b->build(r->device, layout, from->csr, &r->config, from->features, &r->storage, why);
        r->refers = status == 0 && b->refers(layout);
        return status;
    }
    if (from->view)
        return convert_on_host(r, from->view, why);
    int status = csr_from_device(r->device, from->csr, &copy, why);
    if (status != 0)
        return status;
    const struct csr_view view = csr_view_all(&copy);
    status = convert_on_host(r, &view, why);
    csr_free(&copy);
    return status;
}

struct build {
    struct ready *ready;
    const struct ready_source *from;
};

static spmvcast_status build(void *arguments, char why[ERRLEN])
{
    const struct build *q = arguments;
    struct ready *r = q->ready;
    const double begun_s = now_s();
    int status = convert(r, q->from, why);
    const double converted_s = now_s();
    if (status == 0) {
        r->bytes = r->storage->bytes;
        status = r->device->backend->prepare(r->device, r->storage, &r->config, &r->launch, why);
        if (status != 0)
            r->launch = (struct launch){ 0 };
    }
    r->convert_s = converted_s - begun_s;
    r->prepare_s = now_s() - converted_s;
    if (status == 0)
        return SPMVCAST_OK;
    release_built(r);
    return r->device->lost ? SPMVCAST_DEVICE_ERROR : status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_INVALID_ARGUMENT;
}

spmvcast_status ready_build(spmvcast_context *c, struct ready *r, const struct config *config,
                            const struct ready_source *from)
{
    struct build q = { r, from };
    const struct config kept = *config;
    free_built(r);
    r->config = kept;
    const spmvcast_status status = library_call(c, &r->arena, build, &q);
    if (status != SPMVCAST_OK) { /* the arena is gone */
        r->launch = (struct launch){ 0 };
        r->storage = NULL;
    }
    return status;
}

/* ---- products ---- */
static bool equal(double a, double b) { return !(a < b) && !(a > b) && a == a; }

int ready_multiply(struct ready *r, double alpha, const void *x, double beta, void *y, struct stream *stream,
                   char why[ERRLEN])
{
    const struct backend *b = r->device->backend;
    const enum precision p = r->target.precision;
    const bool sets = equal(beta, 0), adds = equal(beta, 1), plain = equal(alpha, 1);
    const bool direct = sets || plain; /* the kernel may write to y */
    int status = 0;
    if (!r->launch.prepared)
        return fail(why, "the matrix is not ready: its last conversion failed");
    if (equal(alpha, 0))
        return b->combine(r->device, p, r->rows, 0, NULL, beta, y, stream) ? fail(why, "scaling y failed") : 0;
    if (!direct && !r->product)
        status = r->device->memory->alloc(r->device, r->rows * precision_bytes(p), &r->product, why);
    if (status != 0)
        return r->product = NULL, status;
    if (plain && !sets && !adds)
        status = b->combine(r->device, p, r->rows, 0, NULL, beta, y, stream);
    void *to = direct ? y : r->product;
    if (status == 0)
        status = r->launch.run(r->launch.prepared, x, to, direct && !sets ? Y_ADD : Y_SET, stream);
    if (status == 0 && !plain)
        status = b->combine(r->device, p, r->rows, alpha, to, beta, y, stream);
    return status == 0 ? 0 : fail(why, "%s: the product failed", r->config.kernel->name);
}

void ready_free(struct ready *r)
{
    free_built(r);
    if (r->product)
        r->device->memory->release(r->device, r->product);
    r->product = NULL;
}
