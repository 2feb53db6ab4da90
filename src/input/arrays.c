/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks arrays of compressed rows or columns and turns them into entries. */
#include "input/arrays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int arrays_fit(const char *path, int64_t rows, int64_t cols, int64_t entries, enum coo_mirror mirror, bool in_place,
               char why[ERRLEN])
{
    const double stored = (double)entries * (mirror == COO_GENERAL ? 1 : 2);
    return memory_check(in_place ? 8 * (double)rows + 12 * stored : 32 * (double)rows + 48 * stored, memory_limit(),
                        why, "%s: not enough memory for a matrix of %" PRId64 " x %" PRId64 " with %" PRId64 " entries",
                        path, rows, cols, entries);
}

int arrays_no_memory(const struct arrays *r, char why[ERRLEN])
{
    return memory_failed(0, why, "%s: not enough memory for %" PRId64 " entries", r->path, r->entries);
}

int arrays_alloc(struct arrays *r, bool majors, char why[ERRLEN])
{
    const size_t n = (size_t)r->entries;
    r->minors = malloc((n + 1) * sizeof *r->minors);
    r->values = malloc((n + 1) * sizeof *r->values);
    r->pointers = r->listed < 0 ? NULL : malloc((size_t)(r->listed + 1) * sizeof *r->pointers);
    r->majors = majors ? malloc(((r->listed < 0 ? n : (size_t)r->listed) + 1) * sizeof *r->majors) : NULL;
    if (r->minors && r->values && (r->pointers || r->listed < 0) && (r->majors || !majors))
        return 0;
    return arrays_no_memory(r, why);
}

void arrays_free(struct arrays *r)
{
    free(r->pointers);
    free(r->majors);
    free(r->minors);
    free(r->values);
    r->pointers = NULL;
    r->majors = r->minors = NULL;
    r->values = NULL;
}

int arrays_check_pointers(const struct arrays *r, char why[ERRLEN])
{
    const int64_t *p = r->pointers;
    if (p[0] != 0)
        return fail(why, "%s: %s%s starts at %" PRId64 ", expected 0", r->path, r->kind, r->pointers_are, p[0]);
    const int64_t bad = csr_decrease(p, r->listed);
    if (bad < r->listed)
        return fail(why,
                    "%s: %s%s decreases from %" PRId64 " to %" PRId64 " after element %" PRId64 " (counted from 0)",
                    r->path, r->kind, r->pointers_are, p[bad], p[bad + 1], bad);
    if (p[r->listed] != r->entries)
        return fail(why, "%s: %s%s ends at %" PRId64 ", expected %s, %" PRId64, r->path, r->kind, r->pointers_are,
                    p[r->listed], r->entries_are, r->entries);
    return 0;
}

static int check_indices(const struct arrays *r, const char *name, const int32_t *index, int64_t n, int64_t limit,
                         char why[ERRLEN])
{
    int64_t bad = n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < n; k++)
        if ((index[k] < 0 || index[k] >= limit) && k < bad)
            bad = k;
    if (bad < n)
        return fail(why,
                    "%s: %s%s: element %" PRId64 " (counted from 0) is %" PRId32 ", expected an index below %" PRId64,
                    r->path, r->kind, name, bad, index[bad], limit);
    return 0;
}

int arrays_check(const struct arrays *r, char why[ERRLEN])
{
    const int64_t majors = r->by_columns ? r->cols : r->rows, minors = r->by_columns ? r->rows : r->cols;
    if (r->pointers && arrays_check_pointers(r, why))
        return FAIL;
    if (r->majors && check_indices(r, r->majors_are, r->majors, r->pointers ? r->listed : r->entries, majors, why))
        return FAIL;
    return check_indices(r, r->minors_are, r->minors, r->entries, minors, why);
}

static void put(const struct arrays *r, int64_t k, int32_t major, struct coo_entry *e)
{
    e[k] = r->by_columns ? (struct coo_entry){ r->minors[k], major, r->values[k] }
                         : (struct coo_entry){ major, r->minors[k], r->values[k] };
}

void arrays_entries(const struct arrays *r, struct coo_entry *e)
{
    if (!r->pointers) {
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < r->entries; k++)
            put(r, k, r->majors[k], e);
        return;
    }
#pragma omp parallel for schedule(guided)
    for (int64_t i = 0; i < r->listed; i++)
        for (int64_t k = r->pointers[i]; k < r->pointers[i + 1]; k++)
            put(r, k, r->majors ? r->majors[i] : (int32_t)i, e);
}

int arrays_append(struct arrays *r, struct coo_list *list, char why[ERRLEN])
{
    int status = arrays_check(r, why);
    if (!status && r->entries > 0) {
        struct coo_entry *e = coo_list_add(list, r->entries);
        if (e)
            arrays_entries(r, e);
        else
            status = arrays_no_memory(r, why);
    }
    arrays_free(r);
    return status;
}

/* Compressed rows are CSR but for the order of their columns. */
static int rows_to_csr(struct arrays *r, struct csr *a, struct coo_repeats *repeats, char why[ERRLEN])
{
    int status = arrays_check(r, why);
    if (!status)
        status = csr_alloc(a, r->rows, r->cols, r->entries, why);
    if (!status) {
        memcpy(a->row_ptr, r->pointers, (size_t)(r->rows + 1) * sizeof *a->row_ptr);
        memcpy(a->col, r->minors, (size_t)r->entries * sizeof *a->col);
        memcpy(a->val, r->values, (size_t)r->entries * sizeof *a->val);
    }
    arrays_free(r);
    if (!status)
        coo_tidy_rows(a, repeats);
    return status;
}

int arrays_to_csr(struct arrays *r, struct csr *a, struct coo_repeats *repeats, char why[ERRLEN])
{
    struct coo_list list = { 0 };
    if (r->pointers && !r->majors && !r->by_columns)
        return rows_to_csr(r, a, repeats, why);
    int status = arrays_append(r, &list, why);
    if (!status)
        status = coo_list_to_csr(&list, COO_GENERAL, r->rows, r->cols, a, repeats, why);
    coo_list_free(&list);
    return status;
}
