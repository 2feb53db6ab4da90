/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU device: OpenMP threads stand for SMs, the spmv_cpu functions of kernels for CUDA kernels, and loops for graphs.
 * Device memory is host memory, and an upload keeps the storage.
 * A launch returns when it is done; nothing is queued. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "backend/backend.h"
#include "backend/cpu_combine.h"
#include "device/cpu_facts.h"
#include "device/cpu_memory.h"
#include "device/cpu_waits.h"
#include "formats/csr/csr.h"
#include "formats/parts.h"
#include "recipes/recipe_product.h"

struct cpu_device {
    struct device base;
    int64_t *flush; /* buffer with which cold_time fills the caches */
    struct cpu_waits *waits;
    int64_t stolen_ticks; /* value at the last call of cpu_clock */
};
struct cpu_prepared {
    const struct storage *storage;
    struct config config;
    int part; /* -1: all */
};
struct sequence {
    struct launch launch;
    int count;
};

/* Each thread counts as an SM that has this many threads, in warps as large as those of a GPU, because archives
 * store both numbers. */
enum { THREADS = 1024, SPIN_UP_MS = 20, GATHER = 3 };

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the device */
static int cpu_count(char why[ERRLEN])
{
    (void)why;
    return 1;
}

static int cpu_open(int index, struct device **out, char why[ERRLEN])
{
    if (index != 0)
        return fail(why, "invalid CPU device %d; only device 0 exists", index);
    struct cpu_device *d = xcalloc(1, sizeof *d);
    struct geometry *g = &d->base.geometry;
    const int threads = cpu_threads();

    cpu_model(g->name, sizeof g->name);
    g->kind = DEVICE_CPU;
    g->warp = kind_facts(DEVICE_CPU)->warp;
    g->sms = threads;
    g->threads_sm = g->threads_block = THREADS;
    g->warps_sm = THREADS / CUDA_WARP;
    g->blocks_sm = 1;
    g->memory_bytes = cpu_memory_bytes();
    g->l2_bytes = cpu_cache_bytes();
    snprintf(d->base.facts.key, sizeof d->base.facts.key, "CPU %s, %d thread%s", g->name, threads,
             threads == 1 ? "" : "s");
    snprintf(d->base.facts.host_cpu, sizeof d->base.facts.host_cpu, "%s", g->name);
    cpu_build(d->base.facts.build, sizeof d->base.facts.build);
    d->base.backend = &backend_cpu;
    d->base.memory = &cpu_memory;
    d->waits = cpu_waits_open();
    d->stolen_ticks = cpu_stolen_ticks();
    *out = &d->base;
    return 0;
}

static void cpu_close(struct device *device)
{
    struct cpu_device *d = (struct cpu_device *)device;

    if (d) {
        cpu_waits_close(d->waits);
        free(d->flush);
    }
    free(d);
}

/* ---- matrices */
static bool cpu_has_kernel(const struct kernel *k) { return kernel_runs_on(k, DEVICE_CPU); }

static int cpu_upload(struct device *d, struct storage *s, struct storage **out, char why[ERRLEN])
{
    (void)d, (void)why;
    *out = storage_keep(s);
    return 0;
}

/* Of the layouts, CSR alone is built from CSR arrays in place; it refers to them. */
static bool cpu_builds(const struct layout *layout) { return layout == &csr_layout; }

static int cpu_build_layout(struct device *d, const struct layout *layout, const struct device_csr *csr,
                            const struct config *c, const struct features *f, struct storage **out, char why[ERRLEN])
{
    (void)layout, (void)c, (void)f, (void)why;
    return csr_refer(d, csr, out);
}

static int cpu_recipe_reference(struct device *d, const struct recipe *r, enum precision p, double *y, double *bound,
                                int32_t *length, char why[ERRLEN])
{
    (void)d, (void)why;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < r->rows; i++)
        recipe_row_product(r, i, p, &y[i], &bound[i], &length[i]);
    return 0;
}

/* ---- launches */
static int run_kernel(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    const struct cpu_prepared *p = prepared;
    const struct kernel *k = p->config.kernel;

    (void)stream;
    if (p->part >= 0)
        parts_spmv_part(p->storage, &p->config, p->part, x, y, mode);
    else if (k->spmv_cpu)
        k->spmv_cpu(p->storage, &p->config, x, y, mode);
    else
        p->storage->layout->spmv_host(p->storage, x, y, mode);
    return 0;
}

/* An empty parallel region, to time its overhead. */
static int run_empty(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    (void)prepared, (void)x, (void)y, (void)mode, (void)stream;
#pragma omp parallel
    __asm__ volatile("" ::: "memory");
    return 0;
}

static int cpu_prepare(struct device *d, const struct storage *s, const struct config *config, struct launch *l,
                       char why[ERRLEN])
{
    (void)d;
    if (!cpu_has_kernel(config->kernel))
        return fail(why, "%s is a kernel of a CUDA library; the CPU device does not support it", config->kernel->name);
    struct cpu_prepared *p = xcalloc(1, sizeof *p);
    p->storage = s;
    p->config = *config;
    p->part = -1;
    l->run = run_kernel;
    l->prepared = p;
    return 0;
}

static int cpu_attributes(const struct config *config, const struct launch *l, struct kernel_attributes *a)
{
    (void)config, (void)l;
    *a = (struct kernel_attributes){ 0 };
    return 0;
}

static int cpu_part(const struct config *config, struct launch *l, int part)
{
    struct cpu_prepared *p = l->prepared;
    const bool composite = parts_name(config->kernel->layout, 0) != NULL;

    if (!composite || (part >= 0 && (part >= PARTS_MAX || !((const struct parts *)p->storage)->part[part].storage)))
        return FAIL;
    p->part = part;
    return 0;
}

static void cpu_unprepare(const struct config *config, struct launch *l)
{
    (void)config;
    free(l->prepared);
    l->prepared = NULL;
}

static int cpu_empty(struct device *d, struct grid grid, struct launch *l, char why[ERRLEN])
{
    (void)d, (void)grid, (void)why;
    *l = (struct launch){ .run = run_empty };
    return 0;
}

/* ---- timing */
static int launch_times(const struct launch *l, int count, double *time_s, char why[ERRLEN])
{
    const double begun_s = now_s();

    for (int i = 0; i < count; i++)
        if (l->run(l->prepared, l->x, l->y, Y_SET, NULL))
            return fail(why, "a kernel failed");
    *time_s = now_s() - begun_s;
    return 0;
}

static double waits_s(const struct device *d) { return cpu_waits_s(((const struct cpu_device *)d)->waits); }

static int cpu_once(struct device *d, const struct launch *l, char why[ERRLEN])
{
    double time_s;

    (void)d;
    return launch_times(l, 1, &time_s, why);
}

static int cpu_sequence(struct device *d, const struct launch *l, int count, struct sequence **out, char why[ERRLEN])
{
    (void)d, (void)why;
    *out = xcalloc(1, sizeof **out);
    **out = (struct sequence){ *l, count };
    return 0;
}

static int cpu_sequence_time(struct device *d, struct sequence *s, double *time_s, char why[ERRLEN])
{
    const double before_s = waits_s(d);
    const int status = launch_times(&s->launch, s->count, time_s, why);

    d->disturbed_s = waits_s(d) - before_s;
    return status;
}

static void cpu_sequence_free(struct device *d, struct sequence *s)
{
    (void)d;
    free(s);
}

static int cpu_stream_time(struct device *d, const struct launch *l, int count, double *time_s, char why[ERRLEN])
{
    const double before_s = waits_s(d);
    const int status = launch_times(l, count, time_s, why);

    d->disturbed_s = waits_s(d) - before_s;
    *time_s /= count;
    return status;
}

static int cpu_mark(struct device *d, struct mark *m, struct stream *stream)
{
    (void)d, (void)stream;
    m->time_s = now_s();
    return 0;
}

static bool cpu_reached(struct device *d, const struct mark *from, const struct mark *to, double *time_s)
{
    (void)d;
    *time_s = to->time_s - from->time_s;
    return true;
}

static void cpu_unmark(struct device *d, struct mark *m)
{
    (void)d;
    *m = (struct mark){ 0 };
}

/* Writes and then reads twice the size of the last-level cache, so that caches only hold clean lines of other data. */
static int cpu_cold_time(struct device *device, const struct launch *l, double *time_s, char why[ERRLEN])
{
    struct cpu_device *d = (struct cpu_device *)device;
    const int64_t n = 2 * device->geometry.l2_bytes / (int64_t)sizeof *d->flush;
    int64_t sum = 0;

    if (!d->flush) {
        void *p;
        const int status = cpu_memory.alloc(device, n * (int64_t)sizeof *d->flush, &p, why);
        if (status)
            return status;
        d->flush = p;
    }
    int64_t *flush = d->flush;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        flush[i] = i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += flush[i];
    if (sum != n * (n - 1) / 2)
        return fail(why, "memory error: the values read differ from those written");
    /* Wake and synchronize all threads before timing, like the gate on a GPU. */
    const double before_s = waits_s(device);
    for (int i = 0; i < GATHER; i++)
        run_empty(NULL, NULL, NULL, Y_SET, NULL);
    const int status = launch_times(l, 1, time_s, why);
    device->disturbed_s = waits_s(device) - before_s;
    return status;
}

static int cpu_spin_up(struct device *d, double *clock_mhz, char why[ERRLEN])
{
    const double end_s = now_s() + 1e-3 * SPIN_UP_MS;

    (void)d, (void)why;
#pragma omp parallel
    while (now_s() < end_s)
        ;
    *clock_mhz = cpu_clock_mhz();
    return 0;
}

static int cpu_clock(struct device *d, double *clock_mhz, bool *throttled, char why[ERRLEN])
{
    struct cpu_device *c = (struct cpu_device *)d;
    const int64_t before = c->stolen_ticks;

    (void)why;
    *clock_mhz = cpu_clock_mhz();
    c->stolen_ticks = cpu_stolen_ticks();
    *throttled = c->stolen_ticks > before;
    return 0;
}

/* Recipes are not expanded and layouts but CSR not built on the device: the host code uses the same memory and cores. */
const struct backend backend_cpu = {
    .kind = DEVICE_CPU,
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .combine = cpu_combine,
    .has_kernel = cpu_has_kernel,
    .upload = cpu_upload,
    .csr_take = cpu_csr_take,
    .builds = cpu_builds,
    .build = cpu_build_layout,
    .refers = cpu_builds,
    .recipe_reference = cpu_recipe_reference,
    .prepare = cpu_prepare,
    .attributes = cpu_attributes,
    .part = cpu_part,
    .unprepare = cpu_unprepare,
    .empty = cpu_empty,
    .once = cpu_once,
    .sequence = cpu_sequence,
    .sequence_time = cpu_sequence_time,
    .sequence_free = cpu_sequence_free,
    .stream_time = cpu_stream_time,
    .mark = cpu_mark,
    .reached = cpu_reached,
    .unmark = cpu_unmark,
    .cold_time = cpu_cold_time,
    .spin_up = cpu_spin_up,
    .clock = cpu_clock,
};
