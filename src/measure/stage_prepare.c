/* SPDX-License-Identifier: BSD-3-Clause */
/* An item on the device: its layouts, prepared kernels, x and y, and the check of a launch. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "measure/planned.h"
#include "measure/stage.h"

enum { POISON = 0xFF }; /* value of every byte; this is NaN in f32 and f64 */

static const struct backend *backend_of(const struct stage *s) { return s->bench->device->backend; }

/* ---- x, y, the reference */
static int make_x(struct stage *s, char why[ERRLEN])
{
    const int64_t n = s->subject->features.cols, bytes = n * precision_bytes(s->target.precision);
    const bool f32 = s->target.precision == F32;
    void *x = xmalloc((unsigned long)(bytes > 0 ? bytes : 1));

#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < n; j++)
        if (f32)
            ((float *)x)[j] = (float)csr_x(j);
        else
            ((double *)x)[j] = csr_x(j);
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

static void release_built(struct built *b)
{
    storage_free(b->storage);
    *b = (struct built){ 0 };
}

/* Builds a layout on the host and uploads it. */
static int from_host(struct stage *s, const struct trial *e, struct built *b, char why[ERRLEN])
{
    struct storage *built;
    int status = subject_csr(s->subject, why);

    if (status)
        return status;
    const struct csr_view view = csr_view_all(&s->subject->matrix.csr);
    const double begun_s = now_s();
    status = b->layout->build(&view, &e->config, &s->target, &built, why);
    if (status)
        return status;
    const double built_s = now_s();
    status = backend_of(s)->upload(s->bench->device, built, &b->storage, why);
    b->convert_s = built_s - begun_s;
    b->upload_s = b->storage == built ? (double)NAN : now_s() - built_s;
    storage_free(built);
    return status;
}

int stage_build_device(struct stage *s, const struct layout *layout, const struct device_csr *csr,
                       const struct config *config, struct storage **out, double *time_s, char why[ERRLEN])
{
    const struct backend *backend = backend_of(s);
    int status = 0;

    for (int turn = 0; turn < 2 && !status; turn++) {
        if (turn)
            storage_free(*out);
        const double begun_s = now_s();
        status = backend->build(s->bench->device, layout, csr, config, &s->subject->features, out, why);
        *time_s = now_s() - begun_s;
    }
    return status;
}

int stage_ready(struct stage *s, const struct storage *l, const struct config *config, struct launch *launch,
                double *time_s, char why[ERRLEN])
{
    struct device *d = s->bench->device;
    int status = 0;

    for (int turn = 0; turn < 2 && !status; turn++) {
        if (turn)
            d->backend->unprepare(config, launch);
        const double begun_s = now_s();
        status = d->backend->prepare(d, l, config, launch, why);
        *time_s = now_s() - begun_s;
    }
    return status;
}

static int build(struct stage *s, const struct trial *e, struct built *b, char why[ERRLEN])
{
    *b = (struct built){
        .layout = e->config.kernel->layout, .convert_s = NAN, .upload_s = NAN, .convert_device_s = NAN
    };
    memcpy(b->key, e->key, sizeof b->key);
    if (!s->has_device_csr || !backend_of(s)->builds(b->layout))
        return from_host(s, e, b, why);
    return stage_build_device(s, b->layout, &s->device_csr, &e->config, &b->storage, &b->convert_device_s, why);
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

static int prepare_config(struct stage *s, struct trial *e, char why[ERRLEN])
{
    struct device *d = s->bench->device;
    double prepare_s;
    struct built *b = stage_built(s, e->key);
    int status;

    if (!b) {
        struct built made;
        status = room_for(s, e, why);
        if (!status)
            status = build(s, e, &made, why);
        if (status)
            return status;
        s->built = xrealloc(s->built, (unsigned long)(s->nbuilt + 1) * sizeof *s->built);
        s->built[s->nbuilt++] = made;
        b = &s->built[s->nbuilt - 1];
    }
    status = stage_ready(s, b->storage, &e->config, &e->launch, &prepare_s, why);
    if (status)
        return status;
    if (e->part && d->backend->part(&e->config, &e->launch, e->part - 1)) {
        d->backend->unprepare(&e->config, &e->launch);
        return fail(why, "%s: part %d is empty, so there is nothing to time", e->text, e->part);
    }
    if (d->backend->attributes(&e->config, &e->launch, &e->attributes))
        e->attributes = (struct kernel_attributes){ 0 };
    for (int c = 0; c < NCACHES; c++) {
        if (e->part) { /* only the whole composite has conversion times */
            e->row[c].storage_bytes = traffic_storage(&e->bytes.traffic);
            continue;
        }
        e->row[c].storage_bytes = b->storage->bytes;
        e->row[c].bytes_exact &= b->storage->bytes == traffic_storage(&e->bytes.traffic);
        e->row[c].convert_us = 1e6 * b->convert_s;
        e->row[c].upload_us = 1e6 * b->upload_s;
        e->row[c].convert_device_us = 1e6 * b->convert_device_s;
        e->row[c].prepare_us = 1e6 * prepare_s;
    }
    return 0;
}

int stage_prepare(struct stage *s, struct trial *e, char why[ERRLEN])
{
    int status = OOM;

    /* If there is no room, free the copy of the CSR and try again. */
    for (bool room = true; status == OOM && room; room = status == OOM && stage_uncopy(s))
        status = e->planned ? planned_prepare(s, e, why) : prepare_config(s, e, why);
    if (status)
        return status;
    e->prepared = true;
    e->launch.x = s->x;
    e->launch.y = s->y;
    return 0;
}

void stage_clear(struct stage *s)
{
    for (int i = 0; i < s->ntrials; i++) {
        struct trial *e = &s->trial[i];
        if (e->prepared && e->planned)
            planned_release(s, e);
        else if (e->prepared)
            backend_of(s)->unprepare(&e->config, &e->launch);
        e->prepared = false;
    }
    for (int i = 0; i < s->nbuilt; i++)
        release_built(&s->built[i]);
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
    struct launch l = e->launch;

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
