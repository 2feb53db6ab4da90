/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices: features of CSR arrays that belong to the caller. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "library/library.h"
#include "matrix/csr_matrix.h"

struct request {
    const spmvcast_csr *csr;
    spmvcast_pattern *pattern;
};

const int64_t *library_wide_pointers(const spmvcast_csr *a, int64_t **copy)
{
    *copy = NULL;
    if (a->row_ptr_bits == 64 && a->base == 0)
        return a->row_ptr;
    int64_t *wide = *copy = xmalloc((unsigned long)(a->rows + 1) * sizeof *wide);
    const int32_t *narrow = a->row_ptr;
    const int64_t *same = a->row_ptr, rows = a->rows, base = a->base;
    const bool is_narrow = a->row_ptr_bits == 32;
#pragma omp parallel for schedule(static) if (rows > 100000)
    for (int64_t i = 0; i <= rows; i++) {
        const int64_t p = is_narrow ? narrow[i] : same[i];
        wide[i] = p == INT64_MIN ? p : p - base; /* no overflow: csr_view_check refuses it */
    }
    return wide;
}

/* Names the member that most likely is not what the row pointers are. */
static const char *likely(const spmvcast_csr *a, const struct csr_view *v)
{
    const int64_t first = v->begin[0] == INT64_MIN ? INT64_MIN : v->begin[0] + a->base;
    if (first == 1 - a->base)
        return a->base == 0 ? "; base is 0" : "; base is 1";
    if (a->row_ptr_bits == 64)
        return first != a->base && (int32_t)first == a->base ? "; row_ptr_bits is 64: is row_ptr int32_t?" : "";
    const int64_t bad = csr_decrease(v->begin, v->rows);
    const bool halves = first == a->base && bad < v->rows && bad % 2 == 0 && v->begin[bad + 1] + a->base == 0;
    return halves ? "; row_ptr_bits is 32: is row_ptr int64_t?" : "";
}

int library_check_view(const spmvcast_csr *a, const struct csr_view *v, char why[ERRLEN])
{
    if (csr_view_check(v, why) == 0)
        return 0;
    snprintf(why + strlen(why), ERRLEN - strlen(why), "%s", likely(a, v));
    return FAIL;
}

void library_count_values(const spmvcast_csr *a, struct features *f)
{
    if (a->val_bits != 0)
        features_set_values(f, a->val, a->val_bits == 32 ? F32 : F64, f->nnz);
}

static spmvcast_status describe(void *arguments, char why[ERRLEN])
{
    const struct request *r = arguments;
    const spmvcast_csr *a = r->csr;
    int64_t *copy;
    const int64_t *row_ptr = library_wide_pointers(a, &copy);
    const struct csr_view view = { a->rows, a->cols, row_ptr, row_ptr + 1, a->col, NULL, a->base };
    if (library_check_view(a, &view, why) != 0)
        return SPMVCAST_INVALID_MATRIX;
    features_of_view(&view, &r->pattern->features);
    library_count_values(a, &r->pattern->features);
    csr_view_pattern_id(&view, r->pattern->pattern_id);
    free(copy);
    return SPMVCAST_OK;
}

/* Names longer than those of archives are cut. */
static void set_name(char *to, size_t bytes, const char *name)
{
    snprintf(to, bytes, "%s", name ? name : "");
    utf8_trim(to);
}

spmvcast_status library_take_csr(spmvcast_context *c, const spmvcast_csr *given, spmvcast_csr *a)
{
    const size_t bytes = library_size(given->size, sizeof *a, sizeof *a);
    if (bytes == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: size is not set; use SPMVCAST_CSR_INIT");
    memcpy(a, given, bytes);
    a->row_ptr_bits = a->row_ptr_bits == 0 ? 32 : a->row_ptr_bits;
    if (a->row_ptr_bits != 32 && a->row_ptr_bits != 64)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: row_ptr_bits is %d, expected 32 or 64",
                              a->row_ptr_bits);
    if (a->base != 0 && a->base != 1)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: base is %d, expected 0 or 1", a->base);
    if (a->rows < 0 || a->cols < 0 || a->rows > INT32_MAX || a->cols > INT32_MAX)
        return library_refuse(c, SPMVCAST_INVALID_MATRIX,
                              "%" PRId64 " rows and %" PRId64 " columns; both must be 0 to 2^31 - 1", a->rows, a->cols);
    if (a->val_bits != 0 && a->val_bits != 32 && a->val_bits != 64)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: val_bits is %d, expected 0, 32 or 64",
                              a->val_bits);
    if (!a->row_ptr)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: row_ptr is NULL");
    return SPMVCAST_OK;
}

spmvcast_status library_check_arrays(spmvcast_context *c, const spmvcast_csr *a)
{
    const int64_t end =
        a->row_ptr_bits == 32 ? ((const int32_t *)a->row_ptr)[a->rows] : ((const int64_t *)a->row_ptr)[a->rows];
    if (!a->col && end != a->base)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: col is NULL, but there are entries");
    if (!a->val && a->val_bits != 0 && end != a->base)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_csr: val is NULL, but val_bits is not 0");
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_pattern_describe(spmvcast_context *c, const spmvcast_csr *csr, spmvcast_pattern **out)
{
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!csr || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_pattern_describe: no %s",
                              csr ? "place for the pattern" : "spmvcast_csr");
    spmvcast_csr a;
    spmvcast_status status = library_take_csr(c, csr, &a);
    if (status == SPMVCAST_OK)
        status = library_check_arrays(c, &a);
    if (status != SPMVCAST_OK)
        return status;
    spmvcast_pattern *m = calloc(1, sizeof *m);
    if (!m)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    set_name(m->name, sizeof m->name, a.name);
    set_name(m->group, sizeof m->group, a.group);
    struct request request = { &a, m };
    status = library_call(c, &m->arena, describe, &request);
    if (status == SPMVCAST_OK)
        *out = m;
    else
        free(m);
    return status;
}

void spmvcast_pattern_free(spmvcast_pattern *m)
{
    if (!m)
        return;
    arena_free(&m->arena);
    free(m);
}

spmvcast_status spmvcast_pattern_get_info(const spmvcast_pattern *m, spmvcast_pattern_info *info)
{
    const size_t bytes = m && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const struct features *f = &m->features;
    const spmvcast_pattern_info ours = { .size = info->size,
                                         .name = m->name[0] ? m->name : NULL,
                                         .rows = f->rows,
                                         .cols = f->cols,
                                         .nnz = f->nnz,
                                         .row_min = f->row_min,
                                         .row_max = f->row_max,
                                         .row_mean = f->row_mean,
                                         .row_sd = f->row_sd,
                                         .pattern_id = m->pattern_id };
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}
