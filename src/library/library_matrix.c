/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles: creation, products, new values. */
#include "library/library_matrix.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "library/library_plan.h"

struct request {
    spmvcast_context *context;
    const spmvcast_csr *csr;
    const spmvcast_matrix_options *options;
    spmvcast_matrix *matrix;
    const struct chooser *chooser;
    struct candidates candidates;
};

/* ---- options ---- */
/* Copies the caller's options, which may be those of a version without `plan`. */
static spmvcast_status take_options(spmvcast_context *c, const spmvcast_matrix_options *from,
                                    spmvcast_matrix_options *o)
{
    const size_t bytes = from ? library_size(from->size, offsetof(spmvcast_matrix_options, plan), sizeof *o) : 0;
    *o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    if (from && bytes == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: size is not set; use SPMVCAST_MATRIX_OPTIONS_INIT");
    if (from)
        memcpy(o, from, bytes);
    if ((unsigned)o->precision >= NPRECISIONS || (unsigned)o->launch >= NLAUNCHES)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: precision or launch is none of its enumeration's values");
    if (o->products < 0 || o->trial_products < 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: products or trial_products is negative");
    if (o->transpose)
        return library_refuse(
            c, SPMVCAST_INVALID_ARGUMENT,
            "products with the transposed matrix are not supported; create a matrix of its own from the "
            "transposed arrays");
    if (o->plan && o->config)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: config and plan are mutually exclusive");
    return SPMVCAST_OK;
}

/* ---- creation ---- */
static spmvcast_status take(void *arguments, char why[ERRLEN])
{
    const struct request *q = arguments;
    return source_take(q->matrix, q->csr, q->options, why);
}

static spmvcast_status choose(void *arguments, char why[ERRLEN])
{
    struct request *q = arguments;
    const spmvcast_matrix *m = q->matrix;
    return choice_make(q->chooser, &m->target, m->device->device->backend, &m->features, q->options, &q->candidates,
                       why);
}

/* CSR itself takes nothing more: on a device without its own memory, it is the copy of the arrays. */
static int64_t extra_bytes(const struct operator* o)
{
    return o->n == 1 && o->block[0].config.kernel->layout == kernel_baseline()->layout ? 0 : o->bytes;
}

static bool is_deterministic(const struct operator* o)
{
    bool all = true;
    for (int i = 0; i < o->n; i++)
        all = all && kernel_deterministic(&o->block[i].config);
    return all;
}

/* Makes the operator of these blocks. Refused if it takes more memory than allowed. */
static spmvcast_status build(const struct request *q, struct handle *h, const struct handle_blocks *blocks,
                             const char *text)
{
    const spmvcast_matrix *m = q->matrix;
    struct csr_view view;
    const struct matrix_source from = source_of(m, &view);
    const spmvcast_status status =
        handle_make(q->context, h, m->device->device, &m->target, m->info.rows, blocks, &from);
    const int64_t limit = q->options->memory_limit;
    if (status != SPMVCAST_OK || limit < 0 || extra_bytes(&h->operator) <= limit)
        return status;
    const int64_t bytes = extra_bytes(&h->operator);
    handle_free(h);
    return library_refuse(q->context, SPMVCAST_OUT_OF_MEMORY,
                          "%.200s takes %" PRId64 " bytes, more than memory_limit, %" PRId64, text, bytes, limit);
}

/* Builds candidate i: the whole matrix in its configuration. */
static spmvcast_status build_candidate(const struct request *q, struct handle *h, int i)
{
    const struct chosen *c = &q->candidates.at[i];
    const struct operator_block whole = { .rows = q->matrix->info.rows, .config = c->config, .resolved = true };
    const struct handle_blocks blocks = { .n = 1, .at = &whole };
    return build(q, h, &blocks, c->text);
}

/* Builds the blocks of a plan. */
static spmvcast_status build_plan(struct request *q)
{
    spmvcast_matrix *m = q->matrix;
    const spmvcast_plan *p = q->options->plan;
    struct operator_block *block;
    char why[ERRLEN];
    if (plan_check(p, m->info.rows, m->info.cols, m->info.nnz, m->target.precision, why) != 0)
        return library_refuse(q->context, SPMVCAST_INVALID_ARGUMENT, "%s", why);
    if (p->parallel && !m->device->device->backend->branches)
        return library_refuse(q->context, SPMVCAST_INVALID_ARGUMENT,
                              "this device does not run blocks side by side; make the plan with parallel = 0");
    if (!(block = calloc(p->n, sizeof *block)))
        return library_refuse(q->context, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < p->n; i++)
        block[i] = (struct operator_block){ .first_row = p->part[i].first_row,
                                            .rows = p->part[i].rows,
                                            .config = p->part[i].config };
    const struct handle_blocks blocks = { .parallel = p->parallel, .n = (int)p->n, .at = block };
    const spmvcast_status status = build(q, &m->handle, &blocks, p->text);
    free(block);
    if (status != SPMVCAST_OK || !q->options->deterministic || is_deterministic(&m->handle.operator))
        return status;
    return library_refuse(q->context, SPMVCAST_INVALID_ARGUMENT, "%.200s is not deterministic", p->text);
}

/* Takes the first candidate that holds the matrix. One that is named has to. */
static spmvcast_status build_first(const struct request *q, int *taken)
{
    spmvcast_status status = SPMVCAST_INTERNAL_ERROR;
    for (int i = 0; i < q->candidates.n; i++) {
        status = build_candidate(q, &q->matrix->handle, i);
        *taken = i;
        if (status == SPMVCAST_OK || status == SPMVCAST_DEVICE_ERROR || status == SPMVCAST_INTERNAL_ERROR)
            break;
    }
    return status;
}

/* ---- trials ---- */
enum { TRIED = CANDIDATES - 1 };

/* Times up to `count` products. Returns NaN if that fails. */
static double time_products(const struct operator* o, const void *x, void *y, int count)
{
    char why[ERRLEN];
    double time_s = NAN;
    struct launch launch = o->launch;
    launch.x = x;
    launch.y = y;
    if (o->device->backend->once(o->device, &launch, why) != 0
        || o->device->backend->stream_time(o->device, &launch, count, &time_s, why) != 0)
        return NAN;
    return time_s;
}

struct trial {
    const struct operator* operator;
    const void *x;
    void *y;
    int count;
    double time_s;
};

static spmvcast_status time_in_call(void *arguments, char why[ERRLEN])
{
    struct trial *t = arguments;
    (void)why;
    t->time_s = time_products(t->operator, t->x, t->y, t->count);
    return t->operator->device->lost ? SPMVCAST_DEVICE_ERROR : SPMVCAST_OK;
}

/* Builds the next candidates, times them, and keeps the fastest in the matrix, which has candidate 0. */
static spmvcast_status try_next(const struct request *q, int n, struct trial *t, int *taken)
{
    spmvcast_matrix *m = q->matrix;
    struct arena arena;
    const size_t held = q->context->held;
    double best_s = NAN;
    for (int i = 0; i < n; i++) {
        q->context->held = held + m->handle.arena.used;
        struct handle next = { 0 };
        if (i > 0 && build_candidate(q, &next, i) != SPMVCAST_OK)
            continue;
        t->operator= i == 0 ? &m->handle.operator: & next.operator;
        const spmvcast_status status = library_call(q->context, &arena, time_in_call, t);
        if (status == SPMVCAST_OK)
            arena_free(&arena);
        else
            return handle_free(&next), status;
        const bool better = i == 0 || t->time_s < best_s;
        if (i > 0) {
            struct handle worse = better ? m->handle : next;
            if (better)
                m->handle = next;
            handle_free(&worse);
        }
        if (better) {
            best_s = t->time_s;
            *taken = i;
        }
    }
    m->info.trial_s = best_s;
    m->info.choice = SPMVCAST_BY_TRIAL;
    return SPMVCAST_OK;
}

/* Returns how many candidates are tried: those that their forecasts do not tell apart from the first, and without forecasts all. */
static int to_try(const struct candidates *c)
{
    int n = 1;
    while (n < TRIED && n < c->n
           && (c->how == SPMVCAST_BY_RULE || (c->how == SPMVCAST_BY_FORECAST && c->at[n].low_s < c->at[0].high_s)))
        n++;
    return n;
}

/* Times candidates within the budget, and keeps the fastest. */
static spmvcast_status run_trials(const struct request *q, int *taken)
{
    spmvcast_matrix *m = q->matrix;
    struct device *d = m->device->device;
    const int64_t bytes = precision_bytes(m->target.precision), budget = q->options->trial_products;
    char why[ERRLEN];
    struct trial t = { 0 };
    void *x = NULL;
    const int n = to_try(&q->candidates);
    t.count = (int)(budget / n - 1 < 1000 ? budget / n - 1 : 1000);
    if (*taken != 0 || n < 2 || t.count < 2)
        return SPMVCAST_OK;
    spmvcast_status status = SPMVCAST_OK;
    if (d->memory->alloc(d, m->info.cols * bytes, &x, why) == 0
        && d->memory->alloc(d, m->info.rows * bytes, &t.y, why) == 0
        && d->memory->fill(d, x, 0, m->info.cols * bytes, why) == 0) {
        t.x = x;
        status = try_next(q, n, &t, taken);
    }
    if (x)
        d->memory->release(d, x);
    if (t.y)
        d->memory->release(d, t.y);
    return status;
}

/* ---- creation, continued ---- */
static void describe(spmvcast_matrix *m, const struct chosen *c)
{
    const struct config *config = &m->handle.operator.block[0].config;
    config_print(config, m->config);
    m->info.time_s = c->time_s;
    m->info.low_s = c->low_s;
    m->info.high_s = c->high_s;
    m->info.kernel = config->kernel->name;
    if (m->info.choice == SPMVCAST_BY_FORECAST && isnan(c->time_s)) /* the rule's, since the others did not hold it */
        m->info.choice = SPMVCAST_BY_RULE;
}

static void describe_plan(spmvcast_matrix *m, const spmvcast_plan *p)
{
    TEXT_SET(m->config, p->text);
    m->info.time_s = p->time_s;
    m->info.low_s = p->low_s;
    m->info.high_s = p->high_s;
    m->info.kernel = "plan";
    m->info.choice = SPMVCAST_BY_PLAN;
}

static void note_build(spmvcast_matrix *m)
{
    m->info.extra_bytes = extra_bytes(&m->handle.operator);
    m->info.refers = m->handle.operator.refers && !(m->owned[0] || m->owned[1] || m->owned[2]);
}

/* Chooses a configuration and builds it; with trials, the fastest of several. */
static spmvcast_status choose_and_build(struct request *q)
{
    spmvcast_matrix *m = q->matrix;
    struct arena arena;
    int taken = 0;
    const double begun_s = now_s();
    spmvcast_status status = SPMVCAST_OK;
    if (choice_asks(m->device, q->options, m->info.nnz))
        status = device_chooser(q->context, m->device, m->target.precision, m->target.launch,
                                choice_is_quick(m->device, q->options, m->info.nnz), &q->chooser);
    if (status == SPMVCAST_OK)
        status = library_call(q->context, &arena, choose, q);
    if (status != SPMVCAST_OK)
        return status;
    arena_free(&arena);
    m->info.choice = q->candidates.how;
    m->info.choose_s = now_s() - begun_s;
    status = build_first(q, &taken);
    const double built_s = now_s();
    if (status == SPMVCAST_OK && q->options->trial_products > 0)
        status = run_trials(q, &taken);
    if (status != SPMVCAST_OK)
        return status;
    m->info.try_s = q->options->trial_products > 0 ? now_s() - built_s : 0;
    q->context->message[0] = 0; /* of candidates that did not hold the matrix */
    describe(m, &q->candidates.at[taken]);
    return SPMVCAST_OK;
}

/* Keeps the blocks for updates. */
static bool keep_blocks(spmvcast_matrix *m)
{
    const struct operator* o = & m->handle.operator;
    struct operator_block *at = calloc((size_t)o->n, sizeof *at);
    for (int i = 0; at && i < o->n; i++)
        at[i] = (struct operator_block){
            .first_row = o->block[i].first_row, .rows = o->block[i].rows, .config = o->block[i].config, .resolved = true
        };
    m->blocks = (struct handle_blocks){ .parallel = o->parallel, .n = o->n, .at = at };
    return at != NULL;
}

static spmvcast_status make(struct request *q)
{
    spmvcast_matrix *m = q->matrix;
    const struct operator* o = & m->handle.operator;
    spmvcast_status status = library_call(q->context, &m->arena, take, q);
    m->info.nnz = m->features.nnz;
    if (status != SPMVCAST_OK)
        return m->features = (struct features){ 0 }, m->host = (struct csr){ 0 }, status;
    q->context->held += m->arena.used;
    status = q->options->plan ? build_plan(q) : choose_and_build(q);
    if (status != SPMVCAST_OK)
        return status;
    if (q->options->plan)
        describe_plan(m, q->options->plan);
    if (m->updates && !keep_blocks(m))
        return library_refuse(q->context, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    m->info.convert_s = conversion_costs_total(&o->costs);
    m->info.prepare_s = o->costs.prepare_s;
    m->info.deterministic = is_deterministic(o);
    note_build(m);
    if (!m->updates && !o->refers)
        source_drop(m);
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_matrix_create(spmvcast_context *c, spmvcast_device *device, const spmvcast_csr *csr,
                                       const spmvcast_matrix_options *options, spmvcast_matrix **out)
{
    spmvcast_matrix_options o;
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!device || !csr || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_matrix_create: no %s",
                              !device ? "spmvcast_device"
                              : !csr  ? "spmvcast_csr"
                                      : "place for the matrix");
    spmvcast_status status = take_options(c, options, &o);
    if (status == SPMVCAST_OK)
        status = library_check_csr(c, csr);
    if (status != SPMVCAST_OK)
        return status;
    spmvcast_matrix *m = calloc(1, sizeof *m);
    if (!m)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    const struct target target = { device->device->geometry, (enum precision)o.precision, WARM,
                                   (enum launching)o.launch };
    struct request q = { .context = c, .csr = csr, .options = &o, .matrix = m };
    m->device = device;
    m->target = target;
    m->updates = o.updates;
    m->info = (spmvcast_matrix_info){ .rows = csr->rows, .cols = csr->cols, .trial_s = NAN, .update_s = NAN };
    device_keep(device);
    pthread_mutex_lock(&device->busy);
    status = device_use(device, c->message) == 0 ? make(&q) : SPMVCAST_DEVICE_ERROR;
    pthread_mutex_unlock(&device->busy);
    if (status == SPMVCAST_OK)
        *out = m;
    else
        spmvcast_matrix_free(m);
    return status;
}

void spmvcast_matrix_free(spmvcast_matrix *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->device->busy);
    (void)device_use(m->device, m->message);
    handle_free(&m->handle);
    free((void *)m->blocks.at);
    source_drop(m);
    arena_free(&m->arena);
    pthread_mutex_unlock(&m->device->busy);
    spmvcast_device_free(m->device);
    free(m);
}

/* ---- use ---- */
spmvcast_status spmvcast_multiply(spmvcast_matrix *m, double alpha, const void *x, double beta, void *y, void *stream)
{
    if (!m)
        return SPMVCAST_INVALID_ARGUMENT;
    const bool reads_x = !(alpha <= 0) || alpha < 0;
    m->message[0] = 0;
    if ((!x && reads_x && m->info.cols > 0) || (!y && m->info.rows > 0))
        return fail(m->message, "spmvcast_multiply: %s is NULL", x ? "y" : "x"), SPMVCAST_INVALID_ARGUMENT;
    if (device_use(m->device, m->message) != 0)
        return SPMVCAST_DEVICE_ERROR;
    /* a struct stream of the CUDA back-end is one cudaStream_t (device.h) */
    const int status =
        operator_multiply(&m->handle.operator, alpha, x, beta, y, (struct stream *)(void *)&stream, m->message);
    return status == 0 ? SPMVCAST_OK : status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_DEVICE_ERROR;
}

const char *spmvcast_matrix_message(const spmvcast_matrix *m) { return m ? m->message : ""; }

struct update {
    spmvcast_matrix *matrix;
    const void *val;
};

static spmvcast_status retake(void *arguments, char why[ERRLEN])
{
    const struct update *u = arguments;
    return source_retake(u->matrix, u->val, why);
}

static spmvcast_status update(spmvcast_context *c, spmvcast_matrix *m, const void *val)
{
    struct update u = { m, val };
    struct csr_view view;
    if (m->handle.operator.refers && m->csr.val == val && !m->owned[2] && m->blocks.n == 1 && m->blocks.at[0]
            .config.kernel->layout == kernel_baseline()
            ->layout)
        return SPMVCAST_OK;
    const spmvcast_status status = library_call(c, NULL, retake, &u);
    const struct matrix_source from = source_of(m, &view);
    return status == SPMVCAST_OK
               ? handle_make(c, &m->handle, m->device->device, &m->target, m->info.rows, &m->blocks, &from)
               : status;
}

spmvcast_status spmvcast_update_values(spmvcast_context *c, spmvcast_matrix *m, const void *val)
{
    const double begun_s = now_s();
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!m || (!val && m->info.nnz > 0))
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_update_values: no %s", m ? "values" : "matrix");
    if (!m->updates)
        return library_refuse(
            c, SPMVCAST_INVALID_ARGUMENT,
            "spmvcast_update_values: the matrix was created without updates; set spmvcast_matrix_options.updates");
    pthread_mutex_lock(&m->device->busy);
    const spmvcast_status status = device_use(m->device, c->message) == 0 ? update(c, m, val) : SPMVCAST_DEVICE_ERROR;
    pthread_mutex_unlock(&m->device->busy);
    if (status == SPMVCAST_OK)
        note_build(m);
    m->info.update_s = now_s() - begun_s;
    return status;
}

spmvcast_status spmvcast_matrix_get_info(const spmvcast_matrix *m, spmvcast_matrix_info *info)
{
    const size_t bytes = m && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    spmvcast_matrix_info ours = m->info;
    ours.size = info->size;
    ours.config = m->config;
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}
