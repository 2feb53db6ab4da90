/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside formats/: what the layouts' builds and the kernels' facts share. */
#ifndef SPMVCAST_FORMATS_BUILD_H
#define SPMVCAST_FORMATS_BUILD_H
#include <string.h>
#include "formats/format.h"

enum {
    SECTOR_BYTES = 32, /* what a GPU fetches at least */
    THREADS_MAX = 1024 /* of one host function; more stay idle */
};
static const int64_t offsets_max = INT32_MAX; /* entries that 32-bit offsets reach */

/* 256-byte aligned, free() frees; NULL where memory is short. n = 0 gives an array of no elements. */
void *array_alloc(int64_t n, int64_t element_bytes);

/* A storage of struct_bytes, zeroed, its base filled in but for bytes; NULL where memory is short. */
void *storage_alloc(size_t struct_bytes, const struct layout *, const struct csr_view *, const struct target *);

/* OOM; why says for which layout and how much. */
int build_oom(char why[ERRLEN], const struct layout *, int64_t bytes);

/* 0, or FAIL where nnz entries (with padding) are more than 32-bit offsets reach. what: "nonzeros". */
int offsets_reach(int64_t n, const char *what, char why[ERRLEN]);

/* off[0 .. rows] from 0 to nnz, in parallel; the longest row. */
void view_offsets(const struct csr_view *, int32_t *off, int64_t *row_max);

/* row_order.c: perm[0 .. rows - 1] = the rows, by descending length within windows of `window` rows; equal ones in
 * order. false: no memory. */
bool rows_order(const struct csr_view *, int64_t window, int32_t *perm);

/* FAIL where row < rows: a value there is beyond f32. row = rows: all is well. */
int build_overflow(char why[ERRLEN], int64_t row, int64_t rows);

/* Element `at` of an array in precision p. false: v is finite and beyond f32. */
static inline bool real_put(void *to, enum precision p, int64_t at, double v)
{
    if (p == F64) {
        ((double *)to)[at] = v;
        return true;
    }
    const float f = (float)v;
    ((float *)to)[at] = f;
    return !__builtin_isinf(f) || __builtin_isinf(v);
}

/* n values from `at` on. */
static inline bool reals_put(void *to, enum precision p, int64_t at, const double *v, int64_t n)
{
    bool fits = true;

    if (p == F64) {
        if (n > 0)
            memcpy((double *)to + at, v, (size_t)n * sizeof *v);
        return true;
    }
    for (int64_t k = 0; k < n; k++)
        fits = real_put(to, F32, at + k, v[k]) && fits;
    return fits;
}

/* x and y of one multiplication: x's touched sectors once at least, y written once; flops. */
void traffic_vectors(const struct features *, const struct target *, struct traffic *);
#endif
