/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the timing loop on a device whose clock is a formula, so that every result is known exactly: a sequence of n
 * launches takes OVERHEAD + n t, a plain launch t + PLAIN, a cold launch EVENT + its cold time, an empty kernel
 * PER_BLOCK per block of its grid. Prints "ok". */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/threads.h"
#include "measure/timing.h"

static const double OVERHEAD = 7e-6, PLAIN = 3e-6, HOST = 10e-6, EVENT = 5e-6, PER_BLOCK = 1e-9;

/* A kernel of the simulated device. noise: samples differ by up to this many percent, evenly on both sides. */
struct task {
    double time_s, cold_s;
    bool empty;
    int noise;
    double crowded_s; /* takes so much longer once the cache has been filled */
};
enum {
    ARRIVING = 20,
    BEFORE_ROUNDS = 2
}; /* launches after a move to another processor; samples before the first round */
struct sequence {
    const struct task *task;
    int count, runs;
};

static struct task empties[8];
static int nlaunches;
/* kernels take twice as long until the clock has been read `slow_looks` times */
static int nempties, looks, slow_looks;
/* other processes take half of the time of samples `taken_from` + 1 to `taken_to` */
static int sequences, taken_from, taken_to;
static bool taken_streams;         /* whether other processes also disturb plain launches */
static int streams_from = 1 << 30; /* they disturb samples of plain launches after so many */
static int streams, host_from,
    host_to; /* the host takes HOST longer for each launch of streams host_from + 1 to host_to */
static int rounds_cap = ROUNDS_MIN;
static double time_cap_s = 10;
static int cold_empties, taken_empties; /* number of cold empty kernels that are disturbed */

static bool crowded, no_memory;
static int slow_cpu = -1, slow_samples; /* from it empty kernels take HOST longer; samples of others that began there */
static int most_threads;                /* of this process while sequences are timed */

/* The clocks of the host, in place of those of libc: no limit of time ends a round on a busy machine. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    static long ns;

    (void)id;
    *t = (struct timespec){ .tv_sec = 2000000000, .tv_nsec = ns++ };
    return 0;
}

static double time_of(const struct task *w)
{
    return w->time_s * (!w->empty && looks < slow_looks ? 2 : 1) + (crowded ? w->crowded_s : 0);
}

static int crowd(struct device *d, char why[ERRLEN])
{
    (void)d, (void)why;
    crowded = !no_memory;
    return no_memory ? OOM : 0;
}

static int make_empty(struct device *d, struct grid g, struct launch *l, char why[ERRLEN])
{
    static struct task one_block = { 1e-9, 0, true, 0, 0 }; /* by which a processor is chosen */

    (void)d, (void)why;
    *l = (struct launch){ .prepared = &one_block };
    if (g.blocks == 1)
        return 0;
    if (nempties == (int)(sizeof empties / sizeof empties[0]))
        die("more empty kernels than grids");
    empties[nempties] = (struct task){ PER_BLOCK * (double)g.blocks, 0, true, 0, 0 };
    *l = (struct launch){ .prepared = &empties[nempties++] };
    return 0;
}

static int sequence(struct device *d, const struct launch *l, int count, struct sequence **out, char why[ERRLEN])
{
    (void)d, (void)why;
    *out = xcalloc(1, sizeof **out);
    **out = (struct sequence){ l->prepared, count, 0 };
    return 0;
}

static int threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;

    for (const struct dirent *e; tasks && (e = readdir(tasks));)
        n += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

/* The noise is in the launches after the first, so that it appears unchanged in T. */
static int sequence_time(struct device *d, struct sequence *s, double *time_s, char why[ERRLEN])
{
    const int part = s->runs++ * 7 % 5 - 2; /* -2 to 2, each once in five runs */

    (void)why;
    nlaunches += s->task->empty ? 0 : s->count;
    most_threads = threads_now() > most_threads ? threads_now() : most_threads;
    *time_s = OVERHEAD + time_of(s->task) * (s->count + (s->count - 1) * 0.01 * s->task->noise * part);
    d->disturbed_s = 0;
    if (!s->task->empty && ++sequences > taken_from && sequences <= taken_to) {
        *time_s *= 2;
        d->disturbed_s = *time_s / 2;
    }
    return 0;
}

static void sequence_free(struct device *d, struct sequence *s)
{
    (void)d;
    free(s);
}

static int stream_time(struct device *d, const struct launch *l, int count, double *time_s, char why[ERRLEN])
{
    const bool empty = ((const struct task *)l->prepared)->empty;

    (void)why;
    nlaunches += empty ? 0 : count;
    *time_s = (time_of(l->prepared) + PLAIN) * (taken_streams && !empty ? 1000 : 1);
    if (empty && sched_getcpu() == slow_cpu) /* a longer kernel hides it */
        *time_s = fmax(*time_s, PLAIN + HOST);
    slow_samples += !empty && sched_getcpu() == slow_cpu;
    if (!empty && count != ARRIVING && ++streams > host_from && streams <= host_to)
        *time_s += HOST;
    d->disturbed_s = !empty && (taken_streams || streams > streams_from) ? count * *time_s : 0;
    return 0;
}

/* Some runs of an empty kernel take longer; its shortest time counts. */
static int cold_time(struct device *d, const struct launch *l, double *time_s, char why[ERRLEN])
{
    static int runs;
    const struct task *w = l->prepared;

    (void)why;
    *time_s = EVENT + (w->empty ? 1e-6 * (runs++ % 3) : w->cold_s);
    d->disturbed_s = 0;
    if (w->empty && cold_empties++ < taken_empties) {
        *time_s += 8e-3;
        d->disturbed_s = 8e-3;
    }
    return 0;
}

static int spin_up(struct device *d, double *clock_mhz, char why[ERRLEN])
{
    (void)d, (void)why;
    *clock_mhz = 1500;
    return 0;
}

static int look_at_clock(struct device *d, double *clock_mhz, bool *throttled, char why[ERRLEN])
{
    (void)d, (void)why;
    *clock_mhz = 1500;
    *throttled = looks++ < slow_looks;
    return 0;
}

static const struct backend backend = { .kind = DEVICE_CUDA,
                                        .empty = make_empty,
                                        .sequence = sequence,
                                        .sequence_time = sequence_time,
                                        .sequence_free = sequence_free,
                                        .stream_time = stream_time,
                                        .crowd = crowd,
                                        .cold_time = cold_time,
                                        .spin_up = spin_up,
                                        .clock = look_at_clock };

static void near(const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)) && !(isnan(found) && isnan(expected)))
        die("%s: %.12g, expected %.12g", what, found, expected);
}

static int rounds_told, rows_ended;
static bool cold_begun;
static void round_over(void *arg, struct timed *t)
{
    (void)arg;
    rounds_told++;
    cold_begun |= t->cache == COLD;
    if (cold_begun && t->cache == WARM)
        die("a warm round after a cold one");
    if (t->round[t->rounds - 1].number != t->rounds - 1 || !(t->round[t->rounds - 1].ended_s > 1e9))
        die("a reported round is not the last one");
}

static int ended(void *arg, struct timed *t, char why[ERRLEN])
{
    (void)arg, (void)why;
    rows_ended += t->finished;
    return 0;
}

static const struct backend *used = &backend;

/* Times n rows; returns whether the first one is noisy. */
static bool run(struct timed *v, int n, struct run_row *rows)
{
    struct device d = { .backend = used };
    const struct timing_caps caps = { rounds_cap, time_cap_s };
    struct empties e = { 0 };
    volatile int stop = 0;
    struct timing timing = {
        .device = &d, .caps = &caps, .empties = &e, .stop = &stop, .round_over = round_over, .ended = ended, .random = 1
    };
    char why[ERRLEN];
    bool noisy = false;
    int rounds = 0, before = 0;

    nempties = looks = nlaunches = sequences = cold_empties = rounds_told = rows_ended = 0;
    cold_begun = crowded = false;
    for (int i = 0; i < n; i++) {
        before += v[i].rounds;
        timing_add(&timing, &v[i]);
    }
    if (timing_run(&timing, why))
        die("%s", why);
    for (int i = 0; i < n; i++) {
        run_row_blank(&rows[i]);
        const bool this = timing_fill(&v[i], &rows[i]);
        noisy = i ? noisy : this;
        rounds += v[i].rounds;
    }
    if (rows_ended != n || rounds_told != rounds - before)
        die("%d of %d rows ended, %d of %d rounds were reported", rows_ended, n, rounds_told, rounds - before);
    timing_free(&timing);
    empties_free(&e);
    return noisy;
}

/* With two grids, warm and cold, every time equals the formula, in us, and t0 is that of the row's grid. */
static void check_times(void)
{
    struct task fast = { 20e-6, 31e-6, false, 0, 0 }, slow = { 900e-6, 950e-6, false, 0, 0 };
    const struct launch launches[2] = { { .prepared = &fast }, { .prepared = &slow } };
    struct timed v[] = {
        { .launch = &launches[0], .grid = { 1000, 128 }, .cache = WARM },
        { .launch = &launches[0], .grid = { 1000, 128 }, .cache = COLD },
        { .launch = &launches[1], .grid = { 5000, 128 }, .cache = WARM },
        { .launch = &launches[1], .grid = { 5000, 128 }, .cache = COLD },
        { .launch = &launches[0], .grid = { 5000, 64 }, .cache = WARM },
    };
    struct run_row r[5];

    run(v, 5, r);
    if (nempties != 3)
        die("%d empty kernels were timed, of 3 grids", nempties);
    near("warm", r[0].time_us, 20);
    near("warm, longer", r[2].time_us, 900);
    near("empty kernel of 1000 blocks", r[0].t0_us, 1);
    near("empty kernel of 5000 blocks", r[2].t0_us, 5);
    near("empty kernel of 5000 blocks of 64", r[4].t0_us, 5);
    near("cold, its event's overhead taken off", r[1].time_us, 31 + 1);
    near("cold, longer", r[3].time_us, 950 + 5);
    near("in a stream", r[0].stream_us, 23);
    near("in a stream, cold", r[1].stream_us, (double)NAN);
    near("clock", r[3].clock_mhz, 1500);
    for (int i = 0; i < 5; i++) {
        near("median among the quantiles", (double)r[i].quantiles_us[4], (double)(float)r[i].time_us);
        if (r[i].samples != 15 || r[i].dropped != 0 || r[i].blocks != v[i].grid.blocks
            || r[i].threads != v[i].grid.threads)
            die("row %d: %" PRId64 " samples, %" PRId64 " dropped, %" PRId64 " blocks", i, r[i].samples, r[i].dropped,
                r[i].blocks);
        if (v[i].cache == COLD ? r[i].alpha || r[i].beta
                               : r[i].alpha < 1 || (double)(r[i].beta - r[i].alpha) * r[i].time_us < 500)
            die("row %d: sequences of %" PRId64 " and %" PRId64 " launches", i, r[i].alpha, r[i].beta);
    }
}

/* A row that is timed alone, on a device that has done nothing yet, has the time of one among many. */
static void check_alone(void)
{
    struct task task = { 20e-6, 31e-6, false, 0, 9e-6 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    struct run_row r;

    run(&v, 1, &r);
    near("alone", r.time_us, 29);
    near("alone, in a stream", r.stream_us, 32);
    no_memory = true;
    v = (struct timed){ .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    run(&v, 1, &r);
    near("without memory to fill the cache", r.time_us, 20);
    no_memory = false;
}

/* If the launch state changes while a process runs, which a second later shows, the empty kernels of later rows are timed again. */
static void check_states(void)
{
    struct device d = { .backend = &backend };
    struct empties e = { 0 };
    struct timed v[] = { { .grid = { 1000, 128 }, .cache = WARM }, { .grid = { 5000, 128 }, .cache = COLD } };
    char why[ERRLEN];

    nempties = 0;
    for (int state = 0; state < 4; state++) { /* changed at once, seen a second later; then the same state twice */
        if (state == 1)
            empties[0].time_s = empties[1].time_s = 8e-6;
        if (state >= 2)
            e.checked_s -= 2;
        if (state == 3)
            empties[1].time_s = 9e-6;
        for (int i = 0; i < 2; i++)
            if (empties_get(&d, &e, &v[i], why))
                die("%s", why);
        near("empty kernel", 1e6 * v[0].t0_s, state < 2 ? 1 : 8);
        near("empty kernel of the other grid", 1e6 * v[1].t0_s, state < 2 ? 5 : 8);
    }
    empties_free(&e);
}

/* The quantiles of scattered samples ascend, and the median is in the middle. */
static void check_noise(void)
{
    struct task noisy = { 50e-6, 0, false, 1, 0 };
    const struct launch launch = { .prepared = &noisy };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    struct run_row r;

    run(&v, 1, &r);
    near("median of noise", r.time_us, 50);
    near("least of noise", (double)r.quantiles_us[0], (double)(float)49);
    near("greatest of noise", (double)r.quantiles_us[QUANTILES - 1], (double)(float)51);
    for (int q = 1; q < QUANTILES; q++)
        if (r.quantiles_us[q] < r.quantiles_us[q - 1])
            die("quantile %d is %g, the one before %g", q, (double)r.quantiles_us[q], (double)r.quantiles_us[q - 1]);
}

/* Throttled samples are counted but not used. If all are throttled, they are used, and the row is noisy. */
static void check_throttled(void)
{
    struct task task = { 80e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM }, all = v;
    struct run_row r;

    slow_looks = 1;
    const bool once = run(&v, 1, &r);
    near("after a throttled round", r.time_us, 80);
    if (once || r.dropped != ROUND_SAMPLES || r.samples < ROUNDS_MIN || r.reason[0])
        die("%" PRId64 " samples dropped, %" PRId64 " kept: '%s'", r.dropped, r.samples, r.reason);
    slow_looks = 1000;
    const bool always = run(&all, 1, &r);
    near("throttled throughout", r.time_us, 160);
    if (!always || !strstr(r.reason, "throttled") || r.dropped != 0)
        die("a row that was throttled throughout does not say so: '%s'", r.reason);
    slow_looks = 0;
}

/* Disturbed samples do not count, and more rounds are measured instead. If no sample remains, the row is noisy. */
static void check_disturbed(void)
{
    struct task task = { 80e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM }, all = v;
    struct run_row r;

    taken_from = 10; /* the first sample after the sequences are chosen */
    taken_to = 45;
    if (run(&v, 1, &r) || r.reason[0])
        die("a row that was disturbed for a while is noisy: '%s'", r.reason);
    near("disturbed for a while", r.time_us, 80);
    near("its greatest sample", (double)r.quantiles_us[QUANTILES - 1], (double)(float)80);
    if (r.dropped < 10 || v.rounds <= 3)
        die("%" PRId64 " samples left out in %d rounds", r.dropped, v.rounds);
    taken_from = 0;
    taken_to = 1000000;
    if (!run(&all, 1, &r) || !strstr(r.reason, "other processes used the processors"))
        die("a row that was disturbed throughout is not noisy: '%s'", r.reason);
    if (!(r.time_us > 80) || all.rounds != 12)
        die("disturbed throughout: %g us, %d rounds", r.time_us, all.rounds);
    taken_from = taken_to = 0;
}

/* After disturbances before the rounds, plain launches have no time, sequences are chosen by undisturbed times, and
 * from cold times the overhead of undisturbed empty kernels is subtracted; without any of these the row is noisy. */
static void check_disturbed_before(void)
{
    struct task task = { 20e-6, 31e-6, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM }, cold = v, lost;
    struct run_row r;

    taken_streams = true;
    taken_to = 26; /* the last sample before the sequences are chosen */
    if (run(&v, 1, &r))
        die("noisy: '%s'", r.reason);
    near("plain launches that were disturbed", r.stream_us, (double)NAN);
    near("time behind them", r.time_us, 20);
    if ((double)(r.beta - r.alpha) * r.time_us < 500)
        die("sequences of %" PRId64 " and %" PRId64 " launches, chosen from disturbed times", r.alpha, r.beta);
    taken_streams = false;
    taken_to = 0;
    cold.cache = COLD;
    lost = cold;
    taken_empties = 20;
    if (run(&cold, 1, &r))
        die("noisy: '%s'", r.reason);
    near("cold, empty kernels disturbed for a while", r.time_us, 31 + 0.01);
    taken_empties = 1000000;
    if (!run(&lost, 1, &r) || !strstr(r.reason, "empty kernel"))
        die("a cold row without an undisturbed empty kernel is not noisy: '%s'", r.reason);
    taken_empties = 0;
}

/* Rows with scattered samples are noisy if the median is uncertain or some samples are not above zero. */
static void check_scatter(void)
{
    struct task wild = { 50e-6, 0, false, 40, 0 }, below = { 50e-6, 0, false, 60, 0 };
    const struct launch launch = { .prepared = &wild }, under = { .prepared = &below };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM },
                 w = { .launch = &under, .grid = { 10, 32 }, .cache = WARM };
    struct run_row r;

    if (!run(&v, 1, &r) || !strstr(r.reason, "samples scatter"))
        die("samples that scatter by 80 %% make no noisy row: '%s'", r.reason);
    if (!run(&w, 1, &r) || !strstr(r.reason, "noise exceeds the measured time"))
        die("samples below zero make no noisy row: '%s'", r.reason);
    for (int q = 0; q < QUANTILES; q++)
        if (r.quantiles_us[q] <= 0)
            die("quantile %d is %g", q, (double)r.quantiles_us[q]);
}

/* Where the host takes longer for a while, plain launches have their time of the other rounds; if for most of three rounds, more are
 * taken; if throughout, it is their time. */
static void check_host(void)
{
    static const struct {
        int from, to, rounds;
        double stream_us;
    } phases[] = { { 0, 3, 3, 23 }, { 2, 4, 4, 23 }, { 3, 5, 4, 23 }, { 0, 1000, 3, 33 } };
    struct task task = { 20e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };

    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
        struct run_row r;

        rounds_cap = 100;
        time_cap_s = i == 1 ? 0 : 10;
        streams = 0;
        host_from = phases[i].from;
        host_to = phases[i].to;
        run(&v, 1, &r);
        near("while the host takes longer", r.stream_us, phases[i].stream_us);
        near("in a graph", r.time_us, 20);
        if (v.rounds != phases[i].rounds)
            die("launches %d to %d of the host take longer: %d rounds", host_from, host_to, v.rounds);
    }
    host_to = 0;
    time_cap_s = 10;
    rounds_cap = ROUNDS_MIN;
}

/* Once a round has an undisturbed sample of plain launches, disturbed ones of other rounds are not repeated. */
static void check_taken(void)
{
    struct task task = { 20e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    struct run_row r;

    streams = 0;
    streams_from = BEFORE_ROUNDS + 1;
    run(&v, 1, &r);
    near("disturbed later", r.stream_us, 23);
    if (streams != BEFORE_ROUNDS + v.rounds)
        die("%d samples of plain launches in %d rounds", streams, v.rounds);
    streams_from = 1 << 30;
}

/* On a CPU no host launches, so only the first three rounds have a sample of plain launches. */
static void check_cpu(void)
{
    struct task task = { 20e-6, 0, false, 10, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    struct backend cpu = backend;
    struct run_row r;

    cpu.kind = DEVICE_CPU;
    used = &cpu;
    rounds_cap = 6;
    streams = 0;
    run(&v, 1, &r);
    near("on a CPU", r.stream_us, 23);
    if (v.rounds != 6 || streams != BEFORE_ROUNDS + ROUNDS_MIN)
        die("%d samples of plain launches in %d rounds on a CPU", streams, v.rounds);
    used = &backend;
    rounds_cap = ROUNDS_MIN;
}

/* Plain launches are timed from a processor that takes less for those of an empty kernel; afterwards the thread may run on all again. */
static void check_core(void)
{
    struct task task = { 20e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 1000000, 32 }, .cache = WARM };
    struct run_row r;
    cpu_set_t before, one, after;

    CPU_ZERO(&after);
    if (sched_getaffinity(0, sizeof before, &before) != 0 || CPU_COUNT(&before) < 2)
        return;
    for (int last = 0; last < 2; last++) {
        CPU_ZERO(&one);
        for (slow_cpu = last ? CPU_SETSIZE - 1 : 0; !CPU_ISSET((size_t)slow_cpu, &before); slow_cpu += last ? -1 : 1)
            ;
        CPU_SET((size_t)slow_cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_setaffinity(0, sizeof before, &before) != 0)
            return; /* now on the slow one */
        v = (struct timed){ .launch = &launch, .grid = { 1000000, 32 }, .cache = WARM };
        slow_samples = 0;
        run(&v, 1, &r);
        near("in a stream", r.stream_us, 23);
        if (slow_samples > BEFORE_ROUNDS || sched_getaffinity(0, sizeof after, &after) != 0
            || !CPU_EQUAL(&before, &after))
            die("%d samples from processor %d, which takes longest; then on %d of %d processors", slow_samples,
                slow_cpu, CPU_COUNT(&after), CPU_COUNT(&before));
    }
    slow_cpu = -1;
}

/* While kernels are timed, no thread of OpenMP waits beside the one that launches. */
static void check_rest(void)
{
    struct task task = { 20e-6, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM };
    struct run_row r;

    omp_set_num_threads(3);
    threads_wake();
    const int awake = threads_now();
    most_threads = 0;
    run(&v, 1, &r);
    if (awake != 3 || most_threads != 1)
        die("%d threads before, %d while kernels are timed", awake, most_threads);
}

/* The rounds of an earlier process count, with their sequences; only the missing ones are measured. */
static void check_resumed(void)
{
    struct task task = { 20e-6, 0, false, 1, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 10, 32 }, .cache = WARM }, again = v, whole = v;
    struct run_row r;

    run(&v, 1, &r);
    if (v.rounds != 3)
        die("%d rounds", v.rounds);
    again.rounds = 2;
    memcpy(again.round, v.round, 2 * sizeof v.round[0]);
    again.round[0].begun_s = 86400;
    again.round[1].beta = v.beta + 8;
    run(&again, 1, &r);
    if (again.rounds != 3 || rounds_told != 1 || again.beta != v.beta + 8
        || strcmp(r.first_sample, "1970-01-02T00:00:00Z") != 0)
        die("%d rounds, %d of them new, beta %" PRId64 ", begun %s", again.rounds, rounds_told, again.beta,
            r.first_sample);
    near("samples of both", (double)r.samples,
         (double)(v.round[0].samples + v.round[1].samples + again.round[2].samples));
    near("stream time of the earlier", r.stream_us, v.round[0].stream_us);
    whole.rounds = 3;
    memcpy(whole.round, v.round, 3 * sizeof v.round[0]);
    run(&whole, 1, &r);
    if (whole.rounds != 3 || rounds_told != 0)
        die("a row that had all its rounds got %d more", rounds_told);
}

/* A kernel of one second is launched twice in a stream, then in each round once and twice for the samples, no more. */
static void check_slow(void)
{
    struct task task = { 1, 0, false, 0, 0 };
    const struct launch launch = { .prepared = &task };
    struct timed v = { .launch = &launch, .grid = { 1, 32 }, .cache = WARM };
    struct run_row r;

    run(&v, 1, &r);
    near("slow", r.time_us, 1e6);
    near("slow, in a stream", r.stream_us, 1e6 + 3);
    if (r.alpha != 1 || r.beta != 2 || nlaunches != 2 + (int)r.samples * 3)
        die("%d launches for %" PRId64 " samples of %" PRId64 " and %" PRId64, nlaunches, r.samples, r.alpha, r.beta);
}

int main(void)
{
    error_program("run_timing");
    check_times();
    check_alone();
    check_states();
    check_noise();
    check_throttled();
    check_disturbed();
    check_disturbed_before();
    check_scatter();
    check_host();
    check_taken();
    check_cpu();
    check_core();
    check_rest();
    check_resumed();
    check_slow();
    puts("ok");
    return 0;
}
