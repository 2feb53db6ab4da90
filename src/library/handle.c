/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators with an arena each (handle.h). */
#include "library/handle.h"

void handle_free(struct handle *h)
{
    arena_set(&h->arena);
    operator_free(&h->operator);
    arena_set(NULL);
    arena_free(&h->arena);
}

struct request {
    struct handle *handle;
    struct device *device;
    const struct target *target;
    int64_t rows;
    const struct handle_blocks *blocks;
    const struct matrix_source *from;
};

static spmvcast_status make(void *arguments, char why[ERRLEN])
{
    const struct request *q = arguments;
    struct operator* o = & q->handle->operator;

    operator_begin(o, q->device, q->target, q->rows, q->blocks->n);
    o->parallel = q->blocks->parallel;
    for (int i = 0; i < o->n; i++) {
        const struct operator_block *b = &q->blocks->at[i];
        o->block[i].first_row = b->first_row;
        o->block[i].rows = b->rows;
        o->block[i].config = b->config;
        o->block[i].resolved = b->resolved;
    }
    const int status = operator_make(o, q->from, false, why);
    if (status == 0)
        return SPMVCAST_OK;
    operator_free(o);
    return q->device->lost ? SPMVCAST_DEVICE_ERROR : status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_INVALID_ARGUMENT;
}

spmvcast_status handle_make(spmvcast_context *c, struct handle *h, struct device *d, const struct target *t,
                            int64_t rows, const struct handle_blocks *blocks, const struct matrix_source *from)
{
    struct request q = { h, d, t, rows, blocks, from };
    void *product =
        h->operator.product; /* products may go on without an allocation, which a stream capture would forbid */

    h->operator.product = NULL;
    handle_free(h);
    const spmvcast_status status = library_call(c, &h->arena, make, &q);
    if (status == SPMVCAST_OK) {
        h->operator.product = product;
        return status;
    }
    h->operator=(struct operator){ 0 }; /* the arena is gone */
    if (product)
        d->memory->release(d, product);
    return status;
}
