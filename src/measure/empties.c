/* SPDX-License-Identifier: BSD-3-Clause */
/* The empty kernels of a device. Their times are subtracted from others, so they must be undisturbed; otherwise the rows
 * are noisy. */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/stats.h"
#include "measure/sample.h"

enum { SAMPLES = 9 }; /* undisturbed samples wanted */

void empties_free(struct empties *e)
{
    free(e->v);
    *e = (struct empties){ 0 };
}

static int empty_warm(struct device *d, struct empty *e, char why[ERRLEN])
{
    struct timed t = { .launch = &e->launch };
    double clean_s[SAMPLES], all_s[EMPTY_ATTEMPTS];
    int status = sample_begin(d, &t, why), clean = 0, all = 0;

    while (all < EMPTY_ATTEMPTS && clean < SAMPLES && !status) {
        bool disturbed;
        status = sample_take(d, &t, &all_s[all], &disturbed, why);
        if (!status && !disturbed)
            clean_s[clean++] = all_s[all];
        all++;
    }
    sample_end(d, &t);
    if (status)
        return status;
    e->noisy = clean < EMPTY_FEW;
    e->warm_s = e->noisy ? stats_median(all_s, all) : stats_median(clean_s, clean);
    return 0;
}

/* Uses the shortest sample, since only overhead may be subtracted from cold times, not noise. */
static int empty_cold(struct device *d, struct empty *e, char why[ERRLEN])
{
    double least_s = INFINITY, least_clean_s = INFINITY, sample_s;
    int clean = 0;

    for (int i = 0; i < EMPTY_ATTEMPTS && clean < SAMPLES; i++) {
        if (d->backend->cold_time(d, &e->launch, &sample_s, why))
            return FAIL;
        least_s = fmin(least_s, sample_s);
        if (sample_is_disturbed(d, sample_s))
            continue;
        least_clean_s = fmin(least_clean_s, sample_s);
        clean++;
    }
    e->cold_noisy = clean < EMPTY_FEW;
    e->cold_s = clean ? least_clean_s : least_s;
    return 0;
}

/* A device may change its launch state while a process runs. Every second the empty kernel of the smallest grid is timed
 * again; if its time has changed by more than 10 %, all others must be timed again, too. */
static int check_state(struct device *d, struct empties *e, char why[ERRLEN])
{
    static const double check_s = 1, changed = 0.1;
    struct empty *smallest = NULL;

    if (e->n > 0 && now_s() - e->checked_s < check_s)
        return 0;
    e->checked_s = now_s();
    for (int i = 0; i < e->n; i++)
        if (!e->v[i].noisy && (!smallest || e->v[i].grid.blocks < smallest->grid.blocks))
            smallest = &e->v[i];
    if (!smallest)
        return 0;
    const double before_s = smallest->warm_s;
    if (empty_warm(d, smallest, why))
        return FAIL;
    for (int i = 0; i < e->n && !smallest->noisy && fabs(smallest->warm_s / before_s - 1) > changed; i++) {
        e->v[i].noisy = &e->v[i] != smallest;
        e->v[i].cold_s = NAN;
    }
    return 0;
}

int empties_get(struct device *d, struct empties *e, struct timed *t, char why[ERRLEN])
{
    int i = 0;

    if (check_state(d, e, why))
        return FAIL;
    while (i < e->n && (e->v[i].grid.blocks != t->grid.blocks || e->v[i].grid.threads != t->grid.threads))
        i++;
    if (i == e->n) {
        struct empty one = { .grid = t->grid, .cold_s = NAN };
        if (d->backend->empty(d, t->grid, &one.launch, why))
            return FAIL;
        e->v = xrealloc(e->v, (unsigned long)(e->n + 1) * sizeof *e->v);
        e->v[i] = one;
        e->v[i].noisy = true;
        e->n++;
    }
    if (e->v[i].noisy && empty_warm(d, &e->v[i], why))
        return FAIL;
    if (t->cache == COLD && (isnan(e->v[i].cold_s) || e->v[i].cold_noisy) && empty_cold(d, &e->v[i], why))
        return FAIL;
    t->t0_s = e->v[i].warm_s;
    t->empty_s = e->v[i].cold_s;
    t->empty_noisy = e->v[i].noisy || (t->cache == COLD && e->v[i].cold_noisy);
    return 0;
}
