/* SPDX-License-Identifier: BSD-3-Clause */
/* The one timing loop. */
#include "measure/timing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stats.h"

static const double difference_s = 500e-6; /* between beta and alpha runs, at least */
/* a round takes more than one sample of what is shorter (within a third of the row's cap) */
static const double round_s = 2.5e-3;
static const double goal = 0.005; /* relative standard error of the median */
/* runs so short are taken RUNS_FEW at a time at least: noise is shared out */
static const double few_s = 10e-3;
enum { UNCLEAR = 4 }; /* times the cap's rounds for a row of which no time can be told yet */
/* launches that take longer see neither caches nor overhead: as few as will do */
static const double slow_s = 50e-3;
enum { ALPHA = 1, RUNS_FEW = 4, RUNS_MAX = 4096, EMPTY_SAMPLES = 9, STREAM_SAMPLES = 3 };

static const struct backend *of(const struct device *d) { return d->backend; }

/* SplitMix64: the order of rounds is the same on each run. */
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

/* ---- one row */
static int warm_sample(struct device *d, const struct timed *t, double *time_s, char why[ERRLEN])
{
    double short_s, long_s;

    if (of(d)->sequence_time(d, t->short_run, &short_s, why) || of(d)->sequence_time(d, t->long_run, &long_s, why))
        return FAIL;
    *time_s = (long_s - short_s) / (double)(t->beta - t->alpha);
    return 0;
}

static int cold_sample(struct device *d, const struct timed *t, double *time_s, char why[ERRLEN])
{
    if (of(d)->cold_time(d, t->launch, time_s, why))
        return FAIL;
    *time_s += t->t0_s - t->empty_s;
    return 0;
}

static void sequences_free(struct device *d, struct timed *t)
{
    if (t->short_run)
        of(d)->sequence_free(d, t->short_run);
    if (t->long_run)
        of(d)->sequence_free(d, t->long_run);
    t->short_run = t->long_run = NULL;
}

/* Runs between alpha and beta for a kernel of that time. */
static int64_t runs_for(double time_s)
{
    const double runs = ceil(1.1 * difference_s / fmax(time_s, 1e-8));
    const int64_t least = RUNS_FEW * time_s < few_s ? RUNS_FEW : 1;

    return runs > RUNS_MAX ? RUNS_MAX : runs < (double)least ? least : (int64_t)runs;
}

static int sequences_make(struct device *d, struct timed *t, int64_t runs, char why[ERRLEN])
{
    sequences_free(d, t);
    t->alpha = ALPHA;
    t->beta = ALPHA + (runs > RUNS_MAX ? RUNS_MAX : runs);
    if (of(d)->sequence(d, t->launch, (int)t->alpha, &t->short_run, why)
        || of(d)->sequence(d, t->launch, (int)t->beta, &t->long_run, why))
        return FAIL;
    return 0;
}

/* Chooses beta. The first guess comes from plain launches, which take longer than a graph's: the second from the graph
 * itself. */
static int warm_begin(struct device *d, struct timed *t, double guess_s, char why[ERRLEN])
{
    int64_t runs = runs_for(guess_s);

    if (guess_s > slow_s)
        return sequences_make(d, t, runs, why);
    for (int attempt = 0; attempt < 3; attempt++) {
        double time_s;
        if (sequences_make(d, t, runs, why) || warm_sample(d, t, &time_s, why) || warm_sample(d, t, &time_s, why))
            return FAIL;
        runs = t->beta - t->alpha;
        if (time_s * (double)runs >= difference_s || runs == RUNS_MAX)
            break;
        runs = time_s > 0 ? runs_for(time_s) : 4 * runs;
    }
    return 0;
}

/* Plain back-to-back launches over at least the same difference. */
static int stream_begin(struct device *d, struct timed *t, char why[ERRLEN])
{
    double sample_s[STREAM_SAMPLES], guess_s;

    if (of(d)->stream_time(d, t->launch, 2, &guess_s, why))
        return FAIL;
    t->stream_s = guess_s;
    if (guess_s > slow_s)
        return 0;
    const double runs = ceil(difference_s / fmax(guess_s, 1e-8));
    const int count = runs > RUNS_MAX ? RUNS_MAX : runs < 2 ? 2 : (int)runs;
    for (int i = 0; i < STREAM_SAMPLES; i++)
        if (of(d)->stream_time(d, t->launch, count, &sample_s[i], why))
            return FAIL;
    t->stream_s = stats_median(sample_s, STREAM_SAMPLES);
    return 0;
}

/* ---- the empty kernel */
void empties_free(struct empties *e)
{
    free(e->v);
    *e = (struct empties){ 0 };
}

static int empty_warm(struct device *d, struct empty *e, char why[ERRLEN])
{
    struct timed t = { .launch = &e->launch };
    double sample_s[EMPTY_SAMPLES];

    int status =
        of(d)->empty(d, e->grid, &e->launch, why) || stream_begin(d, &t, why) || warm_begin(d, &t, t.stream_s, why)
            ? FAIL
            : 0;
    for (int i = 0; i < EMPTY_SAMPLES && !status; i++)
        status = warm_sample(d, &t, &sample_s[i], why);
    sequences_free(d, &t);
    if (!status)
        e->warm_s = stats_median(sample_s, EMPTY_SAMPLES);
    return status;
}

/* The least of them: what is taken off every cold time must be overhead for certain, not a moment's noise. */
static int empty_cold(struct device *d, struct empty *e, char why[ERRLEN])
{
    double least_s = INFINITY, sample_s;

    for (int i = 0; i < EMPTY_SAMPLES; i++) {
        if (of(d)->cold_time(d, &e->launch, &sample_s, why))
            return FAIL;
        least_s = fmin(least_s, sample_s);
    }
    e->cold_s = least_s;
    return 0;
}

static int empties_get(struct device *d, struct empties *e, struct timed *t, char why[ERRLEN])
{
    int i = 0;

    while (i < e->n && (e->v[i].grid.blocks != t->grid.blocks || e->v[i].grid.threads != t->grid.threads))
        i++;
    if (i == e->n) {
        e->v = xrealloc(e->v, (unsigned long)(e->n + 1) * sizeof *e->v);
        e->v[i] = (struct empty){ .grid = t->grid, .cold_s = NAN };
        if (empty_warm(d, &e->v[i], why))
            return FAIL;
        e->n++;
    }
    if (t->cache == COLD && isnan(e->v[i].cold_s) && empty_cold(d, &e->v[i], why))
        return FAIL;
    t->t0_s = e->v[i].warm_s;
    t->empty_s = e->v[i].cold_s;
    return 0;
}

/* ---- the loop */
static int begin(struct device *d, struct timed *t, struct empties *e, char why[ERRLEN])
{
    t->stream_s = NAN;
    if (empties_get(d, e, t, why))
        return FAIL;
    if (t->cache == COLD)
        return 0;
    return stream_begin(d, t, why) || warm_begin(d, t, t->stream_s, why) ? FAIL : 0;
}

/* One round of one row: samples, and the clock they were taken at. Throttled ones are kept apart. */
static int take_round(struct device *d, struct timed *t, const struct timing_caps *caps, char why[ERRLEN])
{
    int (*const sample)(struct device *, const struct timed *, double *, char *) =
        t->cache == COLD ? cold_sample : warm_sample;
    double taken_s[ROUND_SAMPLES], clock_mhz = 0, warmed_s;
    const double begun_s = now_s();
    bool throttled = false;
    int n = 0;

    /* Others ran since: without this, the caches would be theirs for the shorter sequence and ours for the longer. */
    if (t->cache == WARM && !(t->stream_s > slow_s) && of(d)->sequence_time(d, t->short_run, &warmed_s, why))
        return FAIL;
    do {
        if (sample(d, t, &taken_s[n++], why))
            return FAIL;
    } while (n < ROUND_SAMPLES && (now_s() - begun_s) * (n + 1) / n < fmin(round_s, caps->time_s / ROUNDS_MIN));
    if (of(d)->clock(d, &clock_mhz, &throttled, why))
        return FAIL;
    if (clock_mhz > 0) {
        t->clock_mhz_sum += clock_mhz;
        t->clocks++;
    }
    if (throttled) {
        memcpy(t->dropped_s + t->ndropped, taken_s, (size_t)n * sizeof *taken_s);
        t->ndropped += n;
    } else {
        memcpy(t->sample_s + t->n, taken_s, (size_t)n * sizeof *taken_s);
        t->n += n;
    }
    t->round_s[t->rounds++] = stats_median(taken_s, n);
    t->spent_s += now_s() - begun_s;
    return 0;
}

static bool is_enough(const struct timed *t, const struct timing_caps *caps)
{
    double sorted[ROUNDS_MAX * ROUND_SAMPLES];

    if (t->rounds < ROUNDS_MIN)
        return false;
    memcpy(sorted, t->sample_s, (size_t)t->n * sizeof *sorted);
    stats_sort(sorted, t->n);
    /* A machine that is busy just now makes the shorter sequence take longer. */
    if (t->n > 0 && !(stats_quantile(sorted, t->n, 0.5) > 0))
        return t->rounds >= ROUNDS_MAX || t->rounds >= UNCLEAR * caps->rounds;
    if (t->rounds >= caps->rounds || t->spent_s >= caps->time_s)
        return true;
    return t->n >= ROUNDS_MIN && stats_median_error(sorted, t->n) < goal;
}

/* What one row could not do does not stop the others, unless the device is gone. */
static int failed(struct device *d, struct timed *t, const char *why)
{
    t->failed = t->finished = true;
    snprintf(t->why, sizeof t->why, "%s", why);
    return d->lost ? FAIL : 0;
}

int timing_run(struct device *d, struct timed *v, int n, const struct timing_caps *caps, struct empties *e,
               const volatile int *stop, char why[ERRLEN])
{
    int *order = xmalloc((unsigned long)(n > 0 ? n : 1) * sizeof *order), status = 0;
    uint64_t random = 1;
    double clock_mhz;
    int left = n;

    if (of(d)->spin_up(d, &clock_mhz, why))
        status = d->lost ? FAIL : 0;
    for (int i = 0; i < n && !status && !*stop; i++)
        if (begin(d, &v[i], e, why))
            status = failed(d, &v[i], why);
    for (int round = 0; left > 0 && !status && !*stop; round++) {
        left = 0;
        for (int i = 0; i < n; i++)
            if (!v[i].finished)
                order[left++] = i;
        shuffle(order, left, &random);
        for (int i = 0; i < left && !status; i++) {
            struct timed *t = &v[order[i]];
            if (take_round(d, t, caps, why))
                status = failed(d, t, why);
            else
                t->finished = is_enough(t, caps);
        }
    }
    for (int i = 0; i < n; i++)
        sequences_free(d, &v[i]);
    free(order);
    return status;
}

/* ---- the row */
void timing_fill(const struct timed *t, struct run_row *r)
{
    static const double q[QUANTILES] = { 0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1 };
    double sorted[ROUNDS_MAX * ROUND_SAMPLES], rounds[ROUNDS_MAX];
    /* A device that is throttled all the time is measured as it is, and the row says so. */
    const bool all_dropped = t->n < ROUNDS_MIN;
    const double *sample = all_dropped ? t->dropped_s : t->sample_s;
    const int n = all_dropped ? t->ndropped : t->n;

    memcpy(sorted, sample, (size_t)n * sizeof *sorted);
    memcpy(rounds, t->round_s, (size_t)t->rounds * sizeof *rounds);
    stats_sort(sorted, n);
    stats_sort(rounds, t->rounds);
    r->time_us = 1e6 * stats_quantile(sorted, n, 0.5);
    r->stream_us = 1e6 * t->stream_s;
    r->t0_us = 1e6 * t->t0_s;
    for (int i = 0; i < QUANTILES; i++)
        r->quantiles_us[i] = (float)(1e6 * stats_quantile(sorted, n, q[i]));
    r->round_spread = (rounds[t->rounds - 1] - rounds[0]) / stats_quantile(rounds, t->rounds, 0.5);
    r->samples = n;
    r->dropped = all_dropped ? t->n : t->ndropped;
    r->clock_mhz = t->clocks ? t->clock_mhz_sum / t->clocks : (double)NAN;
    r->alpha = t->alpha;
    r->beta = t->beta;
    r->blocks = t->grid.blocks;
    r->threads = t->grid.threads;
    if (all_dropped)
        snprintf(r->reason, sizeof r->reason, "the device was throttled in all %d samples", n);
}
