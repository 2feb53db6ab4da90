/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of building a layout on the device (stage.h), for matrices whose rows are timed with the layout that was
 * built on the host. */
#include <stdlib.h>
#include <string.h>
#include "formats/build.h"
#include "measure/stage.h"

enum { CHUNK = 1 << 16 };

/* Converts offsets and values to the types of the device. false: no room on the host. */
static bool narrow(const struct csr *m, enum precision p, int32_t **off, void **val, int64_t *row_max)
{
    const struct csr_view view = csr_view_all(m);

    *off = array_alloc(m->rows + 1, sizeof **off);
    *val = array_alloc(m->nnz, precision_bytes(p));
    if (!*off || !*val)
        return false;
    view_offsets(&view, *off, row_max);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < m->nnz; k += CHUNK)
        reals_put(*val, p, k, m->val + k, m->nnz - k < CHUNK ? m->nnz - k : CHUNK);
    return true;
}

static int put(struct device *d, void **to, const void *from, int64_t bytes, char why[ERRLEN])
{
    const int status = d->memory->alloc(d, bytes > 0 ? bytes : 1, to, why);

    if (status)
        *to = NULL;
    return status || bytes == 0 ? status : d->memory->put(d, *to, from, bytes, why);
}

static int copy(struct stage *s, char why[ERRLEN])
{
    const struct csr *m = &s->subject->matrix.csr;
    const enum precision p = s->target.precision;
    struct device *d = s->bench->device;
    struct device_csr c = { .rows = m->rows, .cols = m->cols, .nnz = m->nnz, .precision = p };
    int32_t *off = NULL;
    void *val = NULL, *row_ptr = NULL, *col = NULL;
    int status = narrow(m, p, &off, &val, &c.row_max) ? 0 : OOM;

    if (!status)
        status = put(d, &row_ptr, off, (m->rows + 1) * (int64_t)sizeof *off, why);
    if (!status)
        status = put(d, &col, m->col, m->nnz * (int64_t)sizeof *m->col, why);
    if (!status)
        status = put(d, &c.val, val, m->nnz * precision_bytes(p), why);
    free(off);
    free(val);
    c.row_ptr = row_ptr;
    c.col = col;
    s->copied = c;
    if (status && !d->lost)
        (void)stage_uncopy(s);
    return status;
}

/* Checks the layout with one launch of the trial's kernel. Returns 0, 1 (y differs), FAIL or OOM. */
static int check(struct stage *s, const struct trial *e, struct operator* o, char why[ERRLEN])
{
    int status = operator_make(o, NULL, false, why);

    if (status)
        return status;
    o->launch.x = s->x;
    o->launch.y = s->y;
    status = stage_launch(s, &o->launch, s->y_again, why);
    if (!status && ycheck_y(&s->check, s->y_again, why))
        status = 1;
    /* The layout must equal the one built on the host, so y must have the same bits. */
    if (!status && e->deterministic && memcmp(s->y_host, s->y_again, (size_t)s->y_bytes) != 0) {
        fail(why,
             "y differs in bits from that of the layout built on the host, although the kernel sums in a fixed order");
        status = 1;
    }
    return status;
}

static int convert(struct stage *s, const struct trial *e, struct built *b, char why[ERRLEN])
{
    struct device *d = s->bench->device;
    const struct matrix_source from = { .csr = &s->copied, .features = &s->subject->features };
    struct conversion_costs costs;
    struct operator o;
    char inner[ERRLEN];
    int status = s->copied.row_ptr ? 0 : copy(s, inner);

    s->no_copy = status == OOM;
    operator_begin(&o, d, &s->target, s->subject->features.rows, 1);
    o.block[0].config = e->config;
    o.block[0].resolved = true;
    if (!status)
        status = conversion_make(d, &s->target, &e->config, &from, true, &o.block[0].storage, &costs, inner);
    if (!status)
        status = check(s, e, &o, inner);
    if (!d->lost)
        operator_free(&o);
    if (!status)
        b->costs.device_s = costs.device_s;
    else if (status != OOM)
        fail(why, "layout built on the device: %.480s", inner);
    return status == OOM ? 0 : status;
}

int stage_convert(struct stage *s, struct trial *e, char why[ERRLEN])
{
    const struct backend *backend = s->bench->device->backend;
    struct built *b = e->plan || e->part ? NULL : stage_built(s, e->key);

    if (!b || s->has_device_csr)
        return 0;
    const struct layout *layout = e->config.kernel->layout;
    if (!backend->builds(layout) || (!kind_facts(backend->kind)->own_memory && backend->refers(layout)))
        return 0;
    if (!b->converted && !s->no_copy) {
        b->wrong = convert(s, e, b, b->why);
        b->converted = true;
    }
    for (int c = 0; c < NCACHES; c++)
        e->row[c].convert_device_us = 1e6 * b->costs.device_s;
    if (b->wrong)
        memcpy(why, b->why, sizeof b->why);
    return b->wrong;
}
