/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials (library_trials.h). The fastest candidate so far is the matrix's operator, so that a product always has one. */
#include "library/library_trials.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

enum {
    TRIED = CANDIDATES - 1, /* of those with forecasts */
    MOST = 1000,            /* products of a candidate that are timed at creation */
    SAMPLES = 16,           /* in the caller's products, after one that warms up */
    EARLY = 4               /* timed products after which a candidate that is slow by a factor of `slow` is given up */
};
static const double slow = 2;
/* Without forecasts: the least time of dia and ell by their bytes, both relative to CSR, is best_share, or bytes_share of the bytes, as on
 * results/h200/cpu-matrices.h5; a conversion takes about as long as so many products of CSR. */
static const double best_share = 0.5, bytes_share = 0.5, blind_products = 40;

struct tried {
    struct chosen chosen;
    char text[CONFIG_LEN], reason[ERRLEN];
    int64_t bytes;        /* of its layout, estimated */
    struct handle handle; /* built, but not the matrix's operator */
    bool captured;        /* a graph may use it */
    int64_t products, extra_bytes;
    double time_s, setup_s;
};

struct trials {
    int n, best, now; /* candidates; in the matrix; being timed (n: all were) */
    bool in_products, stop;
    int count; /* products of a candidate to be timed */
    int64_t products, served, memory_limit;
    double setup_s;           /* of all candidates */
    spmvcast_context context; /* in products */
    /* in products: marks around the products of candidate `now`, and how many were set and read */
    struct mark mark[SAMPLES + 1][2];
    int set, read;
    int leaving; /* candidate that is freed when the stream reaches `left`; -1: none */
    struct mark left;
    struct tried at[CANDIDATES];
};

/* ---- which, in which order ---- */
/* Returns how many candidates are tried: those that their forecasts do not tell apart from the first, and without forecasts all. */
static int to_try(const struct candidates *c)
{
    int n = 1;
    while (n < TRIED && n < c->n
           && (c->how == SPMVCAST_BY_RULE || (c->how == SPMVCAST_BY_FORECAST && c->at[n].low_s < c->at[0].high_s)))
        n++;
    return n;
}

static int timed_of_each(const spmvcast_matrix_options *o, int n)
{
    const int64_t share = o->trial_products / n - 1,
                  most = o->trial_when == SPMVCAST_TRIAL_IN_PRODUCTS ? SAMPLES : MOST;
    return (int)(share < most ? share : most);
}

int trials_select(struct candidates *c, const spmvcast_matrix_options *o)
{
    int n = to_try(c), csr = 0;
    if (n < 2)
        return 0;
    if (o->trial_when == SPMVCAST_TRIAL_IN_PRODUCTS)
        while (c->at[csr].config.kernel->layout != kernel_baseline()->layout) /* the rule's is one */
            csr++;
    n += csr >= n;
    if (timed_of_each(o, n) < 2)
        return 0;
    if (o->trial_when == SPMVCAST_TRIAL_IN_PRODUCTS) {
        const struct chosen first = c->at[csr];
        memmove(c->at + 1, c->at, (size_t)csr * sizeof first);
        c->at[0] = first;
        c->n = n;
    }
    return n;
}

/* ---- steps of both kinds ---- */
static struct operator* operator_now(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    return t->now == t->best ? &m->handle.operator: & t->at[t->now].handle.operator;
}

/* Sets what the info says of the fastest candidate. */
static void describe(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    struct tried *best = &t->at[t->best];
    build_describe(m, &best->chosen, best->text);
    m->info.trial_s = best->time_s;
    m->info.try_s = t->setup_s - best->setup_s;
    build_note(m, trials_read(m));
    if (m->blocks.at) /* for updates */
        ((struct operator_block *)m->blocks.at)->config = best->chosen.config;
}

/* Candidate `now` was built. */
static void note_built(spmvcast_matrix *m)
{
    struct tried *x = &m->trials->at[m->trials->now];
    x->setup_s = build_setup_s(operator_now(m));
    x->extra_bytes = build_extra_bytes(operator_now(m));
}

/* A product whose factors took memory may be captured afterwards, in whichever candidate is the fastest then: it has that memory, too. */
static void reserve(struct operator* o, const struct operator* like)
{
    char why[ERRLEN];
    if (like->product)
        (void)operator_reserve(o, why);
}

/* Keeps the faster one of candidate `now`, which was timed, and the fastest before in the matrix. Returns the other one, -1: none. */
static int settle(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    struct tried *x = &t->at[t->now], *best = &t->at[t->best];
    if (t->now == t->best)
        return -1;
    if (t->stop || !(x->time_s < best->time_s))
        return t->now;
    const int loser = t->best;
    reserve(&x->handle.operator, & m->handle.operator);
    best->handle = m->handle;
    m->handle = x->handle;
    x->handle = (struct handle){ 0 };
    t->best = t->now;
    return loser;
}

/* Bytes of the fastest candidate so far, and of slower ones that cannot be freed yet. */
static int64_t kept_bytes(const struct trials *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->n; i++)
        if (i == t->best || t->at[i].handle.operator.device)
            bytes += t->at[i].extra_bytes;
    return bytes;
}

/* In products: are those left expected to pay for the conversion, and is there memory? Sets the reason if not. */
static bool is_worthwhile(const spmvcast_matrix *m, struct tried *x)
{
    const struct trials *t = m->trials;
    const struct tried *best = &t->at[t->best];
    const struct chosen *c = &x->chosen, *with = &best->chosen;
    struct device *d = m->device->device;
    const int64_t left = t->products > t->served ? t->products - t->served : 0, limit = t->memory_limit;
    const int64_t csr_bytes = m->info.nnz * (4 + precision_bytes(m->target.precision)) + 4 * m->info.rows;
    const double share = bytes_share * (double)x->bytes / (double)csr_bytes,
                 least_s = isnan(c->low_s)       ? best->time_s * fmax(share, best_share)
                           : isnan(with->time_s) ? c->low_s
                                                 : best->time_s * c->low_s / with->time_s,
                 forecast_s = c->convert_s + c->prepare_s,
                 setup_s = isnan(forecast_s) ? blind_products * t->at[0].time_s : forecast_s;
    int64_t free_bytes;
    if (t->products > 0 && !((double)left * (best->time_s - least_s) > setup_s))
        fail(x->reason, "%" PRId64 " products left are not expected to pay for its conversion", left);
    else if (limit >= 0 && x->bytes > limit - kept_bytes(t))
        fail(x->reason, "with those that are kept it takes more than memory_limit, %" PRId64 " bytes", limit);
    else if (d->memory->left(d, &free_bytes) == 0 && 2 * x->bytes > free_bytes)
        fail(x->reason, "too little memory is free, %" PRId64 " bytes", free_bytes);
    return !x->reason[0];
}

/* Builds the next candidate that holds the matrix and is worth it; `now` is n if there is none. */
static void begin_next(spmvcast_context *c, spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    const size_t held = c->held;
    const int64_t beside = t->in_products ? kept_bytes(t) : 0;
    t->set = t->read = 0;
    while (++t->now < t->n) {
        struct tried *x = &t->at[t->now];
        if (t->stop) {
            fail(x->reason, "the trials ended before");
            continue;
        }
        if (t->in_products && !is_worthwhile(m, x))
            continue;
        c->held = held + m->handle.arena.used;
        const spmvcast_status status =
            build_chosen(c, m, &x->handle, &x->chosen, t->memory_limit < 0 ? -1 : t->memory_limit - beside);
        if (status == SPMVCAST_OK)
            break;
        TEXT_SET(x->reason, c->message);
        t->stop = t->in_products && status != SPMVCAST_INVALID_ARGUMENT;
    }
    c->held = held;
    if (t->now < t->n)
        note_built(m);
}

static void unmark(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    struct device *d = m->device->device;
    for (int i = 0; i < SAMPLES + 1; i++)
        for (int k = 0; k < 2; k++)
            d->backend->unmark(d, &t->mark[i][k]);
    d->backend->unmark(d, &t->left);
}

/* All candidates were timed or left out. */
static void end(spmvcast_matrix *m)
{
    const struct trials *t = m->trials;
    int timed = 0;
    for (int i = 0; i < t->n; i++)
        timed += t->at[i].products > 0;
    unmark(m);
    if (timed > 1)
        m->info.choice = SPMVCAST_BY_TRIAL;
    m->info.trying = 0;
    describe(m);
}

/* ---- at creation ---- */
struct timing {
    spmvcast_matrix *matrix;
    const void *x;
    void *y;
};

/* Times products of candidate `now`: NaN if that fails. */
static spmvcast_status time_now(void *arguments, char why[ERRLEN])
{
    const struct timing *q = arguments;
    struct trials *t = q->matrix->trials;
    struct tried *x = &t->at[t->now];
    const struct operator* o = operator_now(q->matrix);
    struct launch launch = o->launch;
    launch.x = q->x;
    launch.y = q->y;
    if (o->device->backend->once(o->device, &launch, why) == 0
        && o->device->backend->stream_time(o->device, &launch, t->count, &x->time_s, why) == 0)
        x->products = t->count;
    else
        x->time_s = NAN;
    return o->device->lost ? SPMVCAST_DEVICE_ERROR : SPMVCAST_OK;
}

static spmvcast_status time_all(spmvcast_context *c, const struct timing *q)
{
    struct trials *t = q->matrix->trials;
    struct arena arena;
    while (t->now < t->n) {
        const spmvcast_status status = library_call(c, &arena, time_now, (void *)q);
        if (status != SPMVCAST_OK)
            return status;
        arena_free(&arena);
        const int loser = settle(q->matrix);
        if (loser >= 0)
            handle_free(&t->at[loser].handle);
        begin_next(c, q->matrix);
    }
    return SPMVCAST_OK;
}

static spmvcast_status run(spmvcast_context *c, spmvcast_matrix *m)
{
    struct device *d = m->device->device;
    const int64_t bytes = precision_bytes(m->target.precision);
    const double begun_s = now_s();
    char why[ERRLEN];
    spmvcast_status status = SPMVCAST_OK;
    void *x = NULL, *y = NULL;
    if (d->memory->alloc(d, m->info.cols * bytes, &x, why) == 0
        && d->memory->alloc(d, m->info.rows * bytes, &y, why) == 0
        && d->memory->fill(d, x, 0, m->info.cols * bytes, why) == 0) {
        const struct timing q = { m, x, y };
        status = time_all(c, &q);
    }
    if (x)
        d->memory->release(d, x);
    if (y)
        d->memory->release(d, y);
    m->trials->setup_s += now_s() - begun_s;
    end(m);
    return status;
}

/* Estimates the bytes of the candidates. */
static spmvcast_status estimate(void *arguments, char why[ERRLEN])
{
    const spmvcast_matrix *m = arguments;
    (void)why;
    for (int i = 0; i < m->trials->n; i++) {
        struct tried *x = &m->trials->at[i];
        const struct layout *layout = x->chosen.config.kernel->layout;
        struct traffic bytes = { 0 };
        if (layout != kernel_baseline()->layout
            && layout->traffic(&m->features, &x->chosen.config, &m->target, &bytes) == 0)
            x->bytes = traffic_storage(&bytes);
    }
    return SPMVCAST_OK;
}

spmvcast_status trials_begin(spmvcast_context *c, spmvcast_matrix *m, const struct candidates *all, int n,
                             const spmvcast_matrix_options *o)
{
    struct trials *t = m->trials = calloc(1, sizeof *t);
    struct arena arena;
    if (!t)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    t->n = n;
    t->in_products = o->trial_when == SPMVCAST_TRIAL_IN_PRODUCTS;
    t->count = timed_of_each(o, n);
    t->products = o->products;
    t->memory_limit = o->memory_limit;
    t->leaving = -1;
    t->context.memory_limit = c->memory_limit;
    t->context.held = m->arena.used;
    for (int i = 0; i < n; i++) {
        t->at[i].chosen = all->at[i];
        t->at[i].time_s = t->at[i].setup_s = NAN;
        TEXT_SET(t->at[i].text, all->at[i].text);
    }
    note_built(m);
    t->setup_s = t->at[0].setup_s;
    if (!t->in_products)
        return run(c, m);
    m->info.trying = 1;
    const spmvcast_status status = library_call(c, &arena, estimate, m);
    if (status == SPMVCAST_OK)
        arena_free(&arena);
    describe(m);
    return status;
}

/* ---- in products ---- */
/* A launch between two marks. */
struct watched {
    struct device *device;
    struct launch launch;
    struct mark *mark;
    bool marked;
};

static int run_watched(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    struct watched *w = prepared;
    const struct backend *b = w->device->backend;
    w->marked = b->mark(w->device, &w->mark[0], stream) == 0;
    const int status = w->launch.run(w->launch.prepared, x, y, mode, stream);
    w->marked = w->marked && b->mark(w->device, &w->mark[1], stream) == 0;
    return status;
}

/* Ends the trials: memory ran out. */
static void give_up(spmvcast_matrix *m, const char *why)
{
    struct trials *t = m->trials;
    TEXT_SET(t->at[t->now].reason, why);
    t->stop = true;
}

/* A product in candidate `now`, whose kernel is timed. */
static int multiply_watched(spmvcast_matrix *m, double alpha, const void *x, double beta, void *y,
                            struct stream *stream)
{
    struct trials *t = m->trials;
    struct operator* o = operator_now(m);
    struct watched w = { o->device, o->launch, t->mark[t->set], false };
    if (o->launch.run)
        o->launch = (struct launch){ .run = run_watched, .prepared = &w };
    const int status = operator_multiply(o, alpha, x, beta, y, stream, m->message);
    o->launch = w.launch;
    reserve(&m->handle.operator, o);
    t->set += status == 0 && w.marked;
    return status;
}

/* Reads the times that are known. Returns true if candidate `now` needs no more. */
static bool is_timed(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    struct device *d = m->device->device;
    struct tried *x = &t->at[t->now];
    double time_s;
    for (; t->read < t->set && d->backend->reached(d, &t->mark[t->read][0], &t->mark[t->read][1], &time_s); t->read++)
        if (t->read > 0) { /* the first one warms up */
            x->time_s = fmin(x->time_s, time_s);
            x->products++;
        }
    return t->stop || t->read > t->count
           || (t->now != t->best && x->products >= EARLY && x->time_s > slow * t->at[t->best].time_s);
}

/* Has the stream come to where the slower candidate is no longer used? */
static bool has_left(const spmvcast_matrix *m)
{
    struct device *d = m->device->device;
    double none_s;
    return d->backend->reached(d, &m->trials->left, &m->trials->left, &none_s);
}

/* Settles what was timed, and begins the next candidate. The device is not busy. */
static void step(spmvcast_matrix *m, struct stream *stream)
{
    struct trials *t = m->trials;
    struct device *d = m->device->device;
    const double begun_s = now_s();
    if (t->leaving < 0) {
        t->leaving = settle(m);
        if (t->leaving >= 0 && d->backend->mark(d, &t->left, stream) != 0) {
            t->at[t->leaving].captured = true; /* it is not known when it may be freed: with the matrix */
            t->leaving = -1;
        }
    }
    if (t->leaving < 0 || has_left(m)) {
        if (t->leaving >= 0 && !t->at[t->leaving].captured)
            handle_free(&t->at[t->leaving].handle);
        t->leaving = -1;
        begin_next(&t->context, m);
    }
    t->setup_s += now_s() - begun_s;
    if (t->now < t->n)
        describe(m);
    else
        end(m);
    build_drop(m, trials_read(m));
}

int trials_multiply(spmvcast_matrix *m, double alpha, const void *x, double beta, void *y, struct stream *stream)
{
    struct trials *t = m->trials;
    const struct backend *b = m->device->device->backend;
    if (b->capturing && b->capturing(stream)) {
        t->at[t->best].captured = true;
        return operator_multiply(&m->handle.operator, alpha, x, beta, y, stream, m->message);
    }
    const int guard = b->guard ? b->guard(0) : 0;
    int status = OOM;
    if (t->leaving < 0 && t->set <= t->count && !t->stop) {
        status = multiply_watched(m, alpha, x, beta, y, stream);
        if (status == OOM) /* before anything was enqueued */
            give_up(m, m->message);
    }
    if (status == OOM) {
        m->message[0] = 0;
        status = operator_multiply(&m->handle.operator, alpha, x, beta, y, stream, m->message);
    }
    t->served++;
    if (status == 0 && (t->leaving < 0 ? is_timed(m) : has_left(m)) && pthread_mutex_trylock(&m->device->busy) == 0) {
        step(m, stream);
        pthread_mutex_unlock(&m->device->busy);
    }
    if (b->guard)
        (void)b->guard(guard);
    return status;
}

void trials_update(spmvcast_matrix *m, bool ok)
{
    struct trials *t = m->trials;
    for (int i = 0; i < t->n; i++) {
        struct tried *x = &t->at[i];
        x->captured = false;
        if (!x->handle.operator.device)
            continue;
        if (!ok || t->stop || i != t->now || t->leaving >= 0)
            handle_free(&x->handle);
        else if (build_chosen(&t->context, m, &x->handle, &x->chosen, t->memory_limit) != SPMVCAST_OK)
            give_up(m, t->context.message);
    }
    if (t->leaving >= 0)
        t->set = t->read = t->count + 1; /* candidate `now` may have been freed: the next product begins another */
    t->leaving = -1;
    t->stop = t->stop || !ok;
}

bool trials_read(const spmvcast_matrix *m)
{
    const struct trials *t = m->trials;
    bool reads = m->info.trying;
    for (int i = 0; t && i < t->n; i++)
        reads = reads || (t->at[i].handle.operator.device && t->at[i].handle.operator.refers);
    return reads;
}

void trials_free(spmvcast_matrix *m)
{
    struct trials *t = m->trials;
    if (!t)
        return;
    for (int i = 0; i < t->n; i++)
        handle_free(&t->at[i].handle);
    unmark(m);
    free(t);
    m->trials = NULL;
}

spmvcast_status spmvcast_matrix_get_trial(const spmvcast_matrix *m, size_t i, spmvcast_trial *trial)
{
    const size_t bytes = m && trial ? library_size(trial->size, sizeof *trial, sizeof *trial) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    if (!m->trials || i >= (size_t)m->trials->n)
        return SPMVCAST_NO_ENTRY;
    const struct tried *x = &m->trials->at[i];
    const spmvcast_trial ours = { trial->size, x->text,       x->reason[0] ? x->reason : NULL, x->products, x->time_s,
                                  x->setup_s,  x->extra_bytes };
    memcpy(trial, &ours, bytes);
    return SPMVCAST_OK;
}
