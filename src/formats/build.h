/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to formats/: helpers shared by the layouts' builds and the kernel descriptions. */
#ifndef SPMVCAST_FORMATS_BUILD_H
#define SPMVCAST_FORMATS_BUILD_H
#include <string.h>
#include "formats/array.h"
#include "formats/storage.h"

enum {
    SECTOR_BYTES = 32, /* smallest GPU memory transaction */
    THREADS_MAX = 1024 /* maximum threads of one host function; any others stay idle */
};
static const int64_t offsets_max = INT32_MAX; /* largest count that 32-bit offsets can address */

/* Returns 0, or FAIL if n exceeds what 32-bit offsets can address. `what` names what is counted: "nonzeros". */
int offsets_reach(int64_t n, const char *what, char why[ERRLEN]);

/* Fills off[0 .. rows] from 0 to nnz, in parallel; *row_max is the length of the longest row. */
void view_offsets(const struct csr_view *, int32_t *off, int64_t *row_max);

/* row_order.c: writes the rows to perm[0 .. rows - 1], sorted by descending length within windows of `window` rows;
 * the sort is stable. Returns false if out of memory. */
bool rows_order(const struct csr_view *, int64_t window, int32_t *perm);

/* row: a row with a value that overflows f32, or `rows` if there is none. Returns FAIL with why, or 0. */
int build_overflow(char why[ERRLEN], int64_t row, int64_t rows);

/* Stores v as element `at` of an array in precision p. Returns false if v is finite and overflows f32. */
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

/* Like real_put, for n values from element `at` on. Returns false if any of them overflows. */
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

/* Fills in what does not depend on the layout: the bytes of x (x_least, x_most), those of y, written once, and
 * flops. */
void traffic_vectors(const struct features *, const struct target *, struct traffic *);
#endif
