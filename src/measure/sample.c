/* SPDX-License-Identifier: BSD-3-Clause */
/* Single samples (sample.h). */
#include "measure/sample.h"
#include <math.h>
#include "base/clock.h"

static const double difference_s = 500e-6; /* minimum difference between the times of beta and alpha runs */
/* if RUNS_FEW runs take less time than this, beta - alpha is at least RUNS_FEW, to average out noise */
static const double few_s = 10e-3;
/* launches longer than this are not affected by caches or overhead, so few runs are enough */
static const double slow_s = 50e-3;
/* plain launches longer than this never wait for the host, so those before the first round are enough */
static const double hidden_s = 1e-3;
static const double disturbed_share =
    0.01; /* a sample is disturbed if other processes took more than this fraction of its time */
/* A disturbed sample is repeated at most TRIES times and for this long. */
static const double tries_s = 50e-3;
enum { ALPHA = 1, RUNS_FEW = 4, RUNS_MAX = 4096, ARRIVING = 20, TRIES = 20 };

static const struct backend *of(const struct device *d) { return d->backend; }

bool sample_is_disturbed(const struct device *d, double time_s) { return d->disturbed_s > disturbed_share * time_s; }

static int warm_sample(struct device *d, const struct timed *t, double *time_s, bool *disturbed, char why[ERRLEN])
{
    double short_s, long_s, lost_s;

    if (of(d)->sequence_time(d, t->short_run, &short_s, why))
        return FAIL;
    lost_s = d->disturbed_s;
    if (of(d)->sequence_time(d, t->long_run, &long_s, why))
        return FAIL;
    lost_s += d->disturbed_s;
    *time_s = (long_s - short_s) / (double)(t->beta - t->alpha);
    *disturbed = lost_s > disturbed_share * (short_s + long_s);
    return 0;
}

static int cold_sample(struct device *d, const struct timed *t, double *time_s, bool *disturbed, char why[ERRLEN])
{
    if (of(d)->cold_time(d, t->launch, time_s, why))
        return FAIL;
    *disturbed = sample_is_disturbed(d, *time_s);
    *time_s += t->t0_s - t->empty_s;
    return 0;
}

int sample_take(struct device *d, const struct timed *t, double *time_s, bool *disturbed, char why[ERRLEN])
{
    return t->cache == COLD ? cold_sample(d, t, time_s, disturbed, why) : warm_sample(d, t, time_s, disturbed, why);
}

/* Runs of the row's own that follow find a cache that is full, as after other work, whatever was measured before. A matrix that leaves
 * no memory for it fills the cache itself. */
static int crowd(struct device *d, char why[ERRLEN])
{
    const int status = of(d)->crowd ? of(d)->crowd(d, why) : 0;

    return status == OOM ? 0 : status;
}

int sample_warm_up(struct device *d, const struct timed *t, char why[ERRLEN])
{
    double warmed_s;

    if (t->cache == COLD || t->stream_s > slow_s)
        return 0;
    return crowd(d, why) ? FAIL : of(d)->sequence_time(d, of(d)->crowd ? t->long_run : t->short_run, &warmed_s, why);
}

void sample_end(struct device *d, struct timed *t)
{
    if (t->short_run)
        of(d)->sequence_free(d, t->short_run);
    if (t->long_run)
        of(d)->sequence_free(d, t->long_run);
    t->short_run = t->long_run = NULL;
}

/* Returns beta - alpha for a kernel that takes time_s. */
static int64_t runs_for(double time_s)
{
    const double runs = ceil(1.1 * difference_s / fmax(time_s, 1e-8));
    const int64_t least = RUNS_FEW * time_s < few_s ? RUNS_FEW : 1;

    return runs > RUNS_MAX ? RUNS_MAX : runs < (double)least ? least : (int64_t)runs;
}

static int sequences_make(struct device *d, struct timed *t, int64_t runs, char why[ERRLEN])
{
    sample_end(d, t);
    t->alpha = ALPHA;
    t->beta = ALPHA + (runs > RUNS_MAX ? RUNS_MAX : runs);
    if (of(d)->sequence(d, t->launch, (int)t->alpha, &t->short_run, why)
        || of(d)->sequence(d, t->launch, (int)t->beta, &t->long_run, why))
        return FAIL;
    return 0;
}

/* Chooses beta: first from guess_s, the time of plain launches, which take longer than those of a graph, then from
 * the graph itself. */
static int warm_begin(struct device *d, struct timed *t, double guess_s, char why[ERRLEN])
{
    int64_t runs = runs_for(guess_s);
    bool disturbed;

    if (guess_s > slow_s)
        return sequences_make(d, t, runs, why);
    for (int attempt = 0; attempt < 3; attempt++) {
        double time_s;
        if (sequences_make(d, t, runs, why) || warm_sample(d, t, &time_s, &disturbed, why))
            return FAIL;
        const double begun_s = now_s();
        disturbed = true;
        for (int i = 0; i == 0 || (disturbed && i < TRIES && now_s() - begun_s < tries_s); i++)
            if (warm_sample(d, t, &time_s, &disturbed, why))
                return FAIL;
        runs = t->beta - t->alpha;
        if (time_s * (double)runs >= difference_s || runs == RUNS_MAX)
            break;
        runs = time_s > 0 ? runs_for(time_s) : 4 * runs;
    }
    return 0;
}

/* Times `count` plain launches, at most `tries` times. *time_s: an undisturbed sample per launch, or NaN; *least_s: the
 * shortest of all samples, from which counts are chosen. */
static int stream_sample(struct device *d, const struct timed *t, int count, int tries, double *time_s, double *least_s,
                         char why[ERRLEN])
{
    const double begun_s = now_s();

    *time_s = NAN;
    *least_s = INFINITY;
    for (int i = 0; i == 0 || (isnan(*time_s) && i < tries && now_s() - begun_s < tries_s); i++) {
        double taken_s;
        if (of(d)->stream_time(d, t->launch, count, &taken_s, why))
            return FAIL;
        *least_s = fmin(*least_s, taken_s);
        if (!sample_is_disturbed(d, count * taken_s))
            *time_s = taken_s;
    }
    return 0;
}

/* Returns the number of plain launches of time_s that take difference_s. */
static int plain_for(double time_s)
{
    const double runs = ceil(difference_s / fmax(time_s, 1e-8));

    return runs > RUNS_MAX ? RUNS_MAX : runs < 2 ? 2 : (int)runs;
}

/* Times plain back-to-back launches for at least difference_s. Sets t->stream_s (NaN if all samples were disturbed)
 * and *guess_s, the shortest time per launch. */
static int stream_begin(struct device *d, struct timed *t, double *guess_s, char why[ERRLEN])
{
    double least_s;

    if (stream_sample(d, t, 2, TRIES, &t->stream_s, guess_s, why))
        return FAIL;
    if (*guess_s > slow_s)
        return 0;
    if (stream_sample(d, t, plain_for(*guess_s), TRIES, &t->stream_s, &least_s, why))
        return FAIL;
    *guess_s = fmin(*guess_s, least_s);
    t->plain = plain_for(*guess_s);
    return 0;
}

/* Returns whether a round has an undisturbed sample of plain launches. */
static bool plain_known(const struct timed *t)
{
    for (int i = 0; i < t->rounds; i++)
        if (!isnan(t->round[i].stream_us))
            return true;
    return false;
}

int sample_stream(struct device *d, const struct timed *t, const struct host_core *core, double *time_s,
                  char why[ERRLEN])
{
    cpu_set_t before;
    double least_s;
    int status = 0;

    *time_s = (double)NAN;
    if (!kind_facts(of(d)->kind)->launched && t->rounds >= ROUNDS_MIN && plain_known(t))
        return 0; /* no host launches the kernels of a CPU: three rounds are enough */
    *time_s = t->stream_s;
    if (t->cache == COLD || t->plain == 0 || t->stream_s > hidden_s)
        return 0;
    /* The first launches from another processor take longer. */
    if (host_core_enter(core, &before))
        status = of(d)->stream_time(d, t->launch, t->plain < ARRIVING ? t->plain : ARRIVING, time_s, why);
    if (status == 0)
        status = stream_sample(d, t, t->plain, plain_known(t) ? 1 : TRIES, time_s, &least_s, why);
    host_core_leave(&before);
    return status;
}

int sample_retune(struct device *d, struct timed *t, bool *retuned, char why[ERRLEN])
{
    const struct round_row *r = &t->round[0];
    double least_s = INFINITY;

    *retuned = false;
    for (int i = 0; i < r->samples; i++)
        if (!(r->disturbed >> i & 1) && r->sample_us[i] > 0)
            least_s = fmin(least_s, 1e-6 * r->sample_us[i]);
    const double runs = (double)(t->beta - t->alpha);
    if (t->cache == COLD || isinf(least_s) || runs >= RUNS_MAX || least_s * runs >= difference_s / 4)
        return 0;
    *retuned = true;
    return sequences_make(d, t, runs_for(least_s), why);
}

int sample_begin(struct device *d, struct timed *t, char why[ERRLEN])
{
    const struct round_row *last = t->rounds ? &t->round[t->rounds - 1] : NULL;

    t->stream_s = last ? 1e-6 * last->stream_us : (double)NAN;
    if (t->cache == COLD)
        return 0;
    if (last && last->beta > last->alpha) {
        t->plain = plain_for(1e-6 * (last->stream_us > 0 ? last->stream_us : last->sample_us[0]));
        return sequences_make(d, t, last->beta - last->alpha, why);
    }
    double guess_s;
    return crowd(d, why) || stream_begin(d, t, &guess_s, why) || warm_begin(d, t, guess_s, why) ? FAIL : 0;
}
