/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/storage.h"
#include <stdlib.h>
#include <string.h>
#include "formats/array.h"

int storage_list(const struct storage *s, struct array a[ARRAYS_MAX])
{
    return s->layout->arrays((struct storage *)s, a);
}

static struct parts *parts_of(const struct storage *s) { return s->layout->part ? (struct parts *)s : NULL; }

static void *pointer_of(const struct array *a)
{
    void *array;

    memcpy(&array, a->at, sizeof array);
    return array;
}

static void pointer_set(const struct array *a, void *array) { memcpy(a->at, &array, sizeof array); }

static int64_t bytes_of(const struct array *a) { return a->scratch ? 0 : a->count * a->element_bytes; }

/* ---- allocation */
void *storage_new(const struct layout *layout, const struct csr_view *a, const struct target *t, char why[ERRLEN])
{
    struct storage *s = calloc(1, layout->storage_bytes);

    if (!s) {
        build_oom(why, layout, (int64_t)layout->storage_bytes);
        return NULL;
    }
    s->layout = layout;
    s->target = *t;
    s->rows = a->rows;
    s->cols = a->cols;
    s->nnz = csr_view_nnz(a);
    s->references = 1;
    return s;
}

void *storage_on(struct device *d, const struct layout *layout, const struct device_csr *csr)
{
    struct storage *s = xcalloc(1, layout->storage_bytes);

    s->layout = layout;
    s->device = d;
    s->target.device = d->geometry;
    s->target.precision = csr->precision;
    s->rows = csr->rows;
    s->cols = csr->cols;
    s->nnz = csr->nnz;
    s->references = 1;
    return s;
}

/* needed: bytes that a message about the host's memory states. */
static int allocate(const struct storage *s, const struct array *a, int64_t needed, char why[ERRLEN])
{
    void *array = NULL;
    int status = 0;

    if (s->device)
        status = s->device->memory->alloc(s->device, a->count * a->element_bytes, &array, why);
    else if (!(array = array_alloc(a->count, a->element_bytes)))
        status = build_oom(why, s->layout, needed);
    if (status == 0)
        pointer_set(a, array);
    return status;
}

int storage_array(struct storage *s, const void *at, char why[ERRLEN])
{
    struct array a[ARRAYS_MAX];
    const int n = storage_list(s, a);
    int found = n;
    int64_t needed = 0;

    for (int i = 0; i < n; i++) {
        if (a[i].at == at)
            found = i;
        if (a[i].at == at || pointer_of(&a[i]))
            needed += bytes_of(&a[i]);
    }
    if (found == n)
        bug("%s does not list this array", s->layout->name);
    return allocate(s, &a[found], needed, why);
}

int storage_arrays(struct storage *s, char why[ERRLEN])
{
    struct array a[ARRAYS_MAX];
    const int n = storage_list(s, a);
    int64_t needed = 0;
    int status = 0;

    for (int i = 0; i < n; i++)
        if (pointer_of(&a[i]) || !(a[i].optional || a[i].scratch))
            needed += bytes_of(&a[i]);
    for (int i = 0; i < n && status == 0; i++)
        if (!pointer_of(&a[i]) && !(a[i].optional || a[i].scratch))
            status = allocate(s, &a[i], needed, why);
    return status;
}

void storage_borrow(struct storage *s, void *at, void *array)
{
    struct array a[ARRAYS_MAX];
    const int n = storage_list(s, a);

    for (int i = 0; i < n; i++)
        if (a[i].at == at) {
            pointer_set(&a[i], array);
            s->borrowed |= 1u << i;
            return;
        }
    bug("%s does not list this array", s->layout->name);
}

int storage_done(int status, struct storage *s, struct storage **out)
{
    struct array a[ARRAYS_MAX];
    const struct parts *parts = parts_of(s);
    const int n = storage_list(s, a);

    *out = NULL;
    if (status) {
        storage_free(s);
        return status;
    }
    s->bytes = 0;
    for (int i = 0; i < n; i++)
        s->bytes += pointer_of(&a[i]) ? bytes_of(&a[i]) : 0;
    for (int p = 0; parts && p < parts->n; p++)
        s->bytes += parts->part[p].storage ? parts->part[p].storage->bytes : 0;
    storage_beside(s, 0);
    *out = s;
    return 0;
}

void storage_beside(struct storage *s, int64_t bytes)
{
    const struct parts *parts = parts_of(s);

    s->beside = bytes;
    for (int p = 0; parts && p < parts->n; p++)
        if (parts->part[p].storage)
            parts->part[p].storage->beside = bytes + s->bytes - parts->part[p].storage->bytes;
}

/* ---- copies */
/* to: NULL: the host. One of both is in host memory. */
static int copy(struct device *to, const struct storage *from, struct storage **out, char why[ERRLEN])
{
    struct storage *s = xcalloc(1, from->layout->storage_bytes);
    struct parts *parts = parts_of(from);
    struct array a[ARRAYS_MAX];
    const int n = storage_list(from, a);
    void *source[ARRAYS_MAX];
    int status = 0;

    for (int i = 0; i < n; i++)
        source[i] = a[i].scratch ? NULL : pointer_of(&a[i]);
    memcpy(s, from, from->layout->storage_bytes);
    s->device = to;
    s->references = 1;
    s->borrowed = 0;
    (void)storage_list(s, a);
    for (int i = 0; i < n; i++)
        pointer_set(&a[i], NULL);
    for (int p = 0; parts && p < parts->n; p++)
        parts_of(s)->part[p].storage = NULL;
    for (int i = 0; i < n && status == 0; i++) {
        if (!source[i] || (status = allocate(s, &a[i], s->bytes, why)) != 0)
            continue;
        status = to ? to->memory->put(to, pointer_of(&a[i]), source[i], bytes_of(&a[i]), why)
                    : from->device->memory->get(from->device, pointer_of(&a[i]), source[i], bytes_of(&a[i]), why);
    }
    for (int p = 0; parts && p < parts->n && status == 0; p++)
        if (parts->part[p].storage)
            status = copy(to, parts->part[p].storage, &parts_of(s)->part[p].storage, why);
    *out = s;
    if (status) {
        storage_free(s);
        *out = NULL;
    }
    return status;
}

int storage_upload(struct device *d, const struct storage *s, struct storage **out, char why[ERRLEN])
{
    return copy(d, s, out, why);
}

int storage_download(const struct storage *s, struct storage **out, char why[ERRLEN])
{
    return copy(NULL, s, out, why);
}

/* ---- release */
struct storage *storage_keep(struct storage *s)
{
    s->references++;
    return s;
}

void storage_free(struct storage *s)
{
    struct array a[ARRAYS_MAX];

    if (!s || --s->references > 0)
        return;
    const struct parts *parts = parts_of(s);
    for (int p = 0; parts && p < parts->n; p++)
        storage_free(parts->part[p].storage);
    const int n = storage_list(s, a);
    for (int i = 0; i < n; i++) {
        void *array = s->borrowed & 1u << i ? NULL : pointer_of(&a[i]);
        if (s->device && array)
            s->device->memory->release(s->device, array);
        else
            free(array);
    }
    free(s);
}
