/* SPDX-License-Identifier: BSD-3-Clause */
/* physics-gp, E(i, j): the physics of strips i..j with one configuration, times one factor: forecast / physics of the
 * whole matrix. So E of all strips equals the matrix's forecast. E only guides the search; predict forecasts the blocks
 * of the plan again. The memory share of a block's traffic counts all rows of the matrix (features.h: rest_nnz):
 * otherwise a matrix would be split because its blocks fit in the cache.
 * block_floor adds the terms that only grow with a block (rows, entries, values, sectors of x by rows; coefficients are
 * >= 0) and an empty kernel of the smallest grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/physics_gp/learned_ask.h"
#include "models/physics_gp/physics_gp.h"

/* Sums over all strips before a given one. */
struct sums {
    int64_t rows, nnz, sectors[NSECTORS];
};

struct block_cost {
    const struct sketch *sketch;
    const struct learned *learned;
    const struct learned_bound *bound;
    const struct learned_config *learned_config;
    struct config asked; /* "auto" is resolved per block */
    struct target target;
    int index; /* learned_target */
    bool composite, whole_1024;
    double factor, min_t0_us, min_share;
    struct sums *before; /* [n + 1] */
};

static double min_t0(const struct learned *l)
{
    double least = INFINITY;
    for (int64_t i = 0; i < l->nlaunch; i++)
        least = fmin(least, l->launch[i].t0_us);
    return isinf(least) ? 0 : least;
}

/* ---- one block */

/* Computes the physics of a block with features f, and sets *c to the coefficients that apply. Returns false if this
 * configuration is not applicable. */
static bool physics_block(const struct block_cost *b, const struct features *f, struct physics *x,
                          const struct learned_config **c)
{
    struct config config, part;
    char why[ERRLEN];
    *c = b->learned_config;
    if (f->nnz == 0 || config_resolve(&b->asked, f, &b->target, &config, why) != 0
        || kernel_applicable(f, &config, &b->target, why) != 0)
        return false;
    const struct learned_config *alone;
    if (b->composite
        && learned_lone_part(b->learned->config, b->learned->nconfigs, &config, f, &b->target, &part, &alone)
        && alone) {
        *c = alone;
        config = part;
    }
    return (*c)->families[b->index] > 0
           && physics_of(f, &config, &b->target, (int)(*c)->registers, (*c)->shared_bytes, x, why) == 0;
}

static struct sums between(const struct block_cost *b, int first, int last)
{
    struct sums s = b->before[last + 1];
    const struct sums *from = &b->before[first];
    s.rows -= from->rows;
    s.nnz -= from->nnz;
    for (int k = 0; k < NSECTORS; k++)
        s.sectors[k] -= from->sectors[k];
    return s;
}

/* Computes lower bounds of the terms of a block. */
static void least_terms(const struct block_cost *b, const struct sums *s, double term[NTERMS])
{
    const double value = (double)precision_bytes(b->target.precision), sector_mb = 32e-6;
    memset(term, 0, NTERMS * sizeof *term);
    term[TERM_constant] = 1;
    if (b->composite) /* if only one part has entries, the coefficients of that part apply */
        return;
    term[TERM_gathers_row] = (double)s->sectors[SECTORS_ROW] * sector_mb / 5;
    term[TERM_gathers_32] = (double)s->sectors[SECTORS_32] * sector_mb / 5;
    term[TERM_gathers_32_memory] = (double)s->sectors[SECTORS_32] * sector_mb * b->min_share / 4;
    if (b->whole_1024)
        term[TERM_gathers_1024] = (double)s->sectors[SECTORS_1024] * sector_mb / 4;
    term[TERM_lane_slots] = (double)s->nnz / 1e6;
    term[TERM_rows] = (double)s->rows / 1e6;
    term[TERM_rows_log] = log(fmax((double)s->rows, 1)) / 10;
    term[TERM_bytes_log] = log1p((double)(s->nnz + s->rows) * value * 1e-6 * 100) / 10;
}

static double floor_us(const struct block_cost *b, int first, int last)
{
    const struct sums s = between(b, first, last);
    const double mb = (double)(s.nnz + s.rows) * (double)precision_bytes(b->target.precision) * 1e-6,
                 share = b->min_share;
    double term[NTERMS], logs = 0;
    least_terms(b, &s, term);
    const struct learned_least least = learned_least_of(term);
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        const float *c = b->learned_config->b + (b->index * LEARNED_VARIANTS + v) * NTERMS;
        double us = b->min_t0_us + b->bound->floor_us;
        if (!b->composite)
            us = learned_floor_us(c, &least, us, mb, share);
        logs += log(fmax(us, PHYSICS_MIN_US)) / LEARNED_VARIANTS;
    }
    return exp(logs) * b->factor * (1 - 1e-12);
}

double physics_block_floor(struct block_cost *b, int first, int last)
{
    return (floor_us(b, first, last) + b->bound->state_us) * 1e-6;
}

double physics_block_time(struct block_cost *b, int first, int last)
{
    struct physics x;
    const struct learned_config *c;
    const struct features *f = sketch_block(b->sketch, first, last);
    if (!physics_block(b, f, &x, &c))
        return INFINITY;
    const double us = b->factor * learned_physics_us(b->learned, c, b->bound, b->index, &x),
                 least = learned_min_us(learned_t0(b->learned->launch, b->learned->nlaunch, &x.grid), b->bound, &x);
    return fmax((fmax(us, least) + b->bound->state_us) * 1e-6, physics_block_floor(b, first, last));
}

double physics_block_launch(struct block_cost *b) { return (b->min_t0_us + b->bound->state_us) * 1e-6; }

/* ---- opening */

/* Returns forecast / physics of the whole matrix; 1 if that has no physics. */
static double factor_of(const struct block_cost *b)
{
    struct physics x;
    const struct learned_config *c;
    struct learned_answer a;
    if (!physics_block(b, &b->sketch->whole, &x, &c))
        return 1;
    learned_ask(b->learned, c, b->bound, b->index, &x, &a);
    return fmax(exp(a.log_us), a.min_us) / learned_physics_us(b->learned, c, b->bound, b->index, &x);
}

static void sum_strips(struct block_cost *b)
{
    const struct sketch *s = b->sketch;
    b->before = xcalloc((unsigned long)s->n + 1, sizeof *b->before);
    for (int i = 0; i < s->n; i++) {
        struct sums *next = &b->before[i + 1];
        *next = b->before[i];
        next->rows += s->strip[i].rows;
        next->nnz += s->strip[i].nnz;
        for (int k = 0; k < NSECTORS; k++)
            next->sectors[k] += s->strip[i].sectors[b->target.precision][k];
    }
}

struct block_cost *physics_blocks_open(const struct profile *p, const struct sketch *s, const struct config *config,
                                       const struct target *t, char why[ERRLEN])
{
    const struct learned *l = p->learned;
    const int index = learned_target(t->cache, t->launch);
    struct block_cost *b;
    struct config whole;
    char text[CONFIG_LEN];
    config_print(config, text);
    if (!l || s->whole.nnz == 0) {
        fail(why, l ? "the matrix has no entries" : "profile %s has no learned forecasts; fit it again with spmv-fit",
             p->name);
        return NULL;
    }
    b = xcalloc(1, sizeof *b);
    *b = (struct block_cost){ .sketch = s, .learned = l, .target = *t, .index = index, .asked = *config };
    b->target.device = p->device;
    b->bound = learned_bound_of(l, t);
    if (config_resolve(config, &s->whole, &b->target, &whole, why) == 0)
        b->learned_config = learned_find_resolved(l->config, l->nconfigs, &whole, &s->whole, &b->target);
    if (index < 0 || !b->bound || !b->learned_config || b->learned_config->families[index] == 0) {
        fail(why, "%s was never measured for profile %s (%s)", text, p->name, target_words(t).text);
        free(b);
        return NULL;
    }
    const struct config *known = config_known(b->learned_config->config, why);
    if (!known) {
        free(b);
        return NULL;
    }
    b->asked = *known;
    const double value = (double)precision_bytes(t->precision);
    b->composite = parts_name(config->kernel->layout, 0) != NULL;
    b->whole_1024 = s->strip_rows % 1024 == 0;
    b->min_t0_us = min_t0(l);
    b->min_share = physics_memory_share(&b->target, (double)(s->whole.nnz + s->whole.rows + s->whole.cols) * value);
    b->factor = factor_of(b);
    sum_strips(b);
    return b;
}

void physics_blocks_close(struct block_cost *b)
{
    if (!b)
        return;
    free(b->before);
    free(b);
}
