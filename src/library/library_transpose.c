/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposed products (library_transpose.h). The matrix is transposed on the host, also for a GPU. */
#include "library/library_transpose.h"
#include <stdlib.h>
#include "base/clock.h"
#include "library/library_trials.h"

/* Rounded up from measurements on one core: the choice, and for each entry transposition, copies and check. Scattered columns of a large
 * matrix cost the most. */
static const double base_s = 500e-6, entry_s = 100e-9;

struct transposed {
    spmvcast_matrix *matrix;
    /* Its arrays on the host, in the arena. col, val: NULL if the matrix does not use them; from, with updates: the place of each entry
     * in the arrays that it was made from. */
    struct arena arena;
    int32_t *row_ptr, *col, *from;
    void *val;
    double setup_s;
};

struct request {
    spmvcast_matrix *matrix;
    struct transposed *to;
};

/* ---- arrays ---- */
/* Returns a copy on the host of an array on the device; NULL: the device failed. */
static void *fetch(struct device *d, const void *from, int64_t bytes, char why[ERRLEN])
{
    void *to = xmalloc((unsigned long)bytes + 1);
    return d->memory->get(d, to, from, bytes, why) == 0 ? to : NULL;
}

static void copy_value(enum precision p, const void *from, int64_t k, void *to, int64_t at)
{
    if (p == F32)
        ((float *)to)[at] = ((const float *)from)[k];
    else
        ((double *)to)[at] = ((const double *)from)[k];
}

/* Takes the values that the matrix has now. */
static spmvcast_status take_values(void *arguments, char why[ERRLEN])
{
    const struct request *q = arguments;
    const struct device_csr *a = &q->matrix->csr;
    void *val = fetch(q->matrix->device->device, a->val, a->nnz * precision_bytes(a->precision), why);
    if (!val)
        return SPMVCAST_DEVICE_ERROR;
#pragma omp parallel for schedule(static) if (a->nnz > 100000)
    for (int64_t k = 0; k < a->nnz; k++)
        copy_value(a->precision, val, q->to->from[k], q->to->val, k);
    free(val);
    return SPMVCAST_OK;
}

static void scatter(const struct device_csr *a, const int32_t *row_ptr, const int32_t *col, const void *val,
                    struct transposed *t)
{
    int32_t *next = t->row_ptr + 1; /* where the next entry of a row goes; afterwards where the row ends */
    for (int64_t k = 0; k < a->nnz; k++)
        next[col[k] + 1]++;
    for (int64_t j = 0; j < a->cols; j++)
        next[j + 1] += next[j];
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
            const int32_t at = next[col[k]]++;
            t->col[at] = (int32_t)i;
            copy_value(a->precision, val, k, t->val, at);
            if (t->from)
                t->from[at] = k;
        }
}

static spmvcast_status transpose(void *arguments, char why[ERRLEN])
{
    const struct request *q = arguments;
    struct transposed *t = q->to;
    const struct device_csr *a = &q->matrix->csr;
    struct device *d = q->matrix->device->device;
    const unsigned long n = (unsigned long)a->nnz + 1, value_bytes = (unsigned long)precision_bytes(a->precision);
    int32_t *row_ptr = fetch(d, a->row_ptr, 4 * (a->rows + 1), why), *col = fetch(d, a->col, 4 * a->nnz, why);
    void *val = fetch(d, a->val, a->nnz * (int64_t)value_bytes, why);
    if (!row_ptr || !col || !val)
        return SPMVCAST_DEVICE_ERROR;
    t->row_ptr = xcalloc((unsigned long)a->cols + 2, sizeof *t->row_ptr);
    t->col = xmalloc(n * sizeof *t->col);
    t->val = xmalloc(n * value_bytes);
    if (q->matrix->updates)
        t->from = xmalloc(n * sizeof *t->from);
    scatter(a, row_ptr, col, val, t);
    free(row_ptr);
    free(col);
    free(val);
    return SPMVCAST_OK;
}

/* Runs one of these functions, alone on the device. */
static spmvcast_status on_device(spmvcast_context *c, struct arena *arena,
                                 spmvcast_status (*body)(void *, char why[ERRLEN]), struct request *q)
{
    spmvcast_device *d = q->matrix->device;
    pthread_mutex_lock(&d->busy);
    const spmvcast_status status =
        device_use(d, c->message) == 0 ? library_call(c, arena, body, q) : SPMVCAST_DEVICE_ERROR;
    pthread_mutex_unlock(&d->busy);
    return status;
}

/* ---- the second handle ---- */
static void drop(struct transposed *t, void *array)
{
    arena_set(&t->arena);
    free(array);
    arena_set(NULL);
}

static void keep_needed(const spmvcast_matrix *m, struct transposed *t)
{
    if (t->matrix->info.refers || m->updates)
        return;
    drop(t, t->row_ptr);
    drop(t, t->col);
    drop(t, t->val);
    t->row_ptr = t->col = t->val = NULL;
}

static spmvcast_status create(spmvcast_context *c, spmvcast_matrix *m, struct transposed *t)
{
    struct request q = { m, t };
    spmvcast_csr a = SPMVCAST_CSR_INIT;
    if (m->info.nnz > INT32_MAX)
        return library_refuse(c, SPMVCAST_INVALID_MATRIX, "transposed products need at most 2^31 - 1 entries");
    const spmvcast_status status = on_device(c, &t->arena, transpose, &q);
    if (status != SPMVCAST_OK)
        return status;
    if (c->memory_limit > 0)
        c->memory_limit -= t->arena.used < c->memory_limit ? t->arena.used : c->memory_limit - 1;
    a.rows = m->info.cols;
    a.cols = m->info.rows;
    a.nnz = m->info.nnz;
    a.row_ptr = t->row_ptr;
    a.col = t->col;
    a.val = t->val;
    return spmvcast_matrix_create(c, m->device, &a, &m->of_transposed, &t->matrix);
}

static spmvcast_status make(spmvcast_matrix *m)
{
    const double begun_s = now_s();
    spmvcast_context c = { .memory_limit = m->memory_limit };
    struct transposed *t = calloc(1, sizeof *t);
    if (!t)
        return fail(m->message, "out of memory"), SPMVCAST_OUT_OF_MEMORY;
    const spmvcast_status status = create(&c, m, t);
    if (status != SPMVCAST_OK) {
        TEXT_SET(m->message, c.message);
        arena_free(&t->arena);
        free(t);
        return status;
    }
    m->transposed = t;
    keep_needed(m, t);
    t->setup_s = now_s() - begun_s;
    build_drop(m, trials_read(m));
    return SPMVCAST_OK;
}

void transpose_note(const spmvcast_matrix *m, spmvcast_matrix_info *info)
{
    const struct transposed *t = m->transposed;
    const int64_t n = info->nnz, arrays = n * (4 + precision_bytes(m->target.precision)) + 4 * (info->cols + 1);
    info->transpose_s = t ? t->setup_s : base_s + (double)n * entry_s;
    info->transpose_bytes = t ? t->matrix->info.extra_bytes : arrays;
    if (t && (m->updates || t->matrix->info.extra_bytes == 0))
        info->transpose_bytes += arrays;
    info->transposed_config = t ? t->matrix->info.config : NULL;
}

spmvcast_status transpose_update(spmvcast_context *c, spmvcast_matrix *m)
{
    struct request q = { m, m->transposed };
    struct arena arena;
    if (!q.to)
        return SPMVCAST_OK;
    spmvcast_status status = on_device(c, &arena, take_values, &q);
    if (status != SPMVCAST_OK)
        return status;
    arena_free(&arena);
    const size_t used = c->memory_used;
    status = spmvcast_update_values(c, q.to->matrix, q.to->val);
    c->memory_used = used > c->memory_used ? used : c->memory_used;
    return status;
}

void transpose_free(spmvcast_matrix *m)
{
    if (!m->transposed)
        return;
    spmvcast_matrix_free(m->transposed->matrix);
    arena_free(&m->transposed->arena);
    free(m->transposed);
    m->transposed = NULL;
}

spmvcast_status spmvcast_multiply_transposed(spmvcast_matrix *m, double alpha, const void *x, double beta, void *y,
                                             void *stream)
{
    if (!m)
        return SPMVCAST_INVALID_ARGUMENT;
    const struct backend *b = m->device->device->backend;
    m->message[0] = 0;
    if (!m->transpose)
        return fail(m->message, "spmvcast_multiply_transposed: the matrix was created without transpose; set "
                                "spmvcast_matrix_options.transpose"),
               SPMVCAST_INVALID_ARGUMENT;
    if (m->stale)
        return matrix_refuse_stale(m);
    if (!m->transposed && b->capturing && b->capturing((struct stream *)(void *)&stream))
        return fail(m->message, "spmvcast_multiply_transposed: the first one makes the transposed matrix, which the "
                                "stream cannot capture; multiply once before"),
               SPMVCAST_INVALID_ARGUMENT;
    spmvcast_status status = m->transposed ? SPMVCAST_OK : make(m);
    if (status != SPMVCAST_OK)
        return status;
    status = spmvcast_multiply(m->transposed->matrix, alpha, x, beta, y, stream);
    TEXT_SET(m->message, m->transposed->matrix->message);
    return status;
}
