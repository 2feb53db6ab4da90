/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA back-end: its table. Timing is in cuda_timing.cu, the device in device/, formats and recipes in their own directories. */
#include <cstdlib>
#include <cstring>
#include "backend/cuda_backend.cuh"
#include "formats/cusparse/cusparse_library.cuh"
#include "recipes/expand.h"

static void close(struct device *d)
{
    if (!d)
        return;
    cuda_timing_close(timer_of(d));
    cuda_close(cuda_of(d));
    free(timer_of(d));
}

static int open(int index, struct device **out, char why[ERRLEN])
{
    struct cuda_timer *t = static_cast<struct cuda_timer *>(xcalloc(1, sizeof *t));
    struct device *d = &t->device.base;

    *out = nullptr;
    d->backend = &backend_cuda;
    int status = cuda_open(&t->device, index, why);
    if (status == 0) {
        char missing[ERRLEN];
        const struct cusparse_library *l = cusparse_load(nullptr, missing);
        if (l)
            cusparse_version(l, d->facts.cusparse);
        status = cuda_timing_open(t, why);
    }
    if (status)
        close(d);
    else
        *out = d;
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- formats */
static bool has_kernel(const struct kernel *k) { return kernel_cuda_find(k->name) != nullptr; }

static int vendor(struct device *d, const char *file, char version[32], char why[ERRLEN])
{
    const struct cusparse_library *l = cusparse_load(strcmp(file, "system") == 0 ? nullptr : file, why);

    if (!l)
        return FAIL;
    d->vendor = l;
    cusparse_version(l, version);
    return 0;
}

static int upload(struct device *d, struct storage *s, struct storage **out, char why[ERRLEN])
{
    return storage_upload(d, s, out, why);
}

static bool builds(const struct layout *layout)
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    return l && l->build;
}

static int build(struct device *d, const struct layout *layout, const struct device_csr *csr,
                 const struct config *config, const struct features *features, struct storage **out, char why[ERRLEN])
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    *out = nullptr;
    if (!l)
        return fail(why, "%s: no CUDA code for this layout", layout->name);
    if (!l->build)
        return fail(why, "%s is built on the host only", layout->name);
    int status = l->build(d, csr, config, features, out, why);
    /* nothing was enqueued if all arrays are the csr's */
    if (status == 0 && (*out)->borrowed != BORROWED_ALL && (status = CUDA_WAIT(d, why)) != 0) {
        storage_free(*out);
        *out = nullptr;
    }
    return status;
}

static bool refers(const struct layout *layout)
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    return l && l->refers;
}

static int prepare(struct device *d, const struct storage *s, const struct config *config, struct launch *launch,
                   char why[ERRLEN])
{
    const struct kernel_cuda *k = kernel_cuda_find(config->kernel->name);

    launch->run = nullptr;
    launch->prepared = nullptr;
    if (!k)
        return fail(why, "%s: no CUDA code for this kernel", config->kernel->name);
    launch->run = k->launch;
    const int status = k->prepare(d, s, config, &launch->prepared, why);
    return status || k->waits ? status : CUDA_WAIT(d, why);
}

static int attributes(const struct config *config, const struct launch *launch, struct kernel_attributes *a)
{
    const struct kernel_cuda *k = kernel_cuda_find(config->kernel->name);

    *a = kernel_attributes();
    return k && launch->prepared && k->attributes ? k->attributes(launch->prepared, a) : FAIL;
}

static int part(const struct config *config, struct launch *launch, int p)
{
    const struct kernel_cuda *k = kernel_cuda_find(config->kernel->name);

    return k && launch->prepared && k->part ? k->part(launch->prepared, p) : FAIL;
}

static void unprepare(const struct config *config, struct launch *launch)
{
    const struct kernel_cuda *k = kernel_cuda_find(config->kernel->name);

    if (k && launch->prepared)
        k->release(launch->prepared);
    launch->prepared = nullptr;
}

extern const struct backend backend_cuda = { .kind = DEVICE_CUDA,
                                             .count = cuda_count,
                                             .open = open,
                                             .close = close,
                                             .combine = cuda_combine,
                                             .has_kernel = has_kernel,
                                             .vendor = vendor,
                                             .upload = upload,
                                             .expand = cuda_expand,
                                             .csr_release = cuda_csr_release,
                                             .use = cuda_use,
                                             .holds = cuda_holds,
                                             .csr_take = cuda_csr_take,
                                             .examine = cuda_examine,
                                             .recipe_reference = cuda_recipe_reference,
                                             .builds = builds,
                                             .build = build,
                                             .refers = refers,
                                             .prepare = prepare,
                                             .attributes = attributes,
                                             .part = part,
                                             .unprepare = unprepare,
                                             .empty = cuda_empty,
                                             .branches = cuda_branches,
                                             .branches_free = cuda_branches_free,
                                             .once = cuda_once,
                                             .sequence = cuda_sequence,
                                             .sequence_time = cuda_sequence_time,
                                             .sequence_free = cuda_sequence_free,
                                             .stream_time = cuda_stream_time,
                                             .mark = cuda_mark,
                                             .reached = cuda_reached,
                                             .unmark = cuda_unmark,
                                             .capturing = cuda_capturing,
                                             .guard = cuda_guard,
                                             .crowd = cuda_crowd,
                                             .cold_time = cuda_cold_time,
                                             .spin_up = cuda_spin_up,
                                             .clock = cuda_clock };
