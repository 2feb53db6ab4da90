/* SPDX-License-Identifier: BSD-3-Clause */
/* rmat: power laws (kind.h). Chakrabarti, Zhan, Faloutsos: R-MAT, 2004; defaults near Graph500's 0.57, 0.19, 0.19,
 * 0.05. */
#include "recipes/kind.h"

#include <inttypes.h>

#include "recipes/kinds/rmat.h"

/* Sets the mean row lengths by the number of ones in the row number: all rows x p entries times the share of these bits, at
 * most 2^30. */
static void fill_means(struct recipe *r)
{
    const int64_t most_mean = (int64_t)1 << (30 + RMAT_POINT), above = 2 * (r->corner[0] + r->corner[1]),
                  below = 512 - above;
    for (int64_t ones = 0; ones <= r->n; ones++) {
        int64_t mean = r->p << RMAT_POINT;
        for (int64_t bit = 0; bit < r->n; bit++)
            mean = recipe_min(mean * (bit < ones ? below : above) / 256, 2 * most_mean);
        r->level[ones].length = recipe_min(mean, most_mean);
    }
}

static int finish(struct recipe *r, char why[ERRLEN])
{
    static const char name[] = "abc";
    int64_t sum = 0;
    for (int k = 0; k < 3; k++) {
        if (r->corner[k] < 1)
            return fail(why, "%c is below 1/256", name[k]);
        sum += r->corner[k];
    }
    if (sum > 255)
        return fail(why, "a + b + c = %.9g leaves nothing for d; the maximum is 255/256", (double)sum / 256);
    r->rows = r->cols = (int64_t)1 << r->n;
    if (r->p > r->cols)
        return fail(why, "p=%" PRId64 " exceeds %" PRId64 " columns; increase scale", r->p, r->cols);
    r->odds[0] = ((uint64_t)r->corner[0] << 32) / (uint64_t)(r->corner[0] + r->corner[1]);
    r->odds[1] = ((uint64_t)r->corner[2] << 32) / (uint64_t)(256 - r->corner[0] - r->corner[1]);
    fill_means(r);
    return 0;
}

static int64_t longest(const struct recipe *r)
{
    int64_t mean = recipe_max(r->level[0].length, r->level[r->n].length) >> RMAT_POINT;
    return recipe_min(mean + mean / 2 + 3, r->cols);
}

/* Appends the `length` entries below a fork to col, in order; returns the end. */
static int32_t *below(const struct recipe *r, int64_t i, uint64_t key, uint64_t node, int64_t first, int64_t half,
                      int64_t length, int32_t *col)
{
    if (length == 0)
        return col;
    if (length == 2 * half || half == 0) {
        for (int64_t k = 0; k < length; k++)
            *col++ = (int32_t)(first + k);
        return col;
    }
    int64_t left = recipe_rmat_left(r, i, key, node, half, length);
    col = below(r, i, key, 2 * node, first, half / 2, left, col);
    return below(r, i, key, 2 * node + 1, first + half, half / 2, length - left, col);
}

static void row(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    below(r, i, recipe_rmat_key(r, i), 1, 0, r->cols / 2, length, col);
}

/* Sums over groups of sectors with equally many ones in their number: each 0 bit contributes a factor a + c to the share of all
 * entries, each 1 bit b + d. */
static double touched(const struct recipe *r, const struct features *f, int64_t width)
{
    const double zero = (double)(r->corner[0] + r->corner[2]) / 256;
    double many = 1, sum = 0;
    int64_t bits = r->n - (width == 8 ? 3 : 2);
    for (int64_t ones = 0; ones <= bits; ones++) {
        double entries = (double)f->nnz * recipe_power(zero, bits - ones) * recipe_power(1 - zero, ones);
        /* 1 - exp(-entries) */
        sum += many * (entries < 500 ? 1 - recipe_power(1 - entries / (1 << 20), 1 << 20) : 1);
        many = many * (double)(bits - ones) / (double)(ones + 1);
    }
    return sum;
}

#define SHARE "0.00390625..0.98828125, in steps of 1/256"
const struct recipe_kind_facts recipe_kind_rmat = {
    .about = { "rmat",
               "square, a power law: row lengths and columns are skewed as in R-MAT, but generated row by row without duplicates",
               "rmat:scale=20,p=16",
               { { "scale", "log2 of the number of rows", "2..30", NULL },
                 { "p", "approximate mean number of entries per row", COUNT_LEGAL, "16" },
                 { "a", "share of the entries in the upper left quarter", SHARE, "0.5703125" },
                 { "b", "share of the upper right quarter", SHARE, "0.19140625" },
                 { "c", "share of the lower left quarter; the lower right has the rest", SHARE, "0.19140625" },
                 PARAM_SEED } },
    .finish = finish,
    .longest = longest,
    .row = row,
    .touched = touched,
};
