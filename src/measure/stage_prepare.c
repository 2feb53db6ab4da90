/* SPDX-License-Identifier: BSD-3-Clause */
/* An item on the device: its layouts, prepared kernels, x and y, and the check of a launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/real.h"
#include "base/threads.h"
#include "formats/storage.h"
#include "measure/stage.h"

enum { POISON = 0xFF }; /* value of every byte; this is NaN in f32 and f64 */

static const struct backend *backend_of(const struct stage *s) { return s->bench->device->backend; }

/* ---- x, y, the reference */
static int make_x(struct stage *s, char why[ERRLEN])
{
    const int64_t n = s->subject->features.cols, bytes = n * precision_bytes(s->target.precision);
    void *x = xmalloc((unsigned long)(bytes > 0 ? bytes : 1));

#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < n; j++)
        (void)real_put(x, s->target.precision, j, csr_x(j));
    int status = s->bench->device->memory->alloc(s->bench->device, bytes > 0 ? bytes : 1, &s->x, why);
    if (!status && bytes > 0)
        status = s->bench->device->memory->put(s->bench->device, s->x, x, bytes, why);
    free(x);
    return status;
}

int stage_open(struct stage *s, char why[ERRLEN])
{
    struct device *d = s->bench->device;
    const struct source *source = s->subject->source;
    struct recipe r;
    int status;

    s->y_bytes = s->subject->features.rows * precision_bytes(s->target.precision);
    s->y_host = xmalloc((unsigned long)(s->y_bytes > 0 ? s->y_bytes : 1));
    s->y_again = xmalloc((unsigned long)(s->y_bytes > 0 ? s->y_bytes : 1));
    if (source->is_recipe)
        status = recipe_parse(source->facts.recipe, &r, why)
                     ? FAIL
                     : ycheck_from_recipe(&s->check, d, &r, s->target.precision, why);
    else
        status = ycheck_from_csr(&s->check, &s->subject->matrix.csr, s->target.precision, why);
    if (!status)
        status = make_x(s, why);
    if (!status)
        status = d->memory->alloc(d, s->y_bytes > 0 ? s->y_bytes : 1, &s->y, why);
    if (!status && subject_on_device(s->subject, d)) {
        status = d->backend->expand(d, &r, s->target.precision, &s->device_csr, why);
        s->has_device_csr = !status;
    }
    return status;
}

bool stage_uncopy(struct stage *s)
{
    struct device *d = s->bench->device;
    struct device_csr *c = &s->copied;

    if (!c->row_ptr)
        return false;
    if (c->val)
        d->memory->release(d, c->val);
    if (c->col)
        d->memory->release(d, c->col);
    d->memory->release(d, c->row_ptr);
    *c = (struct device_csr){ 0 };
    return true;
}

void stage_close(struct stage *s)
{
    struct device *d = s->bench->device;

    stage_clear(s);
    (void)stage_uncopy(s);
    if (s->has_device_csr)
        d->backend->csr_release(d, &s->device_csr);
    s->has_device_csr = false;
    if (s->x)
        d->memory->release(d, s->x);
    if (s->y)
        d->memory->release(d, s->y);
    s->x = s->y = NULL;
    free(s->y_host);
    free(s->y_again);
    s->y_host = s->y_again = NULL;
    ycheck_free(&s->check);
}

/* ---- layouts */
struct built *stage_built(const struct stage *s, const char *key)
{
    for (int i = 0; i < s->nbuilt; i++)
        if (strcmp(s->built[i].key, key) == 0)
            return &s->built[i];
    return NULL;
}

/* Returns OOM if the layout does not fit, before anything is allocated. */
static int room_for(const struct stage *s, const struct trial *e, char why[ERRLEN])
{
    const int64_t need = traffic_storage(&e->bytes.traffic);
    int64_t room;

    if (s->bench->device->memory->left(s->bench->device, &room))
        return 0;
    if (need <= room)
        return 0;
    fail(why, "%s requires %" PRId64 " MB, but the device has only %" PRId64 " MB free", e->key, need / 1000000,
         room / 1000000);
    return OOM;
}

/* Where the matrix is: as the layout needs it, or on the host for a plan (NULL). May expand a recipe. */
static int source_for(struct stage *s, const struct layout *layout, struct csr_view *view, struct matrix_source *from,
                      char why[ERRLEN])
{
    *from = (struct matrix_source){ .features = &s->subject->features };
    if (s->has_device_csr) {
        from->csr = &s->device_csr;
        if (layout && conversion_on_device(s->bench->device, layout, from))
            return 0;
        from->csr = NULL;
    }
    const int status = subject_csr(s->subject, why);
    *view = csr_view_all(&s->subject->matrix.csr);
    from->view = view;
    return status;
}

/* Gives the layout of a configuration, which is built if no trial before has it. */
static int build(struct stage *s, const struct trial *e, struct built **out, char why[ERRLEN])
{
    struct built made = { 0 };
    struct csr_view view;
    struct matrix_source from;

    if ((*out = stage_built(s, e->key)))
        return 0;
    int status = room_for(s, e, why);
    if (!status)
        status = source_for(s, e->config.kernel->layout, &view, &from, why);
    if (!status)
        status =
            conversion_make(s->bench->device, &s->target, &e->config, &from, true, &made.storage, &made.costs, why);
    if (status)
        return status;
    memcpy(made.key, e->key, sizeof made.key);
    s->built = xrealloc(s->built, (unsigned long)(s->nbuilt + 1) * sizeof *s->built);
    s->built[s->nbuilt++] = made;
    *out = &s->built[s->nbuilt - 1];
    return 0;
}

/* Sets the columns of bytes and costs in the rows of a trial; prepared: bytes besides the layouts. */
static void fill_costs(struct trial *e, const struct conversion_costs *costs, int64_t prepared)
{
    for (int c = 0; c < NCACHES; c++) {
        e->row[c].storage_bytes = e->operator.bytes + prepared;
        e->row[c].bytes_exact &= e->operator.bytes == traffic_storage(&e->bytes.traffic);
        e->row[c].convert_us = 1e6 * costs->host_s;
        e->row[c].upload_us = 1e6 * costs->upload_s;
        e->row[c].convert_device_us = 1e6 * costs->device_s;
        e->row[c].prepare_us = 1e6 * costs->prepare_s;
    }
}

static int prepare_plan(struct stage *s, struct trial *e, char why[ERRLEN])
{
    struct csr_view view;
    struct matrix_source from;
    int status = source_for(s, NULL, &view, &from, why);

    if (!status)
        status = operator_make(&e->operator, & from, true, why);
    if (!status)
        fill_costs(e, &e->operator.costs, 0);
    return status;
}

/* Restricts the launch to the trial's part. Only the whole composite has conversion times. */
static int restrict_to_part(struct stage *s, struct trial *e, char why[ERRLEN])
{
    if (backend_of(s)->part(&e->config, &e->operator.launch, e->part - 1))
        return fail(why, "%s: part %d is empty, so there is nothing to time", e->text, e->part);
    for (int c = 0; c < NCACHES; c++)
        e->row[c].storage_bytes = traffic_storage(&e->bytes.traffic);
    return 0;
}

static int prepare_config(struct stage *s, struct trial *e, char why[ERRLEN])
{
    struct operator* o = & e->operator;
    struct conversion_costs costs;
    struct built *b;
    char version[32];
    int status = build(s, e, &b, why);

    if (status)
        return status;
    if (e->config.kernel->library && s->bench->options->libraries.n > 0
        && backend_of(s)->vendor(s->bench->device, s->bench->options->libraries.v[e->library], version, why))
        return FAIL;
    if (!o->device)
        operator_begin(o, s->bench->device, &s->target, s->subject->features.rows, 1);
    o->block[0].config = e->config;
    o->block[0].resolved = true;
    o->block[0].storage = storage_keep(b->storage);
    status = operator_make(o, NULL, true, why);
    if (status)
        return status;
    costs = b->costs;
    costs.prepare_s = o->costs.prepare_s;
    if (!e->part)
        fill_costs(e, &costs, kernel_prepared_bytes(&s->subject->features, &e->config, &s->target));
    else if ((status = restrict_to_part(s, e, why)) != 0) {
        operator_release(o);
        return status;
    }
    if (backend_of(s)->attributes(&e->config, &o->launch, &e->attributes))
        e->attributes = (struct kernel_attributes){ 0 };
    return 0;
}

int stage_prepare(struct stage *s, struct trial *e, char why[ERRLEN])
{
    int status = OOM;

    threads_wake();
    /* If there is no room, free the copy of the CSR and try again. */
    for (bool room = true; status == OOM && room; room = status == OOM && stage_uncopy(s))
        status = e->plan ? prepare_plan(s, e, why) : prepare_config(s, e, why);
    if (status)
        return status;
    e->operator.launch.x = s->x;
    e->operator.launch.y = s->y;
    return 0;
}

void stage_clear(struct stage *s)
{
    for (int i = 0; i < s->ntrials; i++)
        operator_release(&s->trial[i].operator);
    for (int i = 0; i < s->nbuilt; i++)
        storage_free(s->built[i].storage);
    free(s->built);
    s->built = NULL;
    s->nbuilt = 0;
}

/* ---- the check */
int stage_launch(struct stage *s, const struct launch *launch, void *y_host, char why[ERRLEN])
{
    struct device *d = s->bench->device;

    if (s->y_bytes > 0 && d->memory->fill(d, s->y, POISON, s->y_bytes, why))
        return FAIL;
    if (d->backend->once(d, launch, why))
        return FAIL;
    return s->y_bytes > 0 ? d->memory->get(d, y_host, s->y, s->y_bytes, why) : 0;
}

/* A part cannot be checked alone, so this launches the whole composite. */
static int launch_whole(struct stage *s, const struct trial *e, void *y_host, char why[ERRLEN])
{
    struct launch l = e->operator.launch;

    if (e->part)
        backend_of(s)->part(&e->config, &l, -1);
    const int status = stage_launch(s, &l, y_host, why);
    if (e->part)
        backend_of(s)->part(&e->config, &l, e->part - 1);
    return status;
}

int stage_check(struct stage *s, struct trial *e, bool twice, char why[ERRLEN])
{
    if (launch_whole(s, e, s->y_host, why))
        return FAIL;
    if (ycheck_y(&s->check, s->y_host, why))
        return 1;
    if (!twice || !e->deterministic)
        return 0;
    if (launch_whole(s, e, s->y_again, why))
        return FAIL;
    if (memcmp(s->y_host, s->y_again, (size_t)s->y_bytes) == 0)
        return 0;
    fail(why, "y differs in bits between two launches, although the kernel sums in a fixed order");
    return 1;
}
