/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiny matrices with all edge cases for layouts and kernels, and guarded arrays of either precision. */
#ifndef SPMVCAST_TESTS_SHAPES_H
#define SPMVCAST_TESTS_SHAPES_H
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/real.h"
#include "base/target.h"
#include "matrix/csr_matrix.h"

static int64_t none(int64_t i)
{
    (void)i;
    return 0;
}
static int64_t one(int64_t i)
{
    (void)i;
    return 1;
}
static int64_t five(int64_t i)
{
    (void)i;
    return 5;
}
static int64_t gaps(int64_t i) { return i % 3 == 0 ? 0 : i % 5; }
static int64_t ends(int64_t i) { return i % 40 < 3 || i % 40 > 36 ? 0 : 4; }
static int64_t dense_row(int64_t i) { return i == 7 ? 1 << 30 : i % 2; }
static int64_t dense_last(int64_t i) { return i == 99 ? 1 << 30 : 2; }
static int64_t skewed(int64_t i) { return i % 97 == 0 ? 300 : i % 7; }
static int64_t all(int64_t i)
{
    (void)i;
    return 1 << 30;
}
static int64_t arrow(int64_t i) { return i == 0 ? 1 << 30 : 1; }
/* Lengths 0 to 5, then each power of two up to 2048 and its neighbours; mixed_powers: the same, unsorted. */
static int64_t powers(int64_t i)
{
    return i % 33 < 6 ? i % 33 : ((int64_t)8 << (i % 33 - 6) / 3) + (i % 33 - 6) % 3 - 1;
}
static int64_t mixed_powers(int64_t i) { return powers(i * 10); }

/* Row i has length(i) entries, but at most cols. dense_col: the first entry of every row is in column 0. values: 0: varied, exactly f32;
 * 1: every third is an explicit zero; -n: n different ones, with n > 1 among them -0 and values that are not exactly f32. */
struct shape {
    const char *name;
    int64_t rows, cols;
    int64_t (*length)(int64_t);
    bool dense_col;
    int values;
};
static const struct shape shapes[] = {
    { "empty 0x0", 0, 0, none, false, 0 },
    { "no rows", 0, 9, none, false, 0 },
    { "no columns", 9, 0, none, false, 0 },
    { "no entries", 40, 40, none, false, 0 },
    { "1x1", 1, 1, one, false, 0 },
    { "one row", 1, 1000, all, false, 0 },
    { "one sparse row", 1, 5000, five, false, 0 },
    { "one column", 1000, 1, all, false, 0 },
    { "empty rows", 500, 300, gaps, false, 0 },
    { "empty at both ends", 40, 40, ends, false, 0 },
    { "one dense row", 2000, 3000, dense_row, false, 0 },
    { "dense last row", 100, 4000, dense_last, false, 0 },
    { "one dense column", 3000, 500, five, true, 0 },
    { "wide", 20, 50000, five, false, 0 },
    { "tall", 50000, 20, gaps, false, 0 },
    { "explicit zeros", 300, 300, five, false, 1 },
    { "dense", 60, 60, all, false, 0 },
    { "all diagonals", 300, 300, arrow, true, 0 },
    { "all diagonals of a few", 8, 8, arrow, true, 0 },
    { "all diagonals, wide", 3, 70, all, false, 0 },
    { "lengths around powers of two", 33, 5000, powers, false, 0 },
    { "lengths around powers of two, mixed", 99, 2049, mixed_powers, false, 0 },
    { "31 rows", 31, 64, five, false, 0 },
    { "32 rows", 32, 64, five, false, 0 },
    { "33 rows", 33, 64, five, false, 0 },
    { "63 rows", 63, 300, gaps, false, 0 },
    { "64 rows", 64, 300, gaps, false, 0 },
    { "65 rows", 65, 300, gaps, false, 0 },
    { "127 rows", 127, 70, five, false, 0 },
    { "128 rows", 128, 70, five, false, 0 },
    { "129 rows", 129, 70, five, false, 0 },
    { "255 rows", 255, 900, skewed, false, 0 },
    { "256 rows", 256, 900, skewed, false, 0 },
    { "257 rows", 257, 900, skewed, false, 0 },
    { "511 rows", 511, 511, gaps, false, 0 },
    { "512 rows", 512, 512, gaps, false, 0 },
    { "513 rows", 513, 513, gaps, false, 0 },
    { "1023 rows", 1023, 400, skewed, false, 0 },
    { "1024 rows", 1024, 400, skewed, false, 0 },
    { "1025 rows", 1025, 400, skewed, false, 0 },
    { "4095 rows", 4095, 4095, gaps, false, 0 },
    { "4096 rows", 4096, 4096, skewed, false, 0 },
    { "4097 rows", 4097, 4097, skewed, false, 0 },
    { "one value", 257, 900, skewed, false, -1 },
    { "two values", 513, 513, gaps, false, -2 },
    { "256 values", 1025, 400, skewed, false, -256 },
    { "20000 values", 4097, 4097, skewed, false, -20000 },
};
enum { NSHAPES = sizeof shapes / sizeof shapes[0] };

/* Returns true for the shapes that are tested with all configurations of the exhaustive sweep; all edge cases with
 * every value of every parameter would take minutes. */
static inline bool shape_thorough(const struct shape *s)
{
    static const char *const names[] = {
        "no entries",     "1x1",      "dense last row", "dense", "lengths around powers of two, mixed",
        "explicit zeros", "4097 rows"
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(s->name, names[i]) == 0)
            return true;
    return false;
}

static inline double shape_value(const struct shape *s, int64_t k)
{
    const int64_t few = -(int64_t)s->values, which = few > 0 ? (int64_t)((uint64_t)k * 2654435761u % (uint64_t)few) : 0;

    if (few > 0)
        return few == 1 ? 0.5 : (which % 2 ? 0.1 : -0.1) * (double)which;
    return s->values && k % 3 == 0 ? 0.0 : (k % 5 == 0 ? -1.0 : 1.0) * csr_x(k + 12345);
}

static inline void shape_make(const struct shape *s, struct csr *a)
{
    char why[ERRLEN];
    int64_t nnz = 0;

    for (int64_t i = 0; i < s->rows; i++)
        nnz += s->length(i) < s->cols ? s->length(i) : s->cols;
    if (csr_alloc(a, s->rows, s->cols, nnz, why) != 0)
        die("%s", why);
    a->row_ptr[0] = 0;
    for (int64_t i = 0, k = 0; i < s->rows; i++) {
        const int64_t n = s->length(i) < s->cols ? s->length(i) : s->cols, stratum = n > 0 ? s->cols / n : 1;

        for (int64_t e = 0; e < n; e++, k++) {
            a->col[k] = (int32_t)(s->dense_col && e == 0 ? 0 : e * stratum + (i * 7 + e * 3) % stratum);
            a->val[k] = shape_value(s, k);
        }
        a->row_ptr[i + 1] = k;
    }
}

static inline void real_set(enum precision p, void *v, int64_t i, double to)
{
    if (p == F32)
        ((float *)v)[i] = (float)to;
    else
        ((double *)v)[i] = to;
}

/* Allocates n elements, aligned only as elements, between two NaN guards: reading a guard spoils y. */
static inline void *reals(enum precision p, int64_t n)
{
    char *guarded = xcalloc((unsigned long)n + 2, (unsigned long)precision_bytes(p));

    real_set(p, guarded, 0, (double)NAN);
    real_set(p, guarded, n + 1, (double)NAN);
    return guarded + precision_bytes(p);
}

/* Checks the guards, which a write beyond an end changes, and frees the array. */
static inline void reals_free(enum precision p, int64_t n, void *v)
{
    char *guarded = (char *)v - precision_bytes(p);

    if (!isnan(real_at(p, guarded, 0)) || !isnan(real_at(p, guarded, n + 1)))
        die("written beyond %" PRId64 " elements", n);
    free(guarded);
}
#endif
