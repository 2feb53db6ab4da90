/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a matrix on the host or on a device (rows_source.h). */
#include "operator/rows_source.h"
#include <stdlib.h>
#include "base/clock.h"

static int copy(struct device *d, void **to, const void *from, int64_t bytes, char why[ERRLEN])
{
    const int status = d->memory->alloc(d, bytes, to, why);

    if (status != 0)
        return *to = NULL, status;
    return d->memory->put(d, *to, from, bytes, why);
}

/* Copies the row pointers of the rows, which begin with 0 in the copy; *first_entry: the first entry of the rows. */
static int copy_pointers(struct device *d, const struct device_csr *all, int64_t first, struct device_csr *to,
                         int64_t *first_entry, char why[ERRLEN])
{
    const int64_t bytes = (to->rows + 1) * (int64_t)sizeof(int32_t);
    int32_t *pointer = xmalloc((unsigned long)bytes);
    void *copied = NULL;
    int status = d->memory->get(d, pointer, all->row_ptr + first, bytes, why);

    if (status == 0) {
        *first_entry = pointer[0];
        to->nnz = pointer[to->rows] - pointer[0];
        for (int64_t i = to->rows; i >= 0; i--)
            pointer[i] -= pointer[0];
        status = copy(d, &copied, pointer, bytes, why);
    }
    free(pointer);
    to->row_ptr = copied;
    return status;
}

static int copy_rows(struct device *d, const struct device_csr *all, int64_t first, struct device_csr *to,
                     char why[ERRLEN])
{
    const int64_t value_bytes = precision_bytes(all->precision);
    void *col = NULL;
    int64_t at = 0;
    int status = copy_pointers(d, all, first, to, &at, why);

    if (status == 0)
        status = copy(d, &col, all->col + at, to->nnz * (int64_t)sizeof *all->col, why);
    to->col = col;
    if (status == 0)
        status = copy(d, &to->val, (const char *)all->val + at * value_bytes, to->nnz * value_bytes, why);
    return status;
}

/* Makes the copy, and the features that builds on the device need. */
static int take_rows(struct rows_source *s, const struct device_csr *all, int64_t first, int64_t rows,
                     struct conversion_costs *costs, char why[ERRLEN])
{
    const double begun_s = now_s();
    bool valid = true;

    s->csr = (struct device_csr){ .rows = rows, .cols = all->cols, .precision = all->precision };
    int status = copy_rows(s->device, all, first, &s->csr, why);
    if (status == 0)
        status = s->device->backend->examine(s->device, &s->csr, EXAMINE_BLOCKS, &s->features, &valid, why);
    if (status == 0 && !valid)
        status = fail(why, "the matrix changed while it was examined");
    costs->examine_s = now_s() - begun_s;
    s->source = (struct matrix_source){ .csr = &s->csr, .features = &s->features };
    return status;
}

int rows_source_open(struct rows_source *s, struct device *d, const struct matrix_source *from, int64_t first,
                     int64_t rows, bool features, struct conversion_costs *costs, char why[ERRLEN])
{
    int status = 0;

    *s = (struct rows_source){ .source = *from, .device = d };
    if (from->view && rows < from->view->rows) {
        s->view = *from->view;
        s->view.rows = rows;
        s->view.begin += first;
        s->view.end += first;
        s->source = (struct matrix_source){ .view = &s->view, .features = &s->features };
        if (features) {
            const double begun_s = now_s();
            features_of_view(&s->view, &s->features);
            costs->examine_s = now_s() - begun_s;
        }
    } else if (!from->view && rows < from->csr->rows)
        status = take_rows(s, from->csr, first, rows, costs, why);
    if (from->features)
        features_copy_values(&s->features, from->features);
    if (status != 0)
        rows_source_close(s, NULL);
    return status;
}

void rows_source_close(struct rows_source *s, struct device_csr *kept)
{
    if (kept)
        *kept = s->csr;
    else
        device_rows_free(s->device, &s->csr);
    s->csr = (struct device_csr){ 0 };
    features_free(&s->features);
}

void device_rows_free(struct device *d, struct device_csr *csr)
{
    void *const array[] = { csr->row_ptr, csr->col, csr->val };

    for (int i = 0; i < 3; i++)
        if (array[i])
            d->memory->release(d, array[i]);
    *csr = (struct device_csr){ 0 };
}
