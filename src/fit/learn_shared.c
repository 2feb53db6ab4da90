/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a fit that all configurations share (learn.h): scaling of features, empty kernels, floors and maximum rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn_inside.h"

/* The error of the launch of a large grid exceeds the floor; long: in times of the shortest. */
static const double floor_share = 0.8, long_launch = 10;

void learn_fit_scaling(const struct learn_data *d, const bool *use, struct learned *l)
{
    double sum[2][NFEATURES] = { { 0 } }, squares[2][NFEATURES] = { { 0 } }, n[2] = { 0 };
    for (int k = 0; k < NFEATURES; k++) {
        TEXT_SET(l->scale[k].feature, physics_feature_names[k]);
        l->scale[k].low = INFINITY;
        l->scale[k].high = -INFINITY;
    }
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        const int real = learn_is_real(d, c->matrix);
        if (!use[c->matrix])
            continue;
        n[real]++;
        for (int k = 0; k < NFEATURES; k++) {
            const double v = (double)c->feature[k];
            sum[real][k] += v;
            squares[real][k] += v * v;
            l->scale[k].low = fmin(l->scale[k].low, v);
            l->scale[k].high = fmax(l->scale[k].high, v);
        }
    }
    const int of = n[1] > 0; /* real matrices if there are any, else recipes */
    for (int k = 0; k < NFEATURES; k++) {
        const double mean = sum[of][k] / n[of], variance = squares[of][k] / n[of] - mean * mean;
        l->scale[k].mean = mean;
        l->scale[k].sd = variance > 1e-12 ? sqrt(variance) : 1; /* constant feature */
    }
}

struct empty {
    int64_t threads;
    double log2_blocks, us;
};

static int by_grid(const void *a, const void *b)
{
    const struct empty *x = a, *y = b;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    if (x->log2_blocks != y->log2_blocks)
        return x->log2_blocks < y->log2_blocks ? -1 : 1;
    return (x->us > y->us) - (x->us < y->us);
}

/* Stores the median time of empty kernels per grid size, made nondecreasing in the number of blocks. */
void learn_fit_launch(const struct learn_data *d, const bool *use, struct learned *l)
{
    struct empty *e = xmalloc(((unsigned long)d->n + 1) * sizeof *e);
    int64_t n = 0;
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        if (use[c->matrix] && c->t0_measured_us > 0)
            e[n++] = (struct empty){ c->grid.threads, round(2 * log2((double)c->grid.blocks)) / 2,
                                     c->t0_measured_us - c->state_us };
    }
    qsort(e, (size_t)n, sizeof *e, by_grid);
    l->launch = xcalloc((unsigned long)n + 1, sizeof *l->launch);
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && e[j].threads == e[i].threads && e[j].log2_blocks == e[i].log2_blocks; j++)
            ;
        struct learned_launch *v = &l->launch[l->nlaunch++];
        *v = (struct learned_launch){ e[i].threads, e[i].log2_blocks, e[i + (j - i) / 2].us };
        if (l->nlaunch > 1 && v[-1].threads == v->threads && v[-1].t0_us > v->t0_us)
            v->t0_us = v[-1].t0_us;
    }
    free(e);
}

static double least_launch(const struct learned *l)
{
    double least = INFINITY;
    for (int64_t i = 0; i < l->nlaunch; i++)
        least = fmin(least, l->launch[i].t0_us);
    return isinf(least) ? 0 : least;
}

/* Raises the rate of the class that all data are in. Times below the base count as noise. */
static void raise_rate(double least_bytes, double memory_share, double above_us, double rate[2])
{
    if (above_us <= 0 || (memory_share > 0 && memory_share < 1))
        return;
    double *of = &rate[memory_share >= 1];
    *of = fmax(isnan(*of) ? 0 : *of, least_bytes / above_us);
}

/* Raises both rates if data of both classes were read faster than they allow. */
static void raise_mixed(double least_bytes, double memory_share, double above_us, struct learned_bound *b)
{
    const double rate = learned_rate(b, memory_share);

    if (above_us <= 0 || memory_share <= 0 || memory_share >= 1 || isnan(rate))
        return;
    for (int k = 0; k < 2; k++)
        b->bytes_per_us[k] *= fmax(1, least_bytes / above_us / rate);
}

static bool is_of(const struct learn_rate *r, const bool *use, int precision, int target)
{
    return use[r->matrix] && r->target == target && (int)r->precision == precision;
}

void learn_least_of(const struct learn_data *d, const bool *use, const struct learned *l, int precision, int target,
                    double least[NTERMS])
{
    const double few = 5; /* in times of t0: the error of t0 dominates in shorter ones */
    double rate[2] = { NAN, NAN };
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        if (!use[c->matrix] || c->target != target || (int)d->config[c->config].precision != precision)
            continue;
        const double t0 = learned_t0(l->launch, l->nlaunch, &c->grid);
        if (c->us > few * t0)
            raise_rate(c->least_bytes, c->memory_share, c->us - t0, rate);
    }
    for (int64_t i = 0; i < d->nrates; i++) {
        const struct learn_rate *r = &d->rate[i];
        if (is_of(r, use, precision, target) && r->us > few * r->t0_us)
            raise_rate(r->least_bytes, r->memory_share, r->us - r->t0_us, rate);
    }
    memset(least, 0, NTERMS * sizeof *least);
    if (!isnan(rate[0]))
        least[TERM_bytes_l2] = 5e6 / rate[0];
    if (!isnan(rate[0]) || !isnan(rate[1])) /* memory is no faster than the L2 */
        least[TERM_bytes_memory] = 4e6 / (isnan(rate[1]) ? rate[0] : rate[1]);
}

/* Sets the rates of a bound, which no measured row exceeds. */
static void fit_rates(const struct learn_data *d, const bool *use, int precision, int target, struct learned_bound *b)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        for (int64_t i = 0; i < d->n; i++) {
            const struct learn_case *c = &d->at[i];
            if (!use[c->matrix] || c->target != target || (int)d->config[c->config].precision != precision)
                continue;
            if (mixed)
                raise_mixed(c->least_bytes, c->memory_share, c->us - b->least_us, b);
            else
                raise_rate(c->least_bytes, c->memory_share, c->us - b->least_us, b->bytes_per_us);
        }
        for (int64_t i = 0; i < d->nrates; i++) {
            const struct learn_rate *r = &d->rate[i];
            if (!is_of(r, use, precision, target))
                continue;
            if (mixed)
                raise_mixed(r->least_bytes, r->memory_share, r->us - b->least_us, b);
            else
                raise_rate(r->least_bytes, r->memory_share, r->us - b->least_us, b->bytes_per_us);
        }
    }
}

void learn_fit_bounds(const struct learn_data *d, const bool *use, struct learned *l)
{
    const double launch = least_launch(l);
    l->bound = xcalloc(NPRECISIONS * LEARNED_TARGETS, sizeof *l->bound);
    bool *seen = xmalloc(((unsigned long)d->runs->nmatrices + 1) * sizeof *seen),
         *family = xmalloc(((unsigned long)d->nfamilies + 1) * sizeof *family);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int t = 0; t < LEARNED_TARGETS; t++) {
            struct learned_bound b = {
                .floor_us = INFINITY, .factor = NAN, .error_median = NAN, .error_p90 = NAN, .bytes_per_us = { NAN, NAN }
            };
            memset(seen, 0, (size_t)d->runs->nmatrices * sizeof *seen);
            memset(family, 0, (size_t)d->nfamilies * sizeof *family);
            for (int64_t i = 0; i < d->n; i++) {
                const struct learn_case *c = &d->at[i];
                if (!use[c->matrix] || c->target != t || d->config[c->config].precision != p)
                    continue;
                const double t0 = learned_t0(l->launch, l->nlaunch, &c->grid);
                b.cases++;
                b.matrices += !seen[c->matrix];
                b.families += !family[d->family[c->matrix]];
                seen[c->matrix] = family[d->family[c->matrix]] = true;
                if (t0 < long_launch * launch)
                    b.floor_us = fmin(b.floor_us, fmax(c->us - t0, 0));
            }
            if (b.cases == 0)
                continue;
            for (int64_t i = 0; i < d->nrates; i++) {
                const double t0 = learned_t0(l->launch, l->nlaunch, &d->rate[i].grid);
                if (is_of(&d->rate[i], use, p, t) && t0 < long_launch * launch)
                    b.floor_us = fmin(b.floor_us, fmax(d->rate[i].us - t0, 0));
            }
            b.floor_us = isinf(b.floor_us) ? 0 : b.floor_us;
            const struct target of = learned_target_at(t, (enum precision)p);
            TARGET_SET(&b, &of);
            b.floor_us *= floor_share;
            b.least_us = b.floor_us + launch;
            fit_rates(d, use, p, t, &b);
            b.state_us = d->slower_more_frequent ? d->state_us[1] : 0;
            l->bound[l->nbounds++] = b;
        }
    free(seen);
    free(family);
}
