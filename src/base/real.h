/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of arrays of values, whose type is that of a precision. */
#ifndef SPMVCAST_BASE_REAL_H
#define SPMVCAST_BASE_REAL_H
#include <string.h>
#include "base/target.h"

static inline double real_at(enum precision p, const void *v, int64_t at)
{
    return p == F32 ? (double)((const float *)v)[at] : ((const double *)v)[at];
}

/* Returns v rounded to the precision. */
static inline double real_rounded(enum precision p, double v) { return p == F32 ? (double)(float)v : v; }

/* Returns true if v is finite and overflows the precision. */
static inline bool real_overflows(enum precision p, double v)
{
    return p == F32 && __builtin_isinf((float)v) && !__builtin_isinf(v);
}

/* Stores v as element `at` of an array in precision p. Returns false if v is finite and overflows f32. */
static inline bool real_put(void *to, enum precision p, int64_t at, double v)
{
    if (p == F64) {
        ((double *)to)[at] = v;
        return true;
    }
    const float f = (float)v;
    ((float *)to)[at] = f;
    return !real_overflows(p, v);
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
#endif
