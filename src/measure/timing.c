/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing loop (timing.h). */
#include "measure/timing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stats.h"
#include "base/threads.h"
#include "measure/sample.h"

/* a round takes several samples while they fit in this time and in a third of the time cap */
static const double round_s = 2.5e-3;
static const double goal = 0.005; /* relative standard error of the median at which a row is finished */
enum { UNCLEAR = 4 };             /* factor on the caps of a row that has no valid time yet */
/* clocks drop when a device is idle for this long */
static const double idle_s = 0.1;

static bool is_launched(const struct device *d) { return kind_facts(d->backend->kind)->launched; }

/* SplitMix64: the order of rounds must be the same in each run. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void shuffle(int *v, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(next_random(state) % (uint64_t)(i + 1)), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

static int begin(struct timing *l, struct timed *t, char why[ERRLEN])
{
    t->begun = true;
    if (empties_get(l->device, l->empties, t, why))
        return FAIL;
    if (t->cache == WARM && is_launched(l->device) && host_core_choose(&l->empties->core, l->device, why))
        return FAIL;
    return sample_begin(l->device, t, why) ? FAIL : 0;
}

/* Takes one round of one row: up to ROUND_SAMPLES samples, then one of plain launches, and the clock after them. */
static int take_round(struct timing *l, struct timed *t, char why[ERRLEN])
{
    struct round_row *r = &t->round[t->rounds];
    const double begun_s = now_s(), enough_s = fmin(round_s, l->caps->time_s / ROUNDS_MIN);
    bool throttled = false;
    double clock_mhz = 0, plain_s;

    *r = (struct round_row){
        .number = t->rounds, .begun_s = date_s(), .alpha = t->alpha, .beta = t->beta, .t0_us = 1e6 * t->t0_s
    };
    if (sample_warm_up(l->device, t, why))
        return FAIL;
    do {
        double time_s;
        bool disturbed;
        if (sample_take(l->device, t, &time_s, &disturbed, why))
            return FAIL;
        r->sample_us[r->samples] = 1e6 * time_s;
        r->disturbed |= (int64_t)disturbed << r->samples;
        r->samples++;
    } while (r->samples < ROUND_SAMPLES
             && (now_s() - begun_s) * (double)(r->samples + 1) / (double)r->samples < enough_s);
    if (sample_stream(l->device, t, &l->empties->core, &plain_s, why))
        return FAIL;
    r->stream_us = 1e6 * plain_s;
    if (l->device->backend->clock(l->device, &clock_mhz, &throttled, why))
        return FAIL;
    r->clock_mhz = clock_mhz > 0 ? clock_mhz : (double)NAN;
    r->throttled = throttled;
    r->took_s = now_s() - begun_s;
    r->ended_s = date_s();
    t->rounds++;
    return 0;
}

/* Returns whether a row has reached its hard limit although it has no median above zero or too few undisturbed
 * rounds. */
static bool is_exhausted(const struct timed *t, const struct timing_caps *caps, double spent_s)
{
    if (t->rounds >= ROUNDS_MAX || t->rounds >= UNCLEAR * caps->rounds)
        return true;
    return t->rounds >= UNCLEAR * ROUNDS_MIN
           && spent_s >= UNCLEAR * fmax(caps->time_s, ROUNDS_MIN * spent_s / t->rounds);
}

static bool is_enough(const struct timing *l, const struct timed *t)
{
    const struct timing_caps *caps = l->caps;
    double sorted[SAMPLES_MAX], spent_s = 0;
    int rounds;

    if (t->rounds < ROUNDS_MIN)
        return false;
    for (int i = 0; i < t->rounds; i++)
        spent_s += t->round[i].took_s;
    const int n = timing_clean(t, sorted, &rounds);
    stats_sort(sorted, n);
    if (rounds < ROUNDS_MIN || !(stats_quantile(sorted, n, 0.5) > 0))
        return is_exhausted(t, caps, spent_s);
    if (rounds >= caps->rounds || t->rounds >= ROUNDS_MAX)
        return true;
    if (is_launched(l->device) && t->rounds < ROUNDS_PLAIN && timing_plain_scatters(t))
        return false;
    return spent_s >= caps->time_s || stats_median_error(sorted, n) < goal;
}

/* Ends a row. The failure of a row does not stop the others unless the device is lost. */
static int over(struct timing *l, struct timed *t, bool failed, char why[ERRLEN])
{
    t->finished = true;
    t->failed = failed;
    if (failed)
        snprintf(t->why, sizeof t->why, "%s", why);
    if (l->device->lost)
        return FAIL;
    sample_end(l->device, t);
    return l->ended ? l->ended(l->arg, t, why) : 0;
}

void timing_add(struct timing *l, struct timed *t)
{
    if (l->n == l->room) {
        l->room = 2 * l->room + 16;
        l->v = xrealloc(l->v, (unsigned long)l->room * sizeof(struct timed *));
    }
    l->v[l->n++] = t;
}

static int row_round(struct timing *l, struct timed *t, char why[ERRLEN])
{
    if (!t->begun) {
        if (begin(l, t, why))
            return over(l, t, true, why);
        /* The rounds of earlier runs may be enough; then only the final check of y is missing. */
        if (is_enough(l, t))
            return over(l, t, false, why);
    }
    if (take_round(l, t, why))
        return over(l, t, true, why);
    if (t->rounds == 1 && !t->retuned) {
        if (sample_retune(l->device, t, &t->retuned, why))
            return over(l, t, true, why);
        if (t->retuned) {
            t->rounds = 0;
            return 0;
        }
    }
    if (l->round_over)
        l->round_over(l->arg, t);
    return is_enough(l, t) ? over(l, t, false, why) : 0;
}

int timing_sweep(struct timing *l, enum cache cache, int *left, char why[ERRLEN])
{
    int *order = xmalloc((unsigned long)(l->n > 0 ? l->n : 1) * sizeof *order), n = 0, status = 0;
    double clock_mhz;

    if (!l->random)
        l->random = 1;
    for (int i = 0; i < l->n; i++)
        if (!l->v[i]->finished && l->v[i]->cache == cache)
            order[n++] = i;
    shuffle(order, n, &l->random);
    if (is_launched(l->device))
        threads_rest();
    if (n && now_s() - l->swept_s > idle_s && l->device->backend->spin_up(l->device, &clock_mhz, why))
        status = l->device->lost ? FAIL : 0;
    for (int i = 0; i < n && !status && !*l->stop; i++)
        if (!l->v[order[i]]->finished) /* a wrong y of another row may have ended it */
            status = row_round(l, l->v[order[i]], why);
    *left = 0;
    for (int i = 0; i < l->n; i++)
        *left += !l->v[i]->finished && l->v[i]->cache == cache;
    l->swept_s = now_s();
    free(order);
    return status;
}

int timing_run(struct timing *l, char why[ERRLEN])
{
    int status = 0;

    for (enum cache c = 0; c < NCACHES; c++)
        for (int left = l->n; left > 0 && !status && !*l->stop;)
            status = timing_sweep(l, c, &left, why);
    return status;
}

void timing_free(struct timing *l)
{
    for (int i = 0; i < l->n && !l->device->lost; i++)
        sample_end(l->device, l->v[i]);
    free(l->v);
    l->v = NULL;
    l->n = l->room = 0;
}
