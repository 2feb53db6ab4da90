/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of distinct values (features.h). The first ALONE entries are taken by one thread: a matrix of many values fills the sets with
 * them, in which threads would wait for each other. */
#include <stdlib.h>
#include <string.h>
#include "base/real.h"
#include "matrix/distinct.h"
#include "matrix/features.h"

enum { BLOCK = 4096, ALONE = 64 * BLOCK };

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

struct values {
    const void *val;
    enum precision of_val;
    struct distinct f64, f32; /* f32: of the values rounded to f32 and widened again */
    int64_t inexact;          /* 1: a value is not an f32 */
};

/* Takes account of a value rounded to f32. */
static inline void add_rounded(struct values *v, double value, bool count)
{
    const uint64_t rounded = bits_of((double)(float)value);
    if (rounded != bits_of(value) && !distinct_look(&v->inexact))
        __atomic_store_n(&v->inexact, 1, __ATOMIC_RELAXED);
    if (count)
        distinct_add(&v->f32, rounded);
}

static void take_block(struct values *v, int64_t first, int64_t end)
{
    uint64_t latest = ~bits_of(real_at(v->of_val, v->val, first));
    int64_t k = first;
    for (; k < end && !distinct_full(&v->f64); k++) {
        const double value = real_at(v->of_val, v->val, k);
        const uint64_t bits = bits_of(value);
        if (bits != latest && distinct_add(&v->f64, bits))
            add_rounded(v, value, true);
        latest = bits;
    }
    const bool count = !distinct_full(&v->f32);
    for (; k < end && (count || !distinct_look(&v->inexact)); k++)
        add_rounded(v, real_at(v->of_val, v->val, k), count);
}

static void take_entries(struct values *v, int64_t first, int64_t end)
{
#pragma omp parallel for schedule(static) if (first > 0)
    for (int64_t k = first; k < end; k += BLOCK)
        take_block(v, k, k + BLOCK < end ? k + BLOCK : end);
}

static int64_t count_of(const struct distinct *d) { return distinct_full(d) ? VALUES_MOST + 1 : d->n; }

void features_set_values(struct features *f, const void *val, enum precision of_val, int64_t nnz)
{
    const int64_t alone = nnz < ALONE ? nnz : ALONE;
    struct values v = { val, of_val, { .most = VALUES_MOST }, { .most = VALUES_MOST }, 0 };
    v.f64.slot = xcalloc((size_t)1 << distinct_bits(VALUES_MOST), sizeof *v.f64.slot);
    v.f32.slot = xcalloc((size_t)1 << distinct_bits(VALUES_MOST), sizeof *v.f32.slot);
    take_entries(&v, 0, alone);
    take_entries(&v, alone, nnz);
    f->values_f64 = count_of(&v.f64);
    f->values_f32 = count_of(&v.f32);
    f->values_narrow = nnz > 0 && !v.inexact;
    free(v.f64.slot);
    free(v.f32.slot);
}

void features_copy_values(struct features *to, const struct features *from)
{
    to->values_f64 = from->values_f64;
    to->values_f32 = from->values_f32;
    to->values_narrow = from->values_narrow;
}
