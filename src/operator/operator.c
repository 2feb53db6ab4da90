/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a matrix: preparation, one launch for all of them, products (operator.h). */
#include "operator/operator.h"
#include <stdlib.h>
#include "base/clock.h"
#include "formats/storage.h"
#include "operator/rows_source.h"

void operator_begin(struct operator* o, struct device *d, const struct target *t, int64_t rows, int n)
{
    *o = (struct operator){ .device = d, .target = *t, .rows = rows, .n = n, .costs = conversion_costs_none };
    o->block = xcalloc((unsigned long)n + 1, sizeof *o->block);
    for (int i = 0; i < n; i++)
        o->block[i] = (struct operator_block){ .rows = rows, .device = d };
}

/* ---- blocks */
static void release_block(struct operator_block *b)
{
    if (b->launch.prepared)
        b->device->backend->unprepare(&b->config, &b->launch);
    b->launch = (struct launch){ 0 };
    storage_free(b->storage);
    b->storage = NULL;
    device_rows_free(b->device, &b->copied);
}

static int prepare_block(struct operator_block *b, bool twice, double *time_s, char why[ERRLEN])
{
    int status = 0;

    for (int turn = 0; turn < 1 + twice && status == 0; turn++) {
        if (turn > 0)
            b->device->backend->unprepare(&b->config, &b->launch);
        const double begun_s = now_s();
        status = b->device->backend->prepare(b->device, b->storage, &b->config, &b->launch, why);
        *time_s = now_s() - begun_s;
    }
    if (status != 0)
        b->launch = (struct launch){ 0 };
    return status;
}

/* Replaces "auto" in the configuration, and checks that the rows and the device have its kernel. */
static int resolve_block(const struct operator* o, struct operator_block *b, const struct features *f, char why[ERRLEN])
{
    const struct config asked = b->config;
    const struct kernel *k = asked.kernel;
    char inner[ERRLEN];

    if (!b->device->backend->has_kernel(k))
        return fail(why, "%s: the device %s does not have this kernel", k->name, o->target.device.name);
    if (config_resolve(&asked, f, &o->target, &b->config, why) != 0)
        return FAIL;
    if (kernel_applicable(f, &b->config, &o->target, inner) != 0)
        return fail(why, "%s: %.440s", k->name, inner);
    b->resolved = true;
    return 0;
}

/* Converts a block. Layouts that refer to arrays keep the copy of its rows, if there is one. */
static int convert_block(struct operator* o, struct operator_block *b, const struct matrix_source *from, bool twice,
                         struct conversion_costs *costs, char why[ERRLEN])
{
    struct rows_source rows;
    struct conversion_costs step;
    int status = rows_source_open(&rows, b->device, from, b->first_row, b->rows, !b->resolved, costs, why);

    if (status != 0)
        return status;
    if (!b->resolved)
        status = resolve_block(o, b, rows.source.features, why);
    if (status == 0) {
        status = conversion_make(b->device, &o->target, &b->config, &rows.source, twice, &b->storage, &step, why);
        conversion_costs_add(costs, &step);
    }
    const bool refers = status == 0 && conversion_refers(b->device, b->config.kernel->layout, &rows.source);
    o->refers |= refers && !rows.csr.row_ptr;
    rows_source_close(&rows, refers ? &b->copied : NULL);
    return status;
}

/* All blocks are converted before the first is prepared: a kernel may depend on the bytes of the whole product. */
enum step { CONVERT, PREPARE, STEPS };

static int make_block(struct operator* o, struct operator_block *b, enum step step, const struct matrix_source *from,
                      bool twice, char why[ERRLEN])
{
    struct conversion_costs costs = conversion_costs_none;
    int status = 0;

    if (step == CONVERT) {
        status = b->storage ? 0 : convert_block(o, b, from, twice, &costs, why);
        o->bytes += status == 0 ? b->storage->bytes : 0;
    } else {
        storage_beside(b->storage, o->bytes - b->storage->bytes);
        status = prepare_block(b, twice, &costs.prepare_s, why);
    }
    conversion_costs_add(&o->costs, &costs);
    return status;
}

/* ---- the blocks as one launch */
static int64_t y_offset(const struct operator_block *b)
{
    return b->first_row * precision_bytes(b->storage->target.precision);
}

static int run_serial(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    for (const struct operator_block *b = prepared; b->rows > 0; b++)
        if (b->launch.run(b->launch.prepared, x, (char *)y + y_offset(b), mode, stream))
            return FAIL;
    return 0;
}

static int join_parallel(struct operator* o, char why[ERRLEN])
{
    const unsigned long n = (unsigned long)o->n;
    struct launch *launch = xcalloc(n, sizeof *launch);
    int64_t *offset = xcalloc(n, sizeof *offset);

    for (int i = 0; i < o->n; i++) {
        launch[i] = o->block[i].launch;
        offset[i] = y_offset(&o->block[i]);
    }
    const int status = o->device->backend->branches(o->device, launch, offset, o->n, &o->launch, why);
    free(launch);
    free(offset);
    return status;
}

static int join(struct operator* o, char why[ERRLEN])
{
    if (o->parallel)
        return join_parallel(o, why);
    o->launch = o->n == 1 ? o->block[0].launch : (struct launch){ .run = run_serial, .prepared = o->block };
    return 0;
}

int operator_make(struct operator* o, const struct matrix_source *from, bool twice, char why[ERRLEN])
{
    char inner[ERRLEN];
    int status = 0;

    o->costs = conversion_costs_none;
    o->bytes = 0;
    o->refers = false;
    for (int k = 0; k < STEPS * o->n && status == 0; k++) {
        const int i = k % o->n;
        status = make_block(o, &o->block[i], (enum step)(k / o->n), from, twice, inner);
        if (status != 0 && o->n > 1)
            fail(why, "block %d: %.450s", i + 1, inner);
        else if (status != 0)
            fail(why, "%s", inner);
    }
    if (status == 0)
        status = join(o, why);
    if (status != 0)
        operator_release(o);
    return status;
}

void operator_release(struct operator* o)
{
    if (o->parallel && o->launch.prepared)
        o->device->backend->branches_free(o->device, &o->launch);
    o->launch = (struct launch){ 0 };
    for (int i = 0; i < o->n; i++)
        release_block(&o->block[i]);
}

void operator_free(struct operator* o)
{
    if (!o->device)
        return;
    operator_release(o);
    if (o->product)
        o->device->memory->release(o->device, o->product);
    free(o->block);
    *o = (struct operator){ 0 };
}

/* ---- products */
static bool equal(double a, double b) { return !(a < b) && !(a > b) && a == a; }

int operator_reserve(struct operator* o, char why[ERRLEN])
{
    const int status = o->product ? 0
                                  : o->device->memory->alloc(o->device, o->rows * precision_bytes(o->target.precision),
                                                             &o->product, why);
    if (status != 0)
        o->product = NULL;
    return status;
}

int operator_multiply(struct operator* o, double alpha, const void *x, double beta, void *y, struct stream *stream,
                      char why[ERRLEN])
{
    if (!o->launch.run)
        return fail(why, "the matrix is not ready: its last conversion failed");
    const struct backend *b = o->device->backend;
    const enum precision p = o->target.precision;
    const bool sets = equal(beta, 0), adds = equal(beta, 1), plain = equal(alpha, 1);
    const bool direct = sets || plain; /* the kernel may write to y */
    int status = 0;

    if (equal(alpha, 0))
        return b->combine(o->device, p, o->rows, 0, NULL, beta, y, stream) ? fail(why, "scaling y failed") : 0;
    if (!direct && (status = operator_reserve(o, why)) != 0)
        return status;
    if (plain && !sets && !adds)
        status = b->combine(o->device, p, o->rows, 0, NULL, beta, y, stream);
    void *to = direct ? y : o->product;
    if (status == 0)
        status = o->launch.run(o->launch.prepared, x, to, direct && !sets ? Y_ADD : Y_SET, stream);
    if (status == 0 && !plain)
        status = b->combine(o->device, p, o->rows, alpha, to, beta, y, stream);
    return status == 0 ? 0 : fail(why, "%s: the product failed", o->block[0].config.kernel->name);
}
