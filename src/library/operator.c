/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators (operator.h): choice of a configuration, build, products. */
#include "library/operator.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "library/library.h"

const char operator_default[] = "csr-vector";

struct spmv_operator {
    struct arena arena; /* of storage, layout and launch */
    struct device *device;
    struct target target;
    int64_t rows, cols, nnz;
    uint64_t pattern; /* hash_pattern */
    struct config config;
    struct storage *storage; /* NULL: freed after the upload */
    struct device_layout *layout;
    struct launch launch; /* prepared NULL: not ready */
    void *product;        /* [rows] A x, if it is neither set nor added; NULL: not used yet */
    struct operator_report report;
};

/* ---- devices ---- */
struct opening {
    const struct backend *backend;
    int index;
    struct device **device;
};

static spmvcast_status open_device(void *arguments, char why[ERRLEN])
{
    const struct opening *o = arguments;
    const int status = o->backend->open(o->index, o->device, why);
    return status == 0 ? SPMVCAST_OK : status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_INVALID_ARGUMENT;
}

spmvcast_status operator_open_device(spmvcast_context *c, const struct backend *backend, int index,
                                     struct device **device)
{
    struct opening o = { backend, index, device };
    *device = NULL;
    library_begin(c);
    return library_call(c, NULL, open_device, &o);
}

spmvcast_status operator_open_profile(spmvcast_context *c, const struct device *d, spmvcast_profile **out)
{
    return library_profile_of_device(c, d->facts.key, out);
}

/* ---- patterns ---- */
static uint64_t mixed(uint64_t h)
{
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

/* Returns the sum of hashes of all (place, column) and (row, end of the row), which needs no order. */
static uint64_t hash_pattern(const struct csr_view *a)
{
    const int64_t nnz = csr_view_nnz(a);
    uint64_t h = 0;
#pragma omp parallel for schedule(static) reduction(+ : h) if (nnz > 10000)
    for (int64_t k = 0; k < nnz; k++)
        h += mixed((uint64_t)k << 32 | (uint32_t)a->col[k]);
#pragma omp parallel for schedule(static) reduction(+ : h) if (a->rows > 10000)
    for (int64_t i = 0; i < a->rows; i++)
        h += mixed(~((uint64_t)i << 32 | (uint64_t)a->end[i]));
    return h;
}

bool operator_has_pattern(const struct spmv_operator *o, const struct csr_view *a)
{
    return a->rows == o->rows && a->cols == o->cols && csr_view_nnz(a) == o->nnz && hash_pattern(a) == o->pattern;
}

/* ---- build ---- */
/* Releases what the arena holds, which must be set. */
static void release_built(struct spmv_operator *o)
{
    const struct backend *b = o->device->backend;
    if (o->launch.prepared)
        b->unprepare(&o->config, &o->launch);
    if (o->layout)
        b->layout_release(o->device, o->config.kernel->layout, o->layout);
    if (o->storage)
        o->storage->layout->free(o->storage);
    o->launch = (struct launch){ 0 };
    o->layout = NULL;
    o->storage = NULL;
}

static void free_built(struct spmv_operator *o)
{
    arena_set(&o->arena);
    release_built(o);
    arena_set(NULL);
    arena_free(&o->arena);
}

struct build {
    struct spmv_operator *o;
    const struct csr_view *view;
    const struct features *features; /* NULL: the configuration is resolved and known to be applicable */
    const char *config;
};

/* Sets the operator's configuration. */
static int resolve(const struct build *b, char why[ERRLEN])
{
    struct spmv_operator *o = b->o;
    struct config asked;
    char inner[ERRLEN];
    if (config_parse(b->config, &asked, why) != 0)
        return FAIL;
    if (!o->device->backend->has_kernel(asked.kernel))
        return fail(why, "%s: the device %s does not have this kernel", asked.kernel->name, o->device->geometry.name);
    int status = config_resolve(&asked, b->features, &o->target, &o->config, why);
    if (status == 0 && o->config.kernel->layout->applicable(b->features, &o->config, &o->target, inner) != 0)
        status = fail(why, "%s: %.440s", asked.kernel->name, inner);
    if (status == 0)
        config_print(&o->config, o->report.config);
    return status;
}

static int convert(struct spmv_operator *o, const struct csr_view *view, char why[ERRLEN])
{
    const struct backend *b = o->device->backend;
    const struct layout *layout = o->config.kernel->layout;
    const double begun_s = now_s();
    int status = layout->build(view, &o->config, &o->target, &o->storage, why);
    if (status != 0)
        return o->storage = NULL, status;
    status = b->upload(o->device, o->storage, &o->layout, why);
    if (status != 0)
        return o->layout = NULL, status;
    if (kind_facts(b->kind)->own_memory) {
        layout->free(o->storage);
        o->storage = NULL;
    }
    const double converted_s = now_s();
    status = b->prepare(o->device, o->layout, &o->config, &o->launch, why);
    if (status != 0)
        return o->launch = (struct launch){ 0 }, status;
    o->report.convert_s = converted_s - begun_s;
    o->report.prepare_s = now_s() - converted_s;
    o->report.bytes = o->layout->bytes;
    return 0;
}

static spmvcast_status build(void *arguments, char why[ERRLEN])
{
    const struct build *b = arguments;
    int status = b->features ? resolve(b, why) : 0;
    if (status == 0)
        status = convert(b->o, b->view, why);
    if (status == 0)
        return SPMVCAST_OK;
    release_built(b->o);
    return status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_INVALID_ARGUMENT;
}

static spmvcast_status run_build(spmvcast_context *c, struct build *b)
{
    struct spmv_operator *o = b->o;
    const spmvcast_status status = library_call(c, &o->arena, build, b);
    if (status != SPMVCAST_OK) { /* the arena is gone */
        o->launch = (struct launch){ 0 };
        o->layout = NULL;
        o->storage = NULL;
    }
    return status;
}

/* ---- choice ---- */
/* Returns the row to try next: that of the configuration named, or the pick among those that the device has. */
static struct outlook_row *next_row(spmvcast_ranking *r, const struct backend *b)
{
    for (int i = 0; i < r->outlook.n; i++)
        if (!b->has_kernel(r->outlook.row[i].config.kernel))
            r->outlook.row[i].shown = false;
    const struct outlook_row *pick = outlook_pick(&r->outlook);
    return pick ? &r->outlook.row[pick - r->outlook.row] : NULL;
}

static void note_forecast(struct operator_report *report, const struct outlook_row *row)
{
    report->time_s = row->forecast.time_s;
    report->low_s = row->forecast.low_s;
    report->high_s = row->forecast.high_s;
}

/* Builds the pick; one that turns out not to hold the matrix is passed over. */
static spmvcast_status build_pick(spmvcast_context *c, struct build *b, spmvcast_ranking *r)
{
    struct outlook_row *row;
    while ((row = next_row(r, b->o->device->backend)) != NULL) {
        b->config = row->text;
        const spmvcast_status status = run_build(c, b);
        if (status == SPMVCAST_OK) {
            b->o->report.picked = true;
            note_forecast(&b->o->report, row);
        }
        if (status != SPMVCAST_INVALID_ARGUMENT)
            return status;
        row->shown = false;
    }
    b->config = operator_default; /* nothing is ranked, e.g. a matrix without entries */
    return run_build(c, b);
}

static spmvcast_status check_profile(spmvcast_context *c, const struct device *d, const spmvcast_profile *p)
{
    if (!p || strcmp(p->profile.device_key, d->facts.key) == 0)
        return SPMVCAST_OK;
    return library_refuse(
        c, SPMVCAST_INVALID_ARGUMENT,
        "profile %s is of another device (%s) than this one (%s); spmv-profile makes one of this device", p->file.name,
        p->profile.device_key, d->facts.key);
}

static spmvcast_status rank(spmvcast_context *c, const spmvcast_pattern *pattern,
                            const struct operator_options *options, spmvcast_ranking **ranking)
{
    spmvcast_rank_options terms = SPMVCAST_RANK_OPTIONS_INIT;
    terms.precision = (spmvcast_precision)options->precision;
    terms.products = options->products;
    terms.configs = &options->config;
    terms.nconfigs = options->config != NULL;
    return spmvcast_rank(c, options->profile, pattern, &terms, ranking);
}

static spmvcast_status choose_and_build(spmvcast_context *c, struct spmv_operator *o, const struct csr_view *view,
                                        const struct operator_options *options)
{
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    spmvcast_pattern *pattern = NULL;
    spmvcast_ranking *ranking = NULL;
    csr.rows = view->rows;
    csr.cols = view->cols;
    csr.row_ptr = view->begin;
    csr.row_ptr_bits = 64;
    csr.col = view->col;
    const double begun_s = now_s();
    spmvcast_status status = spmvcast_pattern_describe(c, &csr, &pattern);
    const double described_s = now_s();
    if (status == SPMVCAST_OK && options->profile)
        status = rank(c, pattern, options, &ranking);
    o->report.features_s = described_s - begun_s;
    o->report.ranking_s = ranking ? now_s() - described_s : 0;
    if (status == SPMVCAST_OK) {
        struct build b = { o, view, &pattern->features, options->config ? options->config : operator_default };
        status = ranking && !options->config ? build_pick(c, &b, ranking) : run_build(c, &b);
        for (int i = 0; ranking && options->config && i < ranking->outlook.n; i++)
            if (strcmp(ranking->outlook.row[i].text, o->report.config) == 0)
                note_forecast(&o->report, &ranking->outlook.row[i]);
    }
    spmvcast_ranking_free(ranking);
    spmvcast_pattern_free(pattern);
    return status;
}

spmvcast_status operator_create(spmvcast_context *c, struct device *device, const struct csr_view *view,
                                const struct operator_options *options, struct spmv_operator **out)
{
    library_begin(c);
    *out = NULL;
    spmvcast_status status = check_profile(c, device, options->profile);
    if (status != SPMVCAST_OK)
        return status;
    struct spmv_operator *o = calloc(1, sizeof *o);
    if (!o)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    *o = (struct spmv_operator){ .device = device,
                                 .target = { device->geometry, options->precision, WARM, GRAPH },
                                 .rows = view->rows,
                                 .cols = view->cols,
                                 .nnz = csr_view_nnz(view),
                                 .report = { .time_s = NAN, .low_s = NAN, .high_s = NAN, .update_s = NAN } };
    if (options->profile)
        snprintf(o->report.profile, sizeof o->report.profile, "%s", options->profile->file.name);
    status = choose_and_build(c, o, view, options);
    if (status != SPMVCAST_OK) {
        free(o);
        return status;
    }
    o->pattern = hash_pattern(view);
    *out = o;
    return SPMVCAST_OK;
}

spmvcast_status operator_update(spmvcast_context *c, struct spmv_operator *o, const struct csr_view *view)
{
    const double begun_s = now_s();
    library_begin(c);
    if (!operator_has_pattern(o, view))
        return library_refuse(c, SPMVCAST_INVALID_MATRIX, "the pattern of the matrix has changed");
    free_built(o);
    struct build b = { o, view, NULL, o->report.config };
    const spmvcast_status status = run_build(c, &b);
    o->report.update_s = now_s() - begun_s;
    o->report.updates += status == SPMVCAST_OK;
    return status;
}

/* ---- products ---- */
static bool equal(double a, double b) { return !(a < b) && !(a > b) && a == a; }

int operator_multiply(struct spmv_operator *o, double alpha, const void *x, double beta, void *y, struct stream *stream,
                      char why[ERRLEN])
{
    const struct backend *b = o->device->backend;
    const enum precision p = o->target.precision;
    const bool sets = equal(beta, 0), adds = equal(beta, 1), plain = equal(alpha, 1);
    const bool direct = sets || plain; /* the kernel may write to y */
    int status = 0;
    if (!o->launch.prepared)
        return fail(why, "the operator is not ready");
    if (!(plain && (sets || adds)) && !b->combine)
        return fail(why, "the device only computes y = A x and y += A x");
    if (equal(alpha, 0))
        return b->combine(o->device, p, o->rows, 0, NULL, beta, y, stream) ? fail(why, "scaling y failed") : 0;
    if (!direct && !o->product)
        status = b->alloc(o->device, o->rows * precision_bytes(p), &o->product, why);
    if (status != 0)
        return o->product = NULL, status;
    if (plain && !sets && !adds)
        status = b->combine(o->device, p, o->rows, 0, NULL, beta, y, stream);
    void *to = direct ? y : o->product;
    if (status == 0)
        status = o->launch.run(o->launch.prepared, x, to, direct && !sets ? Y_ADD : Y_SET, stream);
    if (status == 0 && !plain)
        status = b->combine(o->device, p, o->rows, alpha, to, beta, y, stream);
    o->report.products++;
    return status == 0 ? 0 : fail(why, "%s: the product failed", o->report.config);
}

void operator_get_report(const struct spmv_operator *o, struct operator_report *report) { *report = o->report; }

void operator_free(struct spmv_operator *o)
{
    if (!o)
        return;
    free_built(o);
    if (o->product)
        o->device->backend->release(o->device, o->product);
    free(o);
}
