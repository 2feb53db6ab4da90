/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA back-end: opening a device, its memory, and the table of device.h. Timing is in cuda_timing.cu, device facts in
 * cuda_facts.cu, formats and recipes in their own directories. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include "device/cuda.cuh"

/* ---------------------------------------------------------------------------------------------------------- checks */
/* Errors after which all further CUDA calls of the process fail. */
static bool sticky(cudaError_t e)
{
    static const cudaError_t errors[] = { cudaErrorIllegalAddress,
                                          cudaErrorMisalignedAddress,
                                          cudaErrorInvalidAddressSpace,
                                          cudaErrorInvalidPc,
                                          cudaErrorIllegalInstruction,
                                          cudaErrorHardwareStackError,
                                          cudaErrorAssert,
                                          cudaErrorLaunchFailure,
                                          cudaErrorLaunchTimeout,
                                          cudaErrorECCUncorrectable,
                                          cudaErrorNvlinkUncorrectable,
                                          cudaErrorContextIsDestroyed,
                                          cudaErrorDeviceUninitialized,
                                          cudaErrorUnknown };
    for (cudaError_t known : errors)
        if (e == known)
            return true;
    return false;
}

int cuda_check(struct device *d, cudaError_t e, const char *call, const char *file, int line, char why[ERRLEN])
{
    if (e == cudaSuccess)
        return 0;
    (void)cudaGetLastError(); /* clears an error that is not sticky */
    if (d && sticky(e))
        d->lost = true;
    fail(why, "%s:%d: %s: %s (%s)", file, line, call, cudaGetErrorString(e), cudaGetErrorName(e));
    return e == cudaErrorMemoryAllocation ? OOM : FAIL;
}

int cuda_wait(struct device *d, const char *file, int line, char why[ERRLEN])
{
    return cuda_check(d, cudaStreamSynchronize(cuda_stream(d)), "waiting for the GPU", file, line, why);
}

/* ---------------------------------------------------------------------------------------------------------- memory */
static int memory(struct device *d, int64_t *free_bytes)
{
    size_t left, total;

    *free_bytes = 0;
    if (cudaMemGetInfo(&left, &total) != cudaSuccess) {
        (void)cudaGetLastError();
        return FAIL;
    }
    (void)d;
    *free_bytes = static_cast<int64_t>(left);
    return 0;
}

int cuda_alloc(struct device *d, int64_t bytes, void **p, char why[ERRLEN])
{
    int64_t left = 0;
    /* a caller's thread may be capturing a stream, which forbids allocations that are not declared harmless */
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    const cudaError_t e = cudaMalloc(p, bytes > 0 ? static_cast<size_t>(bytes) : 1);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);

    if (e == cudaSuccess)
        return 0;
    *p = nullptr;
    if (e != cudaErrorMemoryAllocation)
        return cuda_check(d, e, "cudaMalloc", __FILE__, __LINE__, why);
    (void)cudaGetLastError();
    (void)memory(d, &left);
    fail(why, "out of GPU memory: %" PRId64 " bytes requested, %" PRId64 " free", static_cast<int64_t>(bytes),
         static_cast<int64_t>(left));
    return OOM;
}

void cuda_release(struct device *d, void *p)
{
    char why[ERRLEN];

    if (p && CUDA_CHECK(d, cudaFree(p), why) != 0 && !d->lost)
        warn("%s", why);
}

static int copy(struct device *d, void *to, const void *from, int64_t bytes, char why[ERRLEN])
{
    int status = 0;

    if (bytes <= 0)
        return 0;
    status =
        CUDA_CHECK(d, cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, cuda_stream(d)), why);
    return status ? status : CUDA_WAIT(d, why);
}

int cuda_put(struct device *d, void *to, const void *from, int64_t bytes, char why[ERRLEN])
{
    return copy(d, to, from, bytes, why);
}
int cuda_get(struct device *d, void *to, const void *from, int64_t bytes, char why[ERRLEN])
{
    return copy(d, to, from, bytes, why);
}

int cuda_upload(struct device *d, void **p, const void *from, int64_t bytes, char why[ERRLEN])
{
    const int status = cuda_alloc(d, bytes, p, why);
    return status ? status : cuda_put(d, *p, from, bytes, why);
}

int cuda_scratch(struct device *d, int64_t bytes, void **p, char why[ERRLEN])
{
    struct cuda_device *c = cuda_of(d);
    int status = 0;

    if (bytes > c->scratch_bytes) {
        cuda_release(d, c->scratch);
        c->scratch = nullptr;
        c->scratch_bytes = 0;
        if ((status = cuda_alloc(d, bytes, &c->scratch, why)) != 0)
            return status;
        c->scratch_bytes = bytes;
    }
    *p = c->scratch;
    return 0;
}

static int open_note(struct cuda_device *c, char why[ERRLEN])
{
    return c->note ? 0 : CUDA_CHECK(&c->base, cudaMallocHost(&c->note, CUDA_NOTE), why);
}

int cuda_note(struct device *d, const void *from, int64_t bytes, const void **note, char why[ERRLEN])
{
    struct cuda_device *c = cuda_of(d);
    const int status = open_note(c, why);

    if (bytes > CUDA_NOTE)
        bug("cuda_note: %" PRId64 " bytes", bytes);
    *note = c->note;
    return status ? status : cuda_get(d, c->note, from, bytes, why);
}

int cuda_tally(struct device *d, unsigned long long **sum, void **note, char why[ERRLEN])
{
    struct cuda_device *c = cuda_of(d);
    int status = open_note(c, why);

    if (status == 0 && !c->tally) {
        if ((status = cuda_alloc_n(d, CUDA_TALLY, &c->tally, why)) == 0)
            status = CUDA_CHECK(d, cudaMemsetAsync(c->tally, 0, CUDA_TALLY * sizeof *c->tally, cuda_stream(d)), why);
    }
    *sum = c->tally;
    *note = c->note;
    return status;
}

static int use(struct device *d, char why[ERRLEN]) { return CUDA_CHECK(d, cudaSetDevice(d->index), why); }

static bool holds(struct device *d, const void *p)
{
    cudaPointerAttributes a;

    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return a.type == cudaMemoryTypeManaged || (a.type == cudaMemoryTypeDevice && a.device == d->index);
}

static int fill(struct device *d, void *p, int byte, int64_t bytes, char why[ERRLEN])
{
    int status = 0;

    if (bytes <= 0)
        return 0;
    status = CUDA_CHECK(d, cudaMemsetAsync(p, byte, static_cast<size_t>(bytes), cuda_stream(d)), why);
    return status ? status : CUDA_WAIT(d, why);
}

/* ---------------------------------------------------------------------------------------------------------- opening */
static int count(char why[ERRLEN])
{
    int n = 0;
    const cudaError_t e = cudaGetDeviceCount(&n);

    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        fail(why, "no usable NVIDIA GPU: %s", cudaGetErrorString(e));
        return 0;
    }
    if (n == 0)
        fail(why, "no usable NVIDIA GPU (check CUDA_VISIBLE_DEVICES)");
    return n;
}

static void close(struct device *d)
{
    struct cuda_device *c = cuda_of(d);
    char why[ERRLEN];

    if (!d)
        return;
    cuda_timing_close(c);
    cuda_facts_close(c);
    cuda_release(d, c->scratch);
    cuda_release(d, c->tally);
    if (c->note && CUDA_CHECK(d, cudaFreeHost(c->note), why) != 0 && !d->lost)
        warn("%s", why);
    if (c->stream.cuda && CUDA_CHECK(d, cudaStreamDestroy(c->stream.cuda), why) != 0 && !d->lost)
        warn("%s", why);
    free(c);
}

static void read_geometry(const struct cudaDeviceProp *prop, struct geometry *g)
{
    snprintf(g->name, sizeof g->name, "%.63s", prop->name);
    g->kind = DEVICE_CUDA;
    g->warp = prop->warpSize;
    g->sms = prop->multiProcessorCount;
    g->warps_sm = prop->maxThreadsPerMultiProcessor / prop->warpSize;
    g->threads_sm = prop->maxThreadsPerMultiProcessor;
    g->threads_block = prop->maxThreadsPerBlock;
    g->blocks_sm = prop->maxBlocksPerMultiProcessor;
    g->regs_sm = prop->regsPerMultiprocessor;
    g->shared_sm = static_cast<int64_t>(prop->sharedMemPerMultiprocessor);
    g->memory_bytes = static_cast<int64_t>(prop->totalGlobalMem);
    g->l2_bytes = prop->l2CacheSize;
}

static int open(int index, struct device **out, char why[ERRLEN])
{
    struct cuda_device *c = static_cast<struct cuda_device *>(xcalloc(1, sizeof *c));
    struct device *d = &c->base;
    struct cudaDeviceProp prop;
    int status = 0;
    int n = 0;

    *out = nullptr;
    d->backend = &backend_cuda;
    d->index = index;
    n = count(why);
    if (n == 0) {
        status = FAIL;
        goto out;
    }
    if (index < 0 || index >= n) {
        status = fail(why, "GPU %d not found: %d visible (0..%d)", index, n, n - 1);
        goto out;
    }
    if ((status = CUDA_CHECK(d, cudaSetDevice(index), why)) != 0)
        goto out;
    if ((status = CUDA_CHECK(d, cudaGetDeviceProperties(&prop, index), why)) != 0)
        goto out;
    read_geometry(&prop, &d->geometry);
    if ((status = CUDA_CHECK(d, cudaStreamCreateWithFlags(&c->stream.cuda, cudaStreamNonBlocking), why)) != 0)
        goto out;
    if ((status = cuda_facts_open(c, why)) != 0)
        goto out;
    if ((status = cuda_timing_open(c, why)) != 0)
        goto out;
    *out = d;
out:
    if (status)
        close(d);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- formats */
static bool has_kernel(const struct kernel *k) { return kernel_cuda_find(k->name) != nullptr; }

static int upload(struct device *d, const struct storage *s, struct device_layout **out, char why[ERRLEN])
{
    const struct layout_cuda *l = layout_cuda_find(s->layout->name);

    *out = nullptr;
    return l ? l->upload(d, s, out, why) : fail(why, "%s: no CUDA code for this layout", s->layout->name);
}

static bool builds(const struct layout *layout)
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    return l && l->build;
}

static int build(struct device *d, const struct layout *layout, const struct device_csr *csr,
                 const struct config *config, const struct features *features, struct device_layout **out,
                 char why[ERRLEN])
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    *out = nullptr;
    if (!l)
        return fail(why, "%s: no CUDA code for this layout", layout->name);
    if (!l->build)
        return fail(why, "%s is built on the host only", layout->name);
    const int status = l->build(d, csr, config, features, out, why);
    return status ? status : CUDA_WAIT(d, why);
}

static bool refers(const struct layout *layout)
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    return l && l->refers;
}

static void layout_release(struct device *d, const struct layout *layout, struct device_layout *dev)
{
    const struct layout_cuda *l = layout_cuda_find(layout->name);

    if (dev && l)
        l->release(d, dev);
}

static int prepare(struct device *d, const struct device_layout *dev, const struct config *config,
                   struct launch *launch, char why[ERRLEN])
{
    const struct kernel_cuda *k = kernel_cuda_find(config->kernel->name);

    launch->run = nullptr;
    launch->prepared = nullptr;
    if (!k)
        return fail(why, "%s: no CUDA code for this kernel", config->kernel->name);
    launch->run = k->launch;
    const int status = k->prepare(d, dev, config, &launch->prepared, why);
    return status ? status : CUDA_WAIT(d, why);
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
                                             .count = count,
                                             .open = open,
                                             .close = close,
                                             .memory = memory,
                                             .alloc = cuda_alloc,
                                             .release = cuda_release,
                                             .put = cuda_put,
                                             .get = cuda_get,
                                             .fill = fill,
                                             .combine = cuda_combine,
                                             .has_kernel = has_kernel,
                                             .upload = upload,
                                             .expand = cuda_expand,
                                             .csr_release = cuda_csr_release,
                                             .use = use,
                                             .holds = holds,
                                             .csr_take = cuda_csr_take,
                                             .examine = cuda_examine,
                                             .recipe_reference = cuda_recipe_reference,
                                             .builds = builds,
                                             .build = build,
                                             .refers = refers,
                                             .layout_release = layout_release,
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
                                             .cold_time = cuda_cold_time,
                                             .spin_up = cuda_spin_up,
                                             .clock = cuda_clock };
