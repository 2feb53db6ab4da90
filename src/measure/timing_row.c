/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the measured columns of a row from its samples, and whether it is noisy. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/stats.h"
#include "measure/timing.h"

/* The least time of plain launches is that of the kernel, not of chance, if another round has it within this. */
static const double PLAIN_SCATTER = 0.05;
static const double NOISE_ERROR_MAX = 0.2; /* relative standard error of the median above which a row is noisy */

/* Copies those samples of a round that count to sample_s; returns their number. */
static int round_clean(const struct round_row *r, double *sample_s)
{
    int n = 0;

    for (int k = 0; k < r->samples && !r->throttled; k++)
        if (!(r->disturbed >> k & 1))
            sample_s[n++] = 1e-6 * r->sample_us[k];
    return n;
}

int timing_clean(const struct timed *t, double sample_s[SAMPLES_MAX], int *rounds)
{
    int n = 0;

    *rounds = 0;
    for (int i = 0; i < t->rounds; i++) {
        const int some = round_clean(&t->round[i], sample_s + n);
        n += some;
        *rounds += some > 0;
    }
    return n;
}

static int all_samples(const struct timed *t, double sample_s[SAMPLES_MAX])
{
    int n = 0;

    for (int i = 0; i < t->rounds; i++)
        for (int k = 0; k < t->round[i].samples; k++)
            sample_s[n++] = 1e-6 * t->round[i].sample_us[k];
    return n;
}

static int throttled_rounds(const struct timed *t)
{
    int n = 0;

    for (int i = 0; i < t->rounds; i++)
        n += t->round[i].throttled != 0;
    return n;
}

/* (maximum - minimum) / median, of the medians of the rounds. */
static double spread_of(const struct timed *t)
{
    double median_s[ROUNDS_MAX], sample_s[ROUND_SAMPLES];
    int n = 0;

    for (int i = 0; i < t->rounds; i++) {
        const int some = round_clean(&t->round[i], sample_s);
        if (some)
            median_s[n++] = stats_median(sample_s, some);
    }
    stats_sort(median_s, n);
    return n ? (median_s[n - 1] - median_s[0]) / stats_quantile(median_s, n, 0.5) : (double)NAN;
}

/* Sorts the times of plain launches, in us, of the rounds that count: undisturbed, and not throttled unless all are. Returns their
 * number. */
static int plain_sorted(const struct timed *t, double us[ROUNDS_MAX])
{
    const bool all = throttled_rounds(t) == t->rounds;
    int n = 0;

    for (int i = 0; i < t->rounds; i++)
        if (!isnan(t->round[i].stream_us) && (all || !t->round[i].throttled))
            us[n++] = t->round[i].stream_us;
    stats_sort(us, n);
    return n;
}

bool timing_plain_scatters(const struct timed *t)
{
    double us[ROUNDS_MAX];
    const int n = plain_sorted(t, us);

    return n > 1 && us[1] > (1 + PLAIN_SCATTER) * us[0];
}

static double clock_of(const struct timed *t)
{
    double sum = 0;
    int n = 0;

    for (int i = 0; i < t->rounds; i++)
        if (t->round[i].clock_mhz > 0) {
            sum += t->round[i].clock_mhz;
            n++;
        }
    return n ? sum / n : (double)NAN;
}

/* Returns whether a row is noisy; why: the reason that a user can do most about. sorted: [n], the samples that
 * count. */
static bool is_noisy(const struct timed *t, const double *sorted, int n, int clean_rounds, char *why, size_t bytes)
{
    const double low_us = 1e6 * stats_quantile(sorted, n, 0.05), error = stats_median_error(sorted, n);
    const int throttled = throttled_rounds(t);

    if (clean_rounds < ROUNDS_MIN && throttled > t->rounds - ROUNDS_MIN)
        snprintf(why, bytes, "the device was throttled (power, heat or a hypervisor) in %d of %d rounds", throttled,
                 t->rounds);
    else if (clean_rounds < ROUNDS_MIN)
        snprintf(why, bytes, "other processes used the processors during %d of %d rounds", t->rounds - clean_rounds,
                 t->rounds);
    else if (t->empty_noisy)
        snprintf(why, bytes,
                 "other processes disturbed more than %d of %d measurements of the empty kernel, which is subtracted",
                 EMPTY_ATTEMPTS - EMPTY_FEW, EMPTY_ATTEMPTS);
    else if (!(low_us > 0))
        snprintf(why, bytes, "noise exceeds the measured time: 5 %% of the %d samples are below %.3g us", n, low_us);
    else if (error > NOISE_ERROR_MAX)
        snprintf(why, bytes, "samples scatter: the standard error of the median is %.0f %%", 100 * error);
    else
        return false;
    return true;
}

bool timing_fill(const struct timed *t, struct run_row *r)
{
    static const double q[QUANTILES] = { 0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1 };
    double sorted[SAMPLES_MAX], plain_us[ROUNDS_MAX];
    int rounds, taken = 0, n = timing_clean(t, sorted, &rounds);

    for (int i = 0; i < t->rounds; i++)
        taken += (int)t->round[i].samples;
    /* If everything was disturbed, use all samples and mark the row. */
    if (!n)
        n = all_samples(t, sorted);
    stats_sort(sorted, n);
    r->time_us = 1e6 * stats_quantile(sorted, n, 0.5);
    const int plain = plain_sorted(t, plain_us);
    r->stream_us = plain ? plain_us[0] : (double)NAN;
    r->t0_us = t->t0_s > 0 ? 1e6 * t->t0_s : (double)NAN;
    for (int i = 0; i < QUANTILES; i++) {
        const double time_s = stats_quantile(sorted, n, q[i]);
        r->quantiles_us[i] = time_s > 0 ? (float)(1e6 * time_s) : NAN;
    }
    r->round_spread = spread_of(t);
    r->samples = n;
    r->dropped = taken - n;
    r->clock_mhz = clock_of(t);
    r->alpha = t->alpha;
    r->beta = t->beta;
    r->blocks = t->grid.blocks;
    r->threads = t->grid.threads;
    if (t->rounds) {
        utc_text(t->round[0].begun_s, r->first_sample);
        utc_text(t->round[t->rounds - 1].ended_s, r->last_sample);
    }
    return is_noisy(t, sorted, n, rounds, r->reason, sizeof r->reason);
}
