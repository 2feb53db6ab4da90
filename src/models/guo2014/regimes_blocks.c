/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes, E(i, j): prefix sums over strips of the additive terms, and a sparse table of longest rows. The
 * regime and a composite's k are those of the whole matrix: otherwise a matrix would be split because its blocks seem
 * to fit in the L2. A block of a matrix beyond the L2 is read from memory and may be too small to fill the device. The
 * streaming regime has no such cells, but the cold set has, so a block takes at least its cold forecast. block_time and
 * block_floor are O(1). block_time is the forecast of the rows, with gathers counted per strip. block_floor spreads the
 * load evenly over all SMs; it never exceeds block_time and never decreases when a block grows, so the planner prunes
 * with it without changing the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/guo2014/regimes.h"

/* the LARGEST maxima of a block: `heaviest` of struct features, then the longest row */
enum { LEVELS = 32, ROW_MAX = HEAVIEST, LARGEST = HEAVIEST + 1 };

struct part_cost {
    struct regimes g, cold;
    struct regimes_sum *before;          /* [n + 1] sums over the preceding strips */
    struct regimes_sum *before_cold;     /* [n + 1] these sums for the cold set; NULL: not needed or not measured */
    int64_t *rows, *nnz;                 /* [n + 1] */
    int64_t (*longest[LEVELS])[LARGEST]; /* [k][i]: maxima over strips i .. i + 2^k - 1 */
};

struct block_cost {
    int nstrips, nparts;
    double weight, x_bytes, cols_per_row;
    int64_t cols;
    struct target target;
    struct part_cost part[PARTS_MAX];
};

static void larger(int64_t to[LARGEST], const int64_t a[LARGEST], const int64_t b[LARGEST])
{
    for (int l = 0; l < LARGEST; l++)
        to[l] = a[l] > b[l] ? a[l] : b[l];
}

static void longest_make(struct part_cost *p, int n)
{
    for (int k = 1; k < LEVELS && 1 << k <= n; k++) {
        p->longest[k] = xmalloc((unsigned long)n * sizeof **p->longest);
        for (int i = 0; i + (1 << k) <= n; i++)
            larger(p->longest[k][i], p->longest[k - 1][i], p->longest[k - 1][i + (1 << (k - 1))]);
    }
}

/* Computes the features that the terms use for strips first..last as a separate matrix. */
static void block_features(const struct block_cost *b, const struct part_cost *p, int first, int last,
                           struct features *f)
{
    int64_t largest[LARGEST];
    int k = 0;
    while (1 << (k + 1) <= last - first + 1)
        k++;
    larger(largest, p->longest[k][first], p->longest[k][last + 1 - (1 << k)]);
    memset(f, 0, sizeof *f);
    f->rows = p->rows[last + 1] - p->rows[first];
    f->nnz = p->nnz[last + 1] - p->nnz[first];
    f->cols = b->cols;
    f->row_max = largest[ROW_MAX];
    f->row_mean = f->rows ? (double)f->nnz / (double)f->rows : 0.0;
    memcpy(f->heaviest, largest, sizeof f->heaviest);
}

static void part_begin(struct part_cost *p, bool with_cold, int n)
{
    p->before = xcalloc((unsigned long)n + 1, sizeof *p->before);
    p->before_cold = with_cold ? xcalloc((unsigned long)n + 1, sizeof *p->before_cold) : NULL;
    p->rows = xcalloc((unsigned long)n + 1, sizeof *p->rows);
    p->nnz = xcalloc((unsigned long)n + 1, sizeof *p->nnz);
    p->longest[0] = xcalloc((unsigned long)n, sizeof **p->longest);
}

static void part_strip(const struct block_cost *b, struct part_cost *p, int i, const struct features *f)
{
    struct regimes_sum sum = p->before[i];
    regimes_add(&p->g, f, b->cols_per_row, &sum);
    p->before[i + 1] = sum;
    if (p->before_cold) {
        sum = p->before_cold[i];
        regimes_add(&p->cold, f, b->cols_per_row, &sum);
        p->before_cold[i + 1] = sum;
    }
    p->rows[i + 1] = p->rows[i] + f->rows;
    p->nnz[i + 1] = p->nnz[i] + f->nnz;
    memcpy(p->longest[0][i], f->heaviest, sizeof f->heaviest);
    p->longest[0][i][ROW_MAX] = f->row_max;
}

/* Loads the coefficients of all parts; a configuration that is not a composite is its own only part. */
static int open_parts(struct block_cost *b, const struct profile *p, const struct sketch *s, const struct config *whole,
                      const struct target *t, char why[ERRLEN])
{
    const struct layout *layout = whole->kernel->layout;
    struct config part, resolved;
    if (whole->kernel->work != WORK_PARTS) {
        b->nparts = 1; /* resolving drops the keys that the CPU device does not know */
        return config_resolve(whole, &s->whole, t, &resolved, why) != 0
                   ? FAIL
                   : regimes_load(p, &resolved, t, &b->part[0].g, why);
    }
    for (int i = 0; i < PARTS_MAX && parts_name(layout, i); i++) {
        if (config_part(whole, parts_name(layout, i), &part, why) != 0
            || config_resolve(&part, &s->whole, t, &resolved, why) != 0
            || regimes_load(p, &resolved, t, &b->part[i].g, why) != 0)
            return FAIL;
        b->nparts = i + 1;
    }
    return 0;
}

struct block_cost *regimes_blocks_open(const struct profile *p, const struct sketch *s, const struct config *config,
                                       const struct target *t, char why[ERRLEN])
{
    struct block_cost *b = xcalloc(1, sizeof *b);
    struct config whole = *config, ignored;
    const struct layout *layout = config->kernel->layout;
    if (layout->resolve)
        layout->resolve(&whole, &s->whole, t);
    if (open_parts(b, p, s, &whole, t, why) != 0) {
        free(b);
        return NULL;
    }
    b->nstrips = s->n;
    b->target = *t;
    b->cols = s->whole.cols;
    b->cols_per_row = s->whole.rows ? (double)s->whole.cols / (double)s->whole.rows : 0.0;
    b->x_bytes = (double)(s->whole.cols * precision_bytes(t->precision));
    b->weight =
        regimes_weight(&b->part[0].g, footprint_bytes(s->whole.rows, s->whole.cols, s->whole.nnz, t->precision));
    for (int k = 0; k < b->nparts; k++) {
        struct target cold = *t;
        cold.cache = COLD;
        part_begin(&b->part[k],
                   t->cache == WARM && b->weight > 0.0
                       && regimes_load(p, &b->part[k].g.config, &cold, &b->part[k].cold, why) == 0,
                   s->n);
    }
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < b->nparts; k++) {
            struct features f;
            if (config->kernel->work != WORK_PARTS) {
                part_strip(b, &b->part[k], i, &s->strip[i]);
                continue;
            }
            if (layout->part(&s->strip[i], &whole, k, &ignored, &f) != 0)
                bug("regimes: cannot make part %d of %s", k, layout->name);
            part_strip(b, &b->part[k], i, &f);
            features_free(&f);
        }
    for (int k = 0; k < b->nparts; k++)
        longest_make(&b->part[k], s->n);
    return b;
}

static struct regimes_sum between(const struct regimes_sum *before, int first, int last)
{
    struct regimes_sum sum;
    for (int r = 0; r < NREGIMES; r++)
        sum.row_s[r] = before[last + 1].row_s[r] - before[first].row_s[r];
    sum.extra_sectors = before[last + 1].extra_sectors - before[first].extra_sectors;
    return sum;
}

/* Returns the time of a block that is read from memory, by the cold set. */
static double part_cold(const struct block_cost *b, const struct part_cost *p, int first, int last,
                        const struct features *f)
{
    const struct regimes_sum sum = between(p->before_cold, first, last);
    const struct regimes *g = &p->cold;
    return g->t0_s
           + regimes_join(g, REGIME_RESIDENT, &sum, regimes_busiest(g, f), regimes_path(g, REGIME_RESIDENT, f),
                          b->x_bytes);
}

static double part_block(const struct block_cost *b, const struct part_cost *p, int first, int last, bool floored)
{
    struct features f;
    double time_s[NREGIMES];
    block_features(b, p, first, last, &f);
    const double busiest = floored ? 1.0 : regimes_busiest(&p->g, &f);
    if (f.nnz == 0)
        return 0.0;
    const struct regimes_sum sum = between(p->before, first, last);
    for (int r = 0; r < NREGIMES; r++) {
        const bool wanted = r == REGIME_RESIDENT ? b->weight < 1.0 : b->weight > 0.0;
        const double path =
            floored ? regimes_path_floor(&p->g, (enum regime)r, &f) : regimes_path(&p->g, (enum regime)r, &f);
        time_s[r] = wanted ? p->g.t0_s + regimes_join(&p->g, (enum regime)r, &sum, busiest, path, b->x_bytes) : 0.0;
    }
    /* All strips together are the whole matrix, which keeps its forecast. */
    if (p->before_cold && !floored && last - first + 1 < b->nstrips)
        time_s[REGIME_STREAMING] = fmax(time_s[REGIME_STREAMING], part_cold(b, p, first, last, &f));
    return regimes_mix(b->weight, time_s[REGIME_RESIDENT], time_s[REGIME_STREAMING]);
}

static double block(struct block_cost *b, int first, int last, bool floored)
{
    double time_s = 0.0;
    if (first < 0 || last < first || last >= b->nstrips)
        bug("regimes: invalid block of strips %d..%d of %d", first, last, b->nstrips);
    for (int k = 0; k < b->nparts; k++)
        time_s += part_block(b, &b->part[k], first, last, floored);
    return time_s;
}

double regimes_block_time(struct block_cost *b, int first, int last)
{
    char why[ERRLEN];
    int64_t nnz = 0;
    for (int k = 0; k < b->nparts; k++) {
        const struct part_cost *p = &b->part[k];
        struct features f;
        block_features(b, p, first, last, &f);
        nnz += f.nnz;
        if (f.nnz > 0 && kernel_applicable(&f, &p->g.config, &b->target, why) != 0)
            return INFINITY;
    }
    /* Rows without entries have no forecast, but writing their y takes time, so they must not become a free block. */
    return nnz > 0 ? block(b, first, last, false) : INFINITY;
}

double regimes_block_floor(struct block_cost *b, int first, int last) { return block(b, first, last, true); }

/* Parts of a composite always run one after another, so only the first launch overlaps. */
double regimes_block_launch(struct block_cost *b) { return b->part[0].g.t0_s; }

void regimes_blocks_close(struct block_cost *b)
{
    if (!b)
        return;
    for (int k = 0; k < b->nparts; k++) {
        free(b->part[k].before);
        free(b->part[k].before_cold);
        free(b->part[k].rows);
        free(b->part[k].nnz);
        for (int l = 0; l < LEVELS; l++)
            free(b->part[k].longest[l]);
    }
    free(b);
}
