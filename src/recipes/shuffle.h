/* SPDX-License-Identifier: BSD-3-Clause */
/* A seeded bijection of 0 .. n-1 and its inverse, evaluated for single numbers: rounds of add, multiply by an odd
 * number and xor-shift, each invertible, on the smallest power of two >= n; results >= n are mapped again (cycle
 * walking, less than two rounds on average). Included by C and CUDA. */
#ifndef SPMVCAST_RECIPES_SHUFFLE_H
#define SPMVCAST_RECIPES_SHUFFLE_H
#include "recipes/draws.h"

enum { SHUFFLE_ROUNDS = 4 };

/* Sets r->shuffle from r->seed, on the host. */
static inline void recipe_shuffle_open(struct recipe *r, int64_t n)
{
    philox4x32_ctr_t u = recipe_draw(r, 0, 0, DRAW_SHUFFLE);
    for (r->shuffle.bits = 0; (int64_t)1 << r->shuffle.bits < n; r->shuffle.bits++)
        continue;
    for (int k = 0; k < SHUFFLE_ROUNDS; k++)
        r->shuffle.key[k] = u.v[k];
}

SPMV_HD static inline int64_t recipe_shuffle(const struct recipe *r, int64_t n, int64_t at)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << r->shuffle.bits) - 1), half = (uint32_t)(r->shuffle.bits + 1) / 2;
    uint32_t x = (uint32_t)at;
    if (mask == 0)
        return at;
    do {
        for (int k = 0; k < SHUFFLE_ROUNDS; k++) {
            x = (x + r->shuffle.key[k]) * 0x9E3779B1u & mask;
            x ^= x >> half;
        }
    } while ((int64_t)x >= n);
    return (int64_t)x;
}

SPMV_HD static inline int64_t recipe_unshuffle(const struct recipe *r, int64_t n, int64_t at)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << r->shuffle.bits) - 1), half = (uint32_t)(r->shuffle.bits + 1) / 2;
    uint32_t x = (uint32_t)at;
    if (mask == 0)
        return at;
    do {
        for (int k = SHUFFLE_ROUNDS - 1; k >= 0; k--) {
            x ^= x >> half; /* its own inverse, since it shifts by at least half of the bits */
            x = (x * 0x0E8B2F51u - r->shuffle.key[k]) & mask;
        }
    } while ((int64_t)x >= n);
    return (int64_t)x;
}
#endif
