/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of several strips together (features.h: sketch_block). Histograms are differences of prefix sums over
 * strips, so that a block costs one step per distinct row length of the matrix and one per strip. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "matrix/features.h"

struct strips {
    /* [GROUPS]: all lengths of the matrix, ascending, and [n + 1][nlengths] their counts in the preceding strips;
     * NULL until the first call of sketch_block */
    int nlengths[GROUPS];
    int64_t *length[GROUPS], *before[GROUPS];
    int first, last; /* strips of `block`, whose histograms have room for all lengths */
    struct features block;
};
/* More than MANY different lengths (a power law has thousands) are counted in classes of 1/FINE octave. */
enum { MANY = 512, FINE = 32 };

/* Returns the number of lengths; if there are more than MANY, keeps only the greatest of each class. */
static int classes_of(int64_t *length, int n)
{
    int kept = 0;
    for (int i = 0; i < n && n > MANY; i++) {
        const bool ends = i + 1 == n || length[i] < FINE
                          || floor(log2((double)length[i]) * FINE) < floor(log2((double)length[i + 1]) * FINE);
        if (ends)
            length[kept++] = length[i];
    }
    return n > MANY ? kept : n;
}

/* Collects the lengths of the groups of all strips. They are those of the whole, except where strips cut groups. */
static void collect_lengths(const struct sketch *s, int k, struct strips *sums)
{
    int64_t n = 0, *all, *count;
    for (int i = 0; i < s->n; i++)
        n += s->strip[i].lengths[k].n;
    all = xmalloc((unsigned long)(n + 1) * sizeof *all);
    n = 0;
    for (int i = 0; i < s->n; i++) {
        const struct histogram *h = &s->strip[i].lengths[k];
        memcpy(all + n, h->value, (size_t)h->n * sizeof *all);
        n += h->n;
    }
    struct histogram distinct;
    histogram_from_lengths(all, n, 1, &distinct);
    free(all);
    distinct.n = classes_of(distinct.value, distinct.n);
    sums->nlengths[k] = distinct.n;
    sums->length[k] = distinct.value;
    free(distinct.count);
    sums->before[k] = count = xcalloc((unsigned long)(s->n + 1) * (unsigned long)distinct.n + 1, sizeof *count);
    for (int i = 0; i < s->n; i++) {
        const struct histogram *h = &s->strip[i].lengths[k];
        int64_t *next = count + (int64_t)(i + 1) * distinct.n;
        memcpy(next, next - distinct.n, (size_t)distinct.n * sizeof *next);
        for (int e = 0; e < h->n; e++)
            next[histogram_slot(distinct.value, distinct.n, h->value[e])] += h->count[e];
    }
}

static void make(const struct sketch *s, struct strips *sums)
{
    for (int k = 0; k < GROUPS; k++) {
        collect_lengths(s, k, sums);
        sums->block.lengths[k].value = xcalloc((unsigned long)sums->nlengths[k] + 1, sizeof(int64_t));
        sums->block.lengths[k].count = xcalloc((unsigned long)sums->nlengths[k] + 1, sizeof(int64_t));
    }
    sums->first = sums->last = -1;
}

static void sum_lengths(const struct strips *sums, int k, int first, int last, struct histogram *h)
{
    const int n = sums->nlengths[k];
    const int64_t *from = sums->before[k] + (int64_t)first * n, *to = sums->before[k] + (int64_t)(last + 1) * n;
    h->n = 0;
    for (int i = 0; i < n; i++)
        if (to[i] > from[i]) {
            h->value[h->n] = sums->length[k][i];
            h->count[h->n++] = to[i] - from[i];
        }
}

static void raise_to(int64_t *value, int64_t other)
{
    if (other > *value)
        *value = other;
}

static void add_strip(const struct features *f, struct features *b)
{
    b->rows += f->rows;
    b->nnz += f->nnz;
    raise_to(&b->bandwidth, f->bandwidth);
    raise_to(&b->diagonals, f->diagonals);
    b->spread += f->spread * (double)f->nnz;
    b->block_fill_2 += f->block_fill_2 * (double)f->nnz;
    b->block_fill_3 += f->block_fill_3 * (double)f->nnz;
    b->block_fill_4 += f->block_fill_4 * (double)f->nnz;
    b->block_fill_6 += f->block_fill_6 * (double)f->nnz;
    b->block_fill_5 += f->block_fill_5 * (double)f->nnz;
    b->block_fill_7 += f->block_fill_7 * (double)f->nnz;
    b->block_fill_8 += f->block_fill_8 * (double)f->nnz;
    for (int p = 0; p < NPRECISIONS; p++)
        for (int k = 0; k < NSECTORS; k++)
            b->sectors[p][k] += f->sectors[p][k];
    for (int k = 0; k < HEAVIEST; k++)
        raise_to(&b->heaviest[k], f->heaviest[k]);
}

const struct features *sketch_block(const struct sketch *s, int first, int last)
{
    struct strips *sums = s->sums;
    struct features *b = &sums->block, empty = { 0 };
    if (first < 0 || last < first || last >= s->n)
        bug("sketch_block: strips %d..%d of %d", first, last, s->n);
    if (first == 0 && last == s->n - 1)
        return &s->whole;
    if (!sums->length[0])
        make(s, sums);
    if (first == sums->first && last == sums->last)
        return b;
    memcpy(empty.lengths, b->lengths, sizeof b->lengths);
    *b = empty;
    b->cols = s->whole.cols;
    b->sectors_exact = s->whole.sectors_exact;
    features_copy_values(b, &s->whole);
    for (int i = first; i <= last; i++)
        add_strip(&s->strip[i], b);
    const double nnz = fmax((double)b->nnz, 1);
    b->spread /= nnz;
    b->block_fill_2 /= nnz;
    b->block_fill_3 /= nnz;
    b->block_fill_4 /= nnz;
    b->block_fill_6 /= nnz;
    b->block_fill_5 /= nnz;
    b->block_fill_7 /= nnz;
    b->block_fill_8 /= nnz;
    for (int p = 0; p < NPRECISIONS; p++)
        if (b->sectors[p][SECTORS_ALL] > s->whole.sectors[p][SECTORS_ALL])
            b->sectors[p][SECTORS_ALL] = s->whole.sectors[p][SECTORS_ALL];
    for (int k = 0; k < GROUPS; k++)
        sum_lengths(sums, k, first, last, &b->lengths[k]);
    features_derive(b);
    b->rest_rows = s->whole.rows - b->rows;
    b->rest_nnz = s->whole.nnz - b->nnz;
    sums->first = first;
    sums->last = last;
    return b;
}

void sketch_copy_values(struct sketch *s, const struct features *from)
{
    features_copy_values(&s->whole, from);
    for (int i = 0; i < s->n; i++)
        features_copy_values(&s->strip[i], from);
}

struct strips *strips_alloc(void) { return xcalloc(1, sizeof(struct strips)); }

void strips_free(struct strips *sums)
{
    if (!sums)
        return;
    for (int k = 0; k < GROUPS; k++) {
        free(sums->length[k]);
        free(sums->before[k]);
    }
    features_free(&sums->block);
    free(sums);
}
