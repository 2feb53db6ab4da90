/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles: creation, products, new values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/real.h"
#include "library/library_matrix_inside.h"
#include "library/library_plan.h"
#include "library/library_transpose.h"
#include "library/library_trials.h"

struct request {
    spmvcast_context *context;
    const spmvcast_csr *csr;
    const spmvcast_matrix_options *options;
    spmvcast_matrix *matrix;
    const struct chooser *chooser;
    struct candidates candidates;
};

/* ---- options ---- */
/* Copies the caller's options, with their defaults, as the rest of the program has them: 0 products are unlimited, a negative memory
 * limit is none. */
static spmvcast_status take_options(spmvcast_context *c, const spmvcast_matrix_options *from,
                                    spmvcast_matrix_options *o)
{
    const size_t bytes = from ? library_size(from->size, sizeof *o, sizeof *o) : 0;
    *o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    if (from && bytes == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: size is not set; use SPMVCAST_MATRIX_OPTIONS_INIT");
    if (from)
        memcpy(o, from, bytes);
    if (!library_knows_precision(o->precision) || (unsigned)o->launch >= NLAUNCHES)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: %s is none of its enumeration's values",
                              library_knows_precision(o->precision) ? "launch" : "precision");
    if (o->trial_when != SPMVCAST_TRIAL_AT_CREATION && o->trial_when != SPMVCAST_TRIAL_IN_PRODUCTS)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_matrix_options: trial_when is %d",
                              (int)o->trial_when);
    if (!library_take_products(o->products, &o->products) || o->trial_products < 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: products must be at most 1e15 or SPMVCAST_UNLIMITED, "
                              "trial_products not negative");
    o->memory_limit = o->memory_limit == 0 ? -1 : o->memory_limit < 0 ? 0 : o->memory_limit;
    if (o->plan && o->config)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_matrix_options: config and plan are mutually exclusive");
    return SPMVCAST_OK;
}

/* The options of a transposed matrix: the caller's, but for a configuration that was chosen for the matrix. */
static spmvcast_matrix_options of_transposed(const spmvcast_matrix_options *options)
{
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    if (options)
        memcpy(&o, options, library_size(options->size, sizeof o, sizeof o));
    o.size = sizeof o;
    o.config = NULL;
    o.plan = NULL;
    o.copy = o.transpose = 0;
    return o;
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
    const spmvcast_status status = build_blocks(q->context, m, &m->handle, &blocks, p->text, q->options->memory_limit);
    free(block);
    if (status != SPMVCAST_OK || !q->options->deterministic || build_deterministic(&m->handle.operator))
        return status;
    return library_refuse(q->context, SPMVCAST_INVALID_ARGUMENT, "%.200s is not deterministic", p->text);
}

/* Takes the first candidate that holds the matrix. One that is named has to. */
static spmvcast_status build_first(const struct request *q, int *taken)
{
    spmvcast_status status = SPMVCAST_INTERNAL_ERROR;
    for (int i = 0; i < q->candidates.n; i++) {
        status =
            build_chosen(q->context, q->matrix, &q->matrix->handle, &q->candidates.at[i], q->options->memory_limit);
        *taken = i;
        if (status == SPMVCAST_OK || status == SPMVCAST_DEVICE_ERROR || status == SPMVCAST_INTERNAL_ERROR)
            break;
    }
    return status;
}

static void describe_plan(spmvcast_matrix *m, const spmvcast_plan *p)
{
    TEXT_SET(m->config, p->text);
    m->info.config = m->config;
    const bool forecast = strcmp(p->device_key, m->device->device->facts.key) == 0;
    m->info.time_s = forecast ? p->time_s : NAN;
    m->info.low_s = forecast ? p->low_s : NAN;
    m->info.high_s = forecast ? p->high_s : NAN;
    m->info.kernel = "plan";
    m->info.choice = SPMVCAST_BY_PLAN;
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
    const int tried = trials_select(&q->candidates, q->options);
    status = build_first(q, &taken);
    if (status == SPMVCAST_OK && tried > 0 && taken == 0)
        status = trials_begin(q->context, m, &q->candidates, tried, q->options);
    if (status != SPMVCAST_OK)
        return status;
    q->context->message[0] = 0; /* of candidates that did not hold the matrix */
    if (!m->trials)
        build_describe(m, &q->candidates.at[taken], m->config);
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

/* What was in the arena, which is gone. */
static void forget_arrays(spmvcast_matrix *m)
{
    m->features = (struct features){ 0 };
    m->host = (struct csr){ 0 };
    for (int i = 0; i < 3 && !kind_facts(m->device->device->backend->kind)->own_memory; i++)
        m->owned[i] = NULL;
}

static spmvcast_status make(struct request *q)
{
    spmvcast_matrix *m = q->matrix;
    spmvcast_status status = library_call(q->context, &m->arena, take, q);
    m->info.nnz = m->features.nnz;
    if (status != SPMVCAST_OK)
        return forget_arrays(m), status;
    q->context->held += m->arena.used;
    status = q->options->plan ? build_plan(q) : choose_and_build(q);
    if (status != SPMVCAST_OK)
        return status;
    if (q->options->plan)
        describe_plan(m, q->options->plan);
    if (m->updates && !keep_blocks(m))
        return library_refuse(q->context, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    build_note(m, trials_read(m));
    build_drop(m, trials_read(m));
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_matrix_create(spmvcast_context *c, spmvcast_device *device, const spmvcast_csr *csr,
                                       const spmvcast_matrix_options *options, spmvcast_matrix **out)
{
    spmvcast_matrix_options o;
    spmvcast_csr a;
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
        status = library_take_csr(c, csr, &a);
    if (status != SPMVCAST_OK)
        return status;
    spmvcast_matrix *m = calloc(1, sizeof *m);
    if (!m)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    const struct target target = { device->device->geometry, library_precision(o.precision), WARM,
                                   (enum launching)o.launch };
    struct request q = { .context = c, .csr = &a, .options = &o, .matrix = m };
    m->device = device;
    m->target = target;
    m->updates = o.updates;
    m->copy = o.copy;
    m->transpose = o.transpose;
    m->memory_limit = c->memory_limit;
    m->of_transposed = of_transposed(options);
    m->info = (spmvcast_matrix_info){ .rows = a.rows, .cols = a.cols, .trial_s = NAN, .update_s = NAN };
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
    transpose_free(m);
    pthread_mutex_lock(&m->device->busy);
    (void)device_use(m->device, m->message);
    trials_free(m);
    handle_free(&m->handle);
    free((void *)m->blocks.at);
    source_drop(m);
    arena_free(&m->arena);
    pthread_mutex_unlock(&m->device->busy);
    spmvcast_device_free(m->device);
    free(m);
}

/* ---- use ---- */
spmvcast_status matrix_refuse_stale(spmvcast_matrix *m)
{
    return fail(m->message, "the matrix is not ready: its last update failed"), SPMVCAST_DEVICE_ERROR;
}

static bool overlap(const spmvcast_matrix *m, const void *x, const void *y)
{
    const uintptr_t from = (uintptr_t)x, to = (uintptr_t)y, item = (uintptr_t)precision_bytes(m->target.precision);
    return x && y && from < to + (uintptr_t)m->info.rows * item && to < from + (uintptr_t)m->info.cols * item;
}

spmvcast_status spmvcast_multiply(spmvcast_matrix *m, double alpha, const void *x, double beta, void *y, void *stream)
{
    if (!m)
        return SPMVCAST_INVALID_ARGUMENT;
    alpha = real_rounded(m->target.precision, alpha);
    beta = real_rounded(m->target.precision, beta);
    const bool reads_x = !(alpha <= 0) || alpha < 0;
    m->message[0] = 0;
    if ((!x && reads_x && m->info.cols > 0) || (!y && m->info.rows > 0))
        return fail(m->message, "spmvcast_multiply: %s is NULL", x ? "y" : "x"), SPMVCAST_INVALID_ARGUMENT;
    if (overlap(m, x, y))
        return fail(m->message, "spmvcast_multiply: x and y overlap"), SPMVCAST_INVALID_ARGUMENT;
    if (m->stale)
        return matrix_refuse_stale(m);
    if (device_use(m->device, m->message) != 0)
        return SPMVCAST_DEVICE_ERROR;
    /* a struct stream of the CUDA back-end is one cudaStream_t (device.h) */
    struct stream *in = (struct stream *)(void *)&stream;
    const int status = m->info.trying ? trials_multiply(m, alpha, x, beta, y, in)
                                      : operator_multiply(&m->handle.operator, alpha, x, beta, y, in, m->message);
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

/* Converts again, and prepares, unless the operator reads the caller's array. */
static spmvcast_status update(spmvcast_context *c, spmvcast_matrix *m, const void *val)
{
    struct update u = { m, val };
    struct csr_view view;
    if (m->handle.operator.refers && m->csr.val == val && !m->owned[2] && m->blocks.n == 1 && m->blocks.at[0]
            .config.kernel->layout == kernel_baseline()
            ->layout)
        return SPMVCAST_OK;
    spmvcast_status status = library_call(c, NULL, retake, &u);
    if (status != SPMVCAST_OK)
        return status;
    const struct matrix_source from = source_of(m, &view);
    status = handle_make(c, &m->handle, m->device->device, &m->target, m->info.rows, &m->blocks, &from);
    /* these blocks were made before, from other values */
    return status == SPMVCAST_INVALID_ARGUMENT ? SPMVCAST_DEVICE_ERROR : status;
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
    spmvcast_status status = device_use(m->device, c->message) == 0 ? update(c, m, val) : SPMVCAST_DEVICE_ERROR;
    if (m->trials && status != SPMVCAST_INVALID_ARGUMENT)
        trials_update(m, status == SPMVCAST_OK);
    pthread_mutex_unlock(&m->device->busy);
    if (status == SPMVCAST_INVALID_ARGUMENT)
        return status;
    if (status == SPMVCAST_OK) {
        build_note(m, trials_read(m));
        status = transpose_update(c, m);
    }
    m->stale = status != SPMVCAST_OK;
    m->info.update_s = now_s() - begun_s;
    return status;
}

spmvcast_status spmvcast_matrix_get_info(const spmvcast_matrix *m, spmvcast_matrix_info *info)
{
    const size_t bytes = m && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    spmvcast_matrix_info ours = m->info;
    transpose_note(m, &ours);
    ours.size = info->size;
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}
