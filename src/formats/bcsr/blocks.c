/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts and estimates the blocks of a matrix and checks block sizes. */
#include "formats/bcsr/blocks.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "matrix/block_fill.h"
#include "matrix/estimates.h"

enum { FILL_LIMIT = 10, TALL = 32, BETWEEN = 4 }; /* BETWEEN: the first sides of block_fill_sides, ascending */

struct block_shape block_shape_of(const struct config *c)
{
    return (struct block_shape){ (int)config_int(c, "r"), (int)config_int(c, "c") };
}

int block_shape_legal(const struct config *c, const struct block_shape *list, char why[ERRLEN])
{
    const struct block_shape b = block_shape_of(c);
    char names[160] = "";
    int n = 0;

    for (int i = 0; list[i].r; i++)
        if (list[i].r == b.r && list[i].c == b.c)
            return 0;
    for (int i = 0; list[i].r; i++) {
        n += snprintf(names + n, sizeof names - (size_t)n, "%s%dx%d", i ? "|" : "", list[i].r, list[i].c);
        if (n >= (int)sizeof names)
            bug("%s: the list of block sizes does not fit the message", c->kernel->name);
    }
    return fail(why, "invalid block size %dx%d; expected %s", b.r, b.c, names);
}

void blocks_count(const struct csr_view *a, struct block_shape b, int32_t *count)
{
    const int64_t n = block_rows(a->rows, b.r);

#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < n; i++) {
        struct block_walk w = block_walk_start(a, b, i);
        int32_t blocks = 0;

        while (block_walk_next(&w, NULL) >= 0)
            blocks++;
        count[i] = blocks;
    }
}

/* Returns f(c), interpolated linearly in logarithms between f(1) = f1, f(4) = f4 and f(8) = f8. */
static double between(double c, double f1, double f4, double f8)
{
    return c <= 4 ? f1 * pow(f4 / f1, log2(c) / 2) : f4 * pow(f8 / f4, log2(c) - 2);
}

/* Estimates the number of blocks by power laws between the sectors of x, which are the blocks of 1 x 4, 1 x 8, 32 x 4
 * and 32 x 8 that hold an entry. */
static double guess_by_sectors(const struct features *f, struct block_shape b)
{
    const double nnz = (double)f->nnz, row4 = (double)f->sectors[F64][SECTORS_ROW],
                 row8 = (double)f->sectors[F32][SECTORS_ROW];
    const double tall4 = (double)f->sectors[F64][SECTORS_32], tall8 = (double)f->sectors[F32][SECTORS_32];

    if (!(nnz > 0 && row4 > 0 && row8 > 0 && tall4 > 0 && tall8 > 0))
        return nnz;
    const double flat = between(b.c, nnz, row4, row8), fall = between(b.c, tall4 / row4, tall4 / row4, tall8 / row8);
    return flat * pow(fall, log2(b.r) / log2(TALL));
}

/* Returns log(counted blocks / estimated blocks) for squares of block_fill_sides[i]; 0 if they were not counted. */
static double correction(const struct features *f, int i)
{
    const double fill = features_fill_of(f, i), side = block_fill_sides[i];
    return fill > 0 ? log(fill * (double)f->nnz / (side * side)
                          / guess_by_sectors(f, (struct block_shape){ block_fill_sides[i], block_fill_sides[i] }))
                    : 0;
}

int64_t blocks_least(const struct features *f, struct block_shape b)
{
    const int64_t entries = b.r * b.c, full = (f->nnz + entries - 1) / entries,
                  rows = block_rows(f->rows - f->row_empty, b.r);

    return full > rows ? full : rows;
}

static double guess_of(const struct features *f, struct block_shape b)
{
    const double side = sqrt(b.r * b.c), least = (double)f->nnz / (b.r * b.c);
    double guess = guess_by_sectors(f, b);

    for (int i = BETWEEN; i < BLOCK_FILLS; i++)
        if (b.r == b.c && b.r == block_fill_sides[i] && features_fill_of(f, i) > 0)
            return features_fill_of(f, i) * (double)f->nnz / (b.r * b.c);
    if (f->nnz > 0 && side > 1) {
        int i = 0;
        while (i + 1 < BETWEEN - 1 && side > block_fill_sides[i + 1])
            i++;
        const double low = block_fill_sides[i], high = block_fill_sides[i + 1],
                     w = fmin(fmax(log(side / low) / log(high / low), 0), 1), a = correction(f, i),
                     z = correction(f, i + 1);
        /* below 2 x 2 the correction fades out, because the number of 1 x 1 blocks is known */
        guess *= exp(side < low ? a * log(side) / log(low) : a + w * (z - a));
    }
    return guess < least ? least : guess > (double)f->nnz ? (double)f->nnz : guess;
}

double blocks_guess(const struct features *f, struct block_shape b)
{
    const int64_t key[ESTIMATE_KEYS] = { b.r, b.c };
    double guess;

    if (!estimate_known(f, ESTIMATE_BLOCKS, key, &guess, sizeof guess)) {
        guess = guess_of(f, b);
        estimate_keep(f, ESTIMATE_BLOCKS, key, &guess, sizeof guess);
    }
    return guess;
}

struct block_spread blocks_spread(const struct features *f, struct block_shape b)
{
    struct block_spread s = { .level = b.r <= 1   ? 0
                                       : b.r <= 2 ? 1
                                       : b.r <= 5 ? 2
                                                  : 3,
                              .block_rows = (double)block_rows(f->rows, b.r),
                              .blocks = blocks_guess(f, b) };
    const struct histogram *h = &f->lengths[s.level];
    double sum = 0;

    for (int i = 0; i < h->n; i++) {
        s.groups += (double)h->count[i];
        sum += (double)h->count[i] * (double)h->value[i];
    }
    if (sum > 0)
        s.longest = sum * s.block_rows / s.groups;
    return s;
}

int blocks_worth(const struct features *f, struct block_shape b, double blocks, double stored, char why[ERRLEN])
{
    if (f->nnz > 0 && stored > FILL_LIMIT * (double)f->nnz)
        return fail(why,
                    "fill about %.3gx (%.4g values for %" PRId64
                    " entr%s: %.4g block%s of %dx%d with padding, estimated from features), limit %dx",
                    stored / (double)f->nnz, stored, f->nnz, f->nnz == 1 ? "y" : "ies", blocks, blocks == 1 ? "" : "s",
                    b.r, b.c, FILL_LIMIT);
    if (blocks > (double)offsets_max)
        return fail(why, "about %.4g blocks exceed the 32-bit offset limit %" PRId64 "; split the rows with spmv-plan",
                    blocks, offsets_max);
    /* as in most layouts, the nonzeros are limited to 32-bit offsets too */
    return offsets_reach(f->nnz, "nonzeros", why);
}
