/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial: the table of cumulative probabilities (binomial.h), by integer arithmetic, so that all machines agree. */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/binomial.h"

__extension__ typedef unsigned __int128 wide;

enum { GROUP_MEAN = 8, RATIO_BITS = 56, P_MAX = 1 << 20 /* a row takes a draw per 16 entries of p */ };

/* a b, as fractions in 2^-64. */
static uint64_t times(uint64_t a, uint64_t b) { return (uint64_t)(((wide)a * b) >> 64); }

/* (1 - q)^n in 2^-64, q > 0. */
static uint64_t none_of(uint64_t q, int64_t n)
{
    uint64_t base = 0 - q, v = 0;
    bool begun = false;
    for (; n > 0; n >>= 1, base = times(base, base))
        if (n & 1) {
            v = begun ? times(v, base) : base;
            begun = true;
        }
    return v;
}

/* Sets one column of the table: cumulative probabilities of 0, 1, 2, ... successes of n trials, by
 * P(k + 1) = P(k) (n - k) / (k + 1) q / (1 - q). */
static void fill(struct recipe *r, bool more, uint64_t q, int64_t n)
{
    const wide odds = ((wide)q << 64) / (wide)(0 - q); /* at most 1, as q is at most a half */
    uint64_t one = none_of(q, n), sum = one;
    for (int k = 0; k < RECIPE_LEVELS; k++) {
        /* no number of successes beyond n, nor any that the table does not hold (less than 2^-64) */
        const uint64_t level = k >= n || k == RECIPE_LEVELS - 1 ? UINT64_MAX : sum;
        if (more)
            r->level[k].length = (int64_t)level;
        else
            r->level[k].end = (int64_t)level;
        if (k >= n)
            continue;
        const wide ratio = ((wide)(n - k) * odds / (wide)(k + 1)) >> (64 - RATIO_BITS);
        one = (uint64_t)(((wide)one * (uint64_t)ratio) >> RATIO_BITS);
        sum = one > UINT64_MAX - sum ? UINT64_MAX : sum + one;
    }
}

static int64_t root_above(int64_t v)
{
    int64_t root = 0;
    for (int64_t bit = (int64_t)1 << 16; bit > 0; bit /= 2)
        if ((root + bit) * (root + bit) <= v)
            root += bit;
    return root + 1;
}

static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->p > P_MAX)
        return fail(why, "p is \"%" PRId64 "\", expected 1..%d", r->p, P_MAX);
    r->spread = 0;
    if (recipe_finish_drawn(r, why) != 0)
        return FAIL;
    if (r->window != RECIPE_WINDOW_ALL)
        r->window = RECIPE_WINDOW_OWN;
    /* Count the rarer outcome, so that q is at most a half. */
    const int64_t rare = recipe_min(r->p, r->cols - r->p);
    r->points = rare != r->p;
    r->m = recipe_max((rare + GROUP_MEAN - 1) / GROUP_MEAN, 1);
    r->n = r->cols / r->m;
    r->count = r->cols % r->m;
    /* Twelve deviations and more above the mean, a chance below 2^-64. */
    r->max = recipe_min(r->cols, r->p + 12 * root_above(r->p) + RECIPE_LEVELS);
    if (rare == 0) { /* p = cols: no row misses a column */
        r->m = r->count = 0;
        return 0;
    }
    const uint64_t q = (uint64_t)(((wide)(uint64_t)rare << 64) / (uint64_t)r->cols);
    fill(r, false, q, r->n);
    fill(r, true, q, r->n + 1);
    return 0;
}

static int64_t longest(const struct recipe *r) { return r->max; }

const struct recipe_kind_facts recipe_kind_binomial = {
    .about = { "binomial",
               "row lengths binomial, as if each entry were drawn by itself",
               "binomial:rows=8448,p=16",
               { PARAM_ROWS,
                 PARAM_COLS,
                 { "p", "mean entries in a row", "1..1048576", NULL },
                 PARAM_PLACE_OWN,
                 PARAM_SEED } },
    .finish = finish,
    .longest = longest,
    .row = recipe_strata_row,
    .windowed = true,
};
