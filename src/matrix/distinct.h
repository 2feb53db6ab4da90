/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of values by their bits, which threads fill together. A set that fits is the same in any order; one that holds more than `most`
 * is full and takes no more. */
#ifndef SPMVCAST_MATRIX_DISTINCT_H
#define SPMVCAST_MATRIX_DISTINCT_H
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

/* 0, the pattern of +0, marks a free slot. Half of the slots at least stay free, also if many threads add one too many. */
struct distinct {
    uint64_t *slot;  /* [1 << distinct_bits(most)], zeroed by the caller, who frees it */
    int64_t most;    /* at most VALUES_MOST */
    int64_t n, zero; /* zero: 1 if +0 is among them */
};

static inline int distinct_bits(int64_t most) { return most > 256 ? 17 : 12; }

static inline int64_t distinct_look(const int64_t *member) { return __atomic_load_n(member, __ATOMIC_RELAXED); }
static inline bool distinct_full(const struct distinct *d) { return distinct_look(&d->n) > d->most; }

/* Adds a value, unless the set is full. Returns false if it was there. */
static inline bool distinct_add(struct distinct *d, uint64_t bits)
{
    if (bits == 0) {
        if (distinct_look(&d->zero) || __atomic_exchange_n(&d->zero, 1, __ATOMIC_RELAXED))
            return false;
        __atomic_fetch_add(&d->n, 1, __ATOMIC_RELAXED);
        return true;
    }
    uint64_t at = ((bits ^ bits >> 32) * 0x9E3779B97F4A7C15u) >> (64 - distinct_bits(d->most));
    for (;; at = (at + 1) & ((UINT64_C(1) << distinct_bits(d->most)) - 1)) {
        uint64_t there = __atomic_load_n(&d->slot[at], __ATOMIC_RELAXED);
        if (there == 0) {
            if (distinct_full(d))
                return true;
            if (__atomic_compare_exchange_n(&d->slot[at], &there, bits, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                __atomic_fetch_add(&d->n, 1, __ATOMIC_RELAXED);
                return true;
            }
        }
        if (there == bits)
            return false;
    }
}

/* Copies the values, in no order. */
static inline void distinct_get(const struct distinct *d, uint64_t *to)
{
    if (d->zero)
        *to++ = 0;
    for (int64_t i = 0; i < INT64_C(1) << distinct_bits(d->most); i++)
        if (d->slot[i] != 0)
            *to++ = d->slot[i];
}
#ifdef __cplusplus
}
#endif
#endif
