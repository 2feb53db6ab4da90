/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's arrays, referred to or copied: on a GPU copied to it if they are on the host, and examined there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/real.h"
#include "library/library_matrix_inside.h"
#include "library/library_plan.h"

static bool own_memory(const spmvcast_matrix *m) { return kind_facts(m->device->device->backend->kind)->own_memory; }

/* Where row pointers end, if it is not at the number of entries. */
static spmvcast_status refuse_end(const spmvcast_csr *a, int64_t end, int64_t nnz, char why[ERRLEN])
{
    fail(why, "row pointers end at %" PRId64 ", expected the number of entries, %" PRId64 ", from %d", end + a->base,
         nnz, a->base);
    return SPMVCAST_INVALID_MATRIX;
}

/* ---- host ---- */
static void widen(double *to, const void *from, enum precision p, int64_t n)
{
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t k = 0; k < n; k++)
        to[k] = real_at(p, from, k);
}

/* Returns true if a configuration, or a part of it, stores values in fewer bits. */
static bool is_packed(const char *text)
{
    const struct config *c = text ? config_known(text, NULL) : NULL;

    for (int i = 0; c && i < c->n; i++) {
        const char *dot = strrchr(c->set[i].key, '.');
        if (strcmp(dot ? dot + 1 : c->set[i].key, "value") == 0 && strcmp(c->set[i].value, "full") != 0)
            return true;
    }
    return false;
}

/* Do the options name such a configuration? With updates none can be made, as it may not hold the new values. */
static bool names_packed(const spmvcast_matrix_options *o)
{
    bool found = is_packed(o->config);
    for (size_t i = 0; o->plan && i < o->plan->n; i++)
        found = found || is_packed(o->plan->part[i].text);
    return found && !o->updates;
}

/* Sets values_*. The values are where the device of the matrix takes them from. */
static int count_values(const spmvcast_matrix *m, const void *val, struct features *f, char why[ERRLEN])
{
    struct device *d = m->device->device;
    const int64_t bytes = f->nnz * precision_bytes(m->target.precision);
    void *copy = own_memory(m) && d->backend->holds(d, val) ? xmalloc((unsigned long)bytes + 1) : NULL;
    if (copy && d->memory->get(d, copy, val, bytes, why) != 0)
        return FAIL;
    features_set_values(f, copy ? copy : val, m->target.precision, f->nnz);
    free(copy);
    return 0;
}

/* dia holds no more diagonals. */
enum { DIAGONALS_MOST = 1024 };

/* What the rule needs to know. */
static void take_lengths(const struct csr_view *a, int64_t nnz, struct features *f)
{
    int64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest) if (a->rows > 100000)
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t length = a->end[i] - a->begin[i];
        longest = length > longest ? length : longest;
    }
    *f = (struct features){ .rows = a->rows, .cols = a->cols, .nnz = nnz, .row_max = longest };
    f->row_mean = a->rows > 0 ? (double)nnz / (double)a->rows : 0;
}

/* Counts the diagonals with an entry up to one more than `most`. */
static int64_t count_diagonals(const struct csr_view *a, int64_t most)
{
    unsigned char *seen = xcalloc((unsigned long)(a->rows + a->cols), 1);
    int64_t n = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->begin[i]; k < a->end[i] && __atomic_load_n(&n, __ATOMIC_RELAXED) <= most; k++) {
            unsigned char *here = &seen[a->col[k] - a->base - i + a->rows];
            if (!__atomic_load_n(here, __ATOMIC_RELAXED) && !__atomic_exchange_n(here, 1, __ATOMIC_RELAXED))
                __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
        }
    free(seen);
    return n;
}

/* Copies a matrix whose rows are cut into blocks, or that has more entries than 32-bit offsets reach. */
static int copy_matrix(struct csr *to, const struct csr_view *from, const void *val, enum precision p, int64_t nnz,
                       char why[ERRLEN])
{
    if (csr_alloc(to, from->rows, from->cols, nnz, why) != 0)
        return OOM;
    memcpy(to->row_ptr, from->begin, (size_t)(from->rows + 1) * sizeof *to->row_ptr);
#pragma omp parallel for schedule(static) if (nnz > 100000)
    for (int64_t k = 0; k < nnz; k++)
        to->col[k] = from->col[k] - from->base;
    widen(to->val, val, p, nnz);
    return 0;
}

static struct csr_arrays arrays_of(const spmvcast_matrix *m, const spmvcast_csr *a, int64_t nnz)
{
    return (struct csr_arrays){ a->rows, a->cols,         nnz,     a->row_ptr,          a->col,
                                a->val,  a->row_ptr_bits, a->base, m->target.precision, m->copy };
}

static spmvcast_status take_on_host(spmvcast_matrix *m, const spmvcast_csr *a, const spmvcast_matrix_options *o,
                                    char why[ERRLEN])
{
    const double begun_s = now_s();
    int64_t *copy;
    const int64_t *row_ptr = library_wide_pointers(a, &copy);
    const struct csr_view given = { a->rows, a->cols, row_ptr, row_ptr + 1, a->col, NULL, a->base };
    const int64_t nnz = row_ptr[a->rows];
    if (a->nnz != 0 && a->nnz != nnz && row_ptr[0] == 0)
        return refuse_end(a, nnz, a->nnz, why);
    if (nnz > 0 && (!a->col || !a->val))
        return fail(why, "spmvcast_csr: %s is NULL, but there are entries", a->col ? "val" : "col"),
               SPMVCAST_INVALID_ARGUMENT;
    if (library_check_view(a, &given, why) != 0)
        return SPMVCAST_INVALID_MATRIX;
    const unsigned what = choice_needs(m->device, o, a->rows, nnz);
    if (what & EXAMINE_COLUMNS)
        features_of_view(&given, &m->features);
    else
        take_lengths(&given, nnz, &m->features);
    if (what & EXAMINE_DIAGONALS)
        m->features.diagonals = count_diagonals(&given, DIAGONALS_MOST);
    if (names_packed(o))
        (void)count_values(m, a->val, &m->features, why);
    const double examined_s = now_s();
    const struct csr_arrays arrays = arrays_of(m, a, nnz);
    const bool copied = o->plan || nnz > INT32_MAX;
    int status = copied ? copy_matrix(&m->host, &given, a->val, m->target.precision, nnz, why) : 0;
    if (status == 0 && nnz <= INT32_MAX && (!copied || m->transpose))
        status = m->device->device->backend->csr_take(m->device->device, &arrays, &m->csr, m->owned, why);
    free(copy);
    m->info.upload_s = now_s() - examined_s;
    m->info.examine_s = examined_s - begun_s;
    return status == 0 ? SPMVCAST_OK : SPMVCAST_OUT_OF_MEMORY;
}

/* ---- device ---- */
/* Says what is wrong with a matrix that the device found to be invalid, as for arrays on the host. */
static spmvcast_status explain(spmvcast_matrix *m, const spmvcast_csr *a, char why[ERRLEN])
{
    struct device *d = m->device->device;
    const struct device_csr *from = &m->csr;
    int32_t *narrow = xmalloc((unsigned long)(from->rows + 1) * sizeof *narrow),
            *col = xmalloc((unsigned long)(from->nnz + 1) * sizeof *col);
    int64_t *wide = xmalloc((unsigned long)(from->rows + 1) * sizeof *wide);
    if (d->memory->get(d, narrow, from->row_ptr, 4 * (from->rows + 1), why) != 0
        || d->memory->get(d, col, from->col, 4 * from->nnz, why) != 0)
        return SPMVCAST_DEVICE_ERROR;
    for (int64_t i = 0; i <= from->rows; i++)
        wide[i] = narrow[i];
    for (int64_t k = 0; k < from->nnz; k++)
        col[k] += a->base;
    const struct csr_view view = { a->rows, a->cols, wide, wide + 1, col, NULL, a->base };
    if (wide[a->rows] != from->nnz)
        return refuse_end(a, wide[a->rows], from->nnz, why);
    if (csr_view_check(&view, why) == 0)
        fail(why, "the matrix changed while it was examined");
    return SPMVCAST_INVALID_MATRIX;
}

/* Gets the number of entries, if the caller does not say. */
static int count_entries(struct device *d, const spmvcast_csr *a, int64_t *nnz, char why[ERRLEN])
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (a->nnz != 0)
        return *nnz = a->nnz, 0;
    const char *last = (const char *)a->row_ptr + a->rows * (a->row_ptr_bits / 8);
    if (!d->backend->holds(d, a->row_ptr))
        memcpy(a->row_ptr_bits == 64 ? (void *)&wide : &narrow, last, (size_t)a->row_ptr_bits / 8);
    else if (d->memory->get(d, a->row_ptr_bits == 64 ? (void *)&wide : &narrow, last, a->row_ptr_bits / 8, why) != 0)
        return FAIL;
    *nnz = (a->row_ptr_bits == 64 ? wide : narrow) - a->base;
    return 0;
}

static spmvcast_status status_of(const spmvcast_matrix *m, int status)
{
    return status == 0                                 ? SPMVCAST_OK
           : status == OOM && !m->device->device->lost ? SPMVCAST_OUT_OF_MEMORY
                                                       : SPMVCAST_DEVICE_ERROR;
}

static spmvcast_status take_on_device(spmvcast_matrix *m, const spmvcast_csr *a, const spmvcast_matrix_options *o,
                                      char why[ERRLEN])
{
    struct device *d = m->device->device;
    const double begun_s = now_s();
    bool valid;
    int64_t nnz;
    int status = count_entries(d, a, &nnz, why);
    if (status != 0)
        return status_of(m, status);
    if (nnz < 0 || nnz > INT32_MAX)
        return fail(why, "%" PRId64 " entries; the kernels for GPUs hold 0 to 2^31 - 1", nnz), SPMVCAST_INVALID_MATRIX;
    if (nnz > 0 && (!a->col || !a->val))
        return fail(why, "spmvcast_csr: %s is NULL, but there are entries", a->col ? "val" : "col"),
               SPMVCAST_INVALID_ARGUMENT;
    const struct csr_arrays arrays = arrays_of(m, a, nnz);
    const unsigned what = choice_needs(m->device, o, a->rows, nnz);
    status = d->backend->csr_take(d, &arrays, &m->csr, m->owned, why);
    if (what == EXAMINE_LONGEST && a->rows > 0 && nnz > 0)
        m->csr.listed = choice_listed(m->device, a->rows, nnz);
    const double taken_s = now_s();
    if (status == 0)
        status = d->backend->examine(d, &m->csr, what, &m->features, &valid, why);
    if (status == 0 && valid && names_packed(o))
        status = count_values(m, a->val, &m->features, why);
    m->info.upload_s = taken_s - begun_s;
    m->info.examine_s = now_s() - taken_s;
    if (status != 0)
        return status_of(m, status);
    return valid ? SPMVCAST_OK : explain(m, a, why);
}

spmvcast_status source_take(spmvcast_matrix *m, const spmvcast_csr *a, const spmvcast_matrix_options *o,
                            char why[ERRLEN])
{
    return own_memory(m) ? take_on_device(m, a, o, why) : take_on_host(m, a, o, why);
}

spmvcast_status source_retake(spmvcast_matrix *m, const void *val, char why[ERRLEN])
{
    struct device *d = m->device->device;
    if (m->host.row_ptr)
        widen(m->host.val, val, m->target.precision, m->host.nnz);
    if (!m->csr.row_ptr)
        return SPMVCAST_OK;
    const int64_t bytes = m->csr.nnz * precision_bytes(m->csr.precision);
    int status = 0;
    if (!m->copy && (!own_memory(m) || d->backend->holds(d, val)))
        return m->csr.val = (void *)val, SPMVCAST_OK;
    if (!m->owned[2])
        status = d->memory->alloc(d, bytes, &m->owned[2], why);
    if (status != 0)
        return m->owned[2] = NULL, status_of(m, status);
    m->csr.val = m->owned[2];
    return status_of(m, d->memory->put(d, m->csr.val, val, bytes, why));
}

struct matrix_source source_of(const spmvcast_matrix *m, struct csr_view *view)
{
    if (!m->host.row_ptr)
        return (struct matrix_source){ .csr = &m->csr, .features = &m->features };
    *view = csr_view_all(&m->host);
    return (struct matrix_source){ .view = view, .features = &m->features };
}

void source_drop(spmvcast_matrix *m)
{
    const struct device *d = m->device->device;
    arena_set(&m->arena); /* of copies on the host */
    for (int i = 0; i < 3; i++) {
        if (m->owned[i])
            d->memory->release(m->device->device, m->owned[i]);
        m->owned[i] = NULL;
    }
    if (m->host.row_ptr)
        csr_free(&m->host);
    arena_set(NULL);
}
