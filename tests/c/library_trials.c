/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of matrix handles on the CPU device, in the caller's products and at creation:
 *     library_trials products PROFILE | updates PROFILE | limits PROFILE | memory | deterministic PROFILE | creation | threads
 * PROFILE has learned forecasts of this machine's CPU; the others have none. */
#include <malloc.h>
#include <pthread.h>
#include "library_products.h"

enum { ENOUGH = 80 }; /* products after which trials of 40 products are over */
static const int kinds[] = { MADE_STENCIL, MADE_BANDED, MADE_RANDOM, MADE_POWER };
enum { NKINDS = sizeof kinds / sizeof *kinds };

static spmvcast_matrix_options in_products(void)
{
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    o.trial_when = SPMVCAST_TRIAL_IN_PRODUCTS;
    o.trial_products = 40;
    o.products = SPMVCAST_UNLIMITED;
    return o;
}

static spmvcast_matrix *create(const struct problem *q, const spmvcast_matrix_options *o)
{
    struct arrays v = arrays_of(q, o->precision, FORM_BASE);
    spmvcast_matrix_options copy = *o;
    spmvcast_matrix *m;
    copy.copy = 1;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &copy, &m), q->a.name);
    arrays_free(&v);
    return m;
}

/* Products with several factors, each of which is checked. */
static void multiply(const struct problem *q, spmvcast_matrix *m, spmvcast_precision p, int n)
{
    static const double factors[][2] = { { 1, 0 }, { 1, 1 }, { 2.5, -1 }, { -1, 0 }, { 0, 2 }, { 1, 0 }, { 1, -0.5 } };
    for (int i = 0; i < n; i++)
        check_product(q, m, p, factors[i % 7][0], factors[i % 7][1], "in a trial");
}

static spmvcast_trial trial_of(const spmvcast_matrix *m, size_t i)
{
    spmvcast_trial t = SPMVCAST_TRIAL_INIT;
    must(NULL, spmvcast_matrix_get_trial(m, i, &t), "trial");
    return t;
}

static size_t count(const spmvcast_matrix *m)
{
    spmvcast_trial t = SPMVCAST_TRIAL_INIT;
    size_t n = 0;
    while (spmvcast_matrix_get_trial(m, n, &t) == SPMVCAST_OK)
        n++;
    expect(spmvcast_matrix_get_trial(m, n, &t) == SPMVCAST_NO_ENTRY, "trials", "end");
    return n;
}

/* The fastest candidate is what the info tells of. Returns how many were timed. */
static int check_fastest(const spmvcast_matrix *m, const char *what)
{
    const spmvcast_matrix_info info = info_of(m);
    const size_t n = count(m);
    double setup_s = 0;
    int timed = 0, found = 0;
    for (size_t i = 0; i < n; i++) {
        const spmvcast_trial t = trial_of(m, i);
        expect(*t.config && (t.products > 0) == (t.time_s > 0), t.config, "has a time if it was timed");
        expect(t.products == 0 || (t.time_s >= info.trial_s && t.setup_s >= 0), t.config,
               "is not faster than what stayed");
        expect(info.trying || (t.products > 0) != (t.reason != NULL), t.config, "was timed, or there is a reason");
        timed += t.products > 0;
        setup_s += t.setup_s > 0 ? t.setup_s : 0;
        if (strcmp(t.config, info.config) == 0) {
            expect(fabs(t.time_s - info.trial_s) <= 0 && t.extra_bytes == info.extra_bytes, info.config, "its facts");
            setup_s -= t.setup_s;
            found++;
        }
    }
    expect(found == 1, what, "one candidate stayed");
    expect(info.try_s >= 0.99 * setup_s, what, "the time of trials has the conversions of the others");
    return timed;
}

/* ---- products ---- */
static int switched, converted;

static void check_trials(const struct problem *q, spmvcast_precision p, int forecasts)
{
    spmvcast_matrix_options o = in_products();
    o.precision = p;
    spmvcast_matrix *m = create(q, &o);
    const spmvcast_matrix_info first = info_of(m);
    if (first.trying) {
        expect(strncmp(first.config, "csr", 3) == 0 && first.extra_bytes == 0, q->a.name, "CSR serves first");
        expect(!first.deterministic && isnan(first.trial_s) && first.choice != SPMVCAST_BY_TRIAL, q->a.name,
               "at first");
        expect(count(m) >= 2 && strcmp(trial_of(m, 0).config, first.config) == 0, q->a.name, "candidates");
        for (int i = 0; i < ENOUGH && info_of(m).trying; i++)
            multiply(q, m, p, 1);
        const spmvcast_matrix_info last = info_of(m);
        expect(!last.trying, q->a.name, "the trials are over");
        const int timed = check_fastest(m, q->a.name);
        expect(timed == (int)count(m) && last.choice == SPMVCAST_BY_TRIAL, q->a.name, "all were timed");
        expect(last.convert_s + last.prepare_s > 0 && (last.time_s > 0 || !forecasts || !last.extra_bytes), q->a.name,
               "costs");
        switched += strcmp(last.config, first.config) != 0;
        converted += last.extra_bytes > 0;
        multiply(q, m, p, 10);
        expect(strcmp(info_of(m).config, last.config) == 0, last.config, "stays");
    } else {
        expect(count(m) == 0, q->a.name, "no trial");
    }
    multiply(q, m, p, 10);
    spmvcast_matrix_free(m);
}

static void products(void)
{
    for (int forecasts = 0; forecasts < 2; forecasts++) {
        for (int kind = 0; kind < NKINDS; kind++)
            for (int p = 0; p < 2; p++) {
                struct problem q = problem_make(kinds[kind]);
                check_trials(&q, (spmvcast_precision)p, forecasts);
                problem_free(&q);
            }
        device = (spmvcast_device_free(device), device_of(context, arguments[0]));
        expect(forecasts || switched > 0, "without forecasts", "dia or ell stay sometimes");
    }
    expect(converted > 0, "trials", "convert");
}

/* ---- new values while trials go on ---- */
static int kept; /* matrices that were converted, after an update */

static void check_updates(int kind, int every)
{
    struct problem q = problem_make(kind);
    spmvcast_matrix_options o = in_products();
    o.updates = 1;
    spmvcast_matrix *m = create(&q, &o);
    for (int i = 0; i < ENOUGH; i++) {
        check_product(&q, m, SPMVCAST_F64, 1, 0, "between updates");
        if (i % every < every - 1)
            continue;
        problem_values(&q, i);
        must(context, spmvcast_update_values(context, m, q.val), "update");
    }
    expect(!info_of(m).trying, q.a.name, "trials go on after updates");
    multiply(&q, m, SPMVCAST_F64, 7);
    /* also what stayed after trials */
    const spmvcast_matrix_info before = info_of(m);
    problem_values(&q, 1);
    must(context, spmvcast_update_values(context, m, q.val), "update");
    expect(info_of(m).extra_bytes == before.extra_bytes, before.config, "the same format");
    kept += before.extra_bytes > 0;
    multiply(&q, m, SPMVCAST_F64, 7);
    spmvcast_matrix_free(m);
    problem_free(&q);
}

/* An update that runs out of memory ends the trials, and the next one makes the matrix ready. */
static void check_failed_update(int after)
{
    struct problem q = problem_make(MADE_BANDED);
    spmvcast_matrix_options o = in_products();
    o.updates = 1;
    spmvcast_matrix *m = create(&q, &o);
    spmvcast_context *little = context_of(100);
    multiply(&q, m, SPMVCAST_F64, after);
    problem_values(&q, 1);
    expect(spmvcast_update_values(little, m, q.val) == SPMVCAST_OUT_OF_MEMORY, "update", "no memory");
    expect(spmvcast_multiply(m, 1, q.x, 0, q.val, NULL) != SPMVCAST_OK, "update", "no product after a failed one");
    must(context, spmvcast_update_values(context, m, q.val), "update");
    multiply(&q, m, SPMVCAST_F64, 20);
    expect(!info_of(m).trying, "update", "the trials are over");
    spmvcast_matrix_free(m);
    spmvcast_context_free(little);
    problem_free(&q);
}

static void updates(void)
{
    for (int forecasts = 0; forecasts < 2; forecasts++) {
        for (int every = 1; every < 12; every += 2)
            check_updates(kinds[every % 4 < 2 ? MADE_STENCIL : MADE_BANDED], every);
        for (int after = 0; after < 40; after += 5)
            check_failed_update(after);
        expect(kept > 0, "updates", "of converted matrices");
        device = (spmvcast_device_free(device), device_of(context, arguments[0]));
    }
}

/* ---- what limits trials ---- */
static void check_limit(const struct problem *q, const spmvcast_matrix_options *o, const char *reason)
{
    spmvcast_matrix *m = create(q, o);
    expect(info_of(m).trying, reason, "trials begin");
    for (int i = 0; i < o->products; i++) /* which leave none; they are not timed, since no kernel runs */
        check_product(q, m, o->precision, 0, 2, reason);
    multiply(q, m, o->precision, ENOUGH);
    const spmvcast_matrix_info info = info_of(m);
    expect(!info.trying && info.extra_bytes == 0 && check_fastest(m, reason) == 1, reason, "nothing was converted");
    expect(info.choice != SPMVCAST_BY_TRIAL && info.trial_s > 0, reason, "no choice between several");
    for (size_t i = 1; i < count(m); i++) {
        const spmvcast_trial t = trial_of(m, i);
        expect(t.reason && strstr(t.reason, reason) && isnan(t.setup_s), reason, t.reason ? t.reason : "no reason");
    }
    multiply(q, m, o->precision, 5);
    spmvcast_matrix_free(m);
}

static void limits(void)
{
    struct problem q = problem_make(MADE_STENCIL), random = problem_make(MADE_RANDOM);
    spmvcast_matrix_options o = in_products();
    o.memory_limit = SPMVCAST_CSR_ONLY;
    check_limit(&q, &o, "memory_limit, 0");
    o = in_products();
    o.products = o.trial_products + 1;
    check_limit(&q, &o, "0 products left");
    /* too few for a trial of two */
    o = in_products();
    o.trial_products = 5;
    spmvcast_matrix *m = create(&q, &o);
    expect(!info_of(m).trying && count(m) == 0, "5 products", "no trial");
    spmvcast_matrix_free(m);
    /* with forecasts */
    device = (spmvcast_device_free(device), device_of(context, arguments[0]));
    o = in_products();
    o.memory_limit = SPMVCAST_CSR_ONLY;
    m = create(&random, &o);
    multiply(&random, m, SPMVCAST_F64, ENOUGH);
    expect(!info_of(m).trying && info_of(m).extra_bytes == 0, "forecasts", "no extra memory");
    spmvcast_matrix_free(m);
    problem_free(&q);
    problem_free(&random);
}

/* ---- memory ---- */
static size_t allocated(void)
{
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

/* Bytes by which the caches of the C library may differ, and those of the facts about trials. */
enum { LEAK = 4096, FACTS = 16384 };

/* Returns the bytes that a matrix holds after some products. */
static size_t held(const struct problem *q, const spmvcast_matrix_options *o, int n, char config[500])
{
    const size_t before = allocated();
    spmvcast_matrix *m = create(q, o);
    multiply(q, m, o->precision, n);
    const size_t after = allocated();
    snprintf(config, 500, "%s", info_of(m).config);
    spmvcast_matrix_free(m);
    expect(allocated() <= before + LEAK, config, "nothing leaks");
    return after - before;
}

/* Limits from that of creation on: a trial that runs out of memory ends quietly. Returns how many did. */
static int exhaust(const struct problem *q)
{
    spmvcast_matrix_options o = in_products();
    struct arrays v = arrays_of(q, SPMVCAST_F64, 0);
    spmvcast_matrix *m;
    int ended = 0;
    o.copy = 1;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
    spmvcast_matrix_free(m);
    const size_t least = spmvcast_memory_used(context), before = allocated();
    for (size_t more = 0; more < 2 * least; more += least / 16) {
        spmvcast_context *c = context_of(least + more);
        must(c, spmvcast_matrix_create(c, device, &v.csr, &o, &m), "create");
        spmvcast_context_free(c);
        multiply(q, m, SPMVCAST_F64, ENOUGH);
        expect(!info_of(m).trying && !*spmvcast_matrix_message(m), "memory", "the trials are over, quietly");
        const spmvcast_trial t = trial_of(m, 1);
        ended += t.reason && strstr(t.reason, "out of memory");
        check_fastest(m, "memory");
        spmvcast_matrix_free(m);
    }
    expect(allocated() <= before + LEAK, "memory", "nothing leaks");
    arrays_free(&v);
    return ended;
}

static void memory(void)
{
    struct problem q = problem_of(made_matrix(MADE_STENCIL, 4));
    spmvcast_matrix_options o = in_products();
    char config[500], same[500];
    spmvcast_matrix_free(create(&q, &o)); /* what the library allocates once */
    const size_t after = held(&q, &o, ENOUGH, config), during = held(&q, &o, 1, same);
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    o.config = config;
    const size_t alone = held(&q, &o, ENOUGH, same);
    expect(after <= alone + FACTS && during > alone, config, "what stayed is all that is held");
    const int ended = exhaust(&q);
    expect(ended > 0 && ended < 32, "memory", "some limits are too low, others are not");
    problem_free(&q);
}

/* ---- deterministic ---- */
static void deterministic(void)
{
    device = (spmvcast_device_free(device), device_of(context, arguments[0]));
    for (int kind = 0; kind < NKINDS; kind++) {
        struct problem q = problem_make(kinds[kind]);
        spmvcast_matrix_options o = in_products();
        o.deterministic = 1;
        spmvcast_matrix *m = create(&q, &o);
        for (size_t i = 0; i < count(m); i++) {
            char config[500];
            snprintf(config, sizeof config, "%s", trial_of(m, i).config);
            spmvcast_matrix_options named = SPMVCAST_MATRIX_OPTIONS_INIT;
            named.config = config;
            named.deterministic = 1; /* refused unless it is */
            spmvcast_matrix_free(create(&q, &named));
        }
        multiply(&q, m, SPMVCAST_F64, ENOUGH);
        expect(info_of(m).deterministic, q.a.name, "deterministic in the end");
        spmvcast_matrix_free(m);
        problem_free(&q);
    }
}

/* ---- at creation ---- */
static void creation(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    spmvcast_matrix_options o = in_products();
    spmvcast_trial t = SPMVCAST_TRIAL_INIT;
    o.trial_when = SPMVCAST_TRIAL_AT_CREATION;
    spmvcast_matrix *m = create(&q, &o);
    expect(!info_of(m).trying && info_of(m).choice == SPMVCAST_BY_TRIAL && info_of(m).deterministic, "creation",
           "info");
    expect(count(m) == 3 && check_fastest(m, "creation") == 3, "creation", "csr-merge, dia and ell were timed");
    expect(spmvcast_matrix_get_trial(NULL, 0, &t) == SPMVCAST_INVALID_ARGUMENT, "no matrix", "status");
    expect(spmvcast_matrix_get_trial(m, 0, NULL) == SPMVCAST_INVALID_ARGUMENT, "no trial", "status");
    t.size = 8;
    expect(spmvcast_matrix_get_trial(m, 0, &t) == SPMVCAST_INVALID_ARGUMENT, "size", "status");
    spmvcast_matrix_free(m);
    o.trial_products = 0;
    m = create(&q, &o);
    expect(count(m) == 0, "no trials", "no entry");
    spmvcast_matrix_free(m);
    problem_free(&q);
}

/* ---- threads ---- */
static void *thread(void *kind)
{
    struct problem q = problem_make(*(const int *)kind);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_context *c = context_of(0);
    spmvcast_matrix_options o = in_products();
    for (int i = 0; i < 3; i++) {
        spmvcast_matrix *m;
        must(c, spmvcast_matrix_create(c, device, &v.csr, &o, &m), "thread");
        for (int k = 0; k < 1000 && (k < ENOUGH || info_of(m).trying); k++)
            check_product(&q, m, SPMVCAST_F64, 1, 0, "thread");
        expect(!info_of(m).trying, "thread", "the trials are over");
        spmvcast_matrix_free(m);
    }
    spmvcast_context_free(c);
    arrays_free(&v);
    problem_free(&q);
    return NULL;
}

static void threads(void)
{
    pthread_t all[NKINDS];
    for (int i = 0; i < NKINDS; i++)
        if (pthread_create(&all[i], NULL, thread, (void *)(uintptr_t)&kinds[i]) != 0)
            exit(1);
    for (int i = 0; i < NKINDS; i++)
        pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = {
        { "products", products },           { "updates", updates },   { "limits", limits },  { "memory", memory },
        { "deterministic", deterministic }, { "creation", creation }, { "threads", threads }
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
