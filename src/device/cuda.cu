/* SPDX-License-Identifier: BSD-3-Clause */
/* A CUDA device: checked calls, its memory, opening. Its facts are in cuda_facts.cu. */
#include <cinttypes>
#include <cstdio>
#include "base/clock.h"
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
                                          static_cast<cudaError_t>(226), /* of newer toolkits: cudaErrorContained */
                                          static_cast<cudaError_t>(721), /* cudaErrorTensorMemoryLeak */
                                          cudaErrorExternalDevice,
                                          cudaErrorMpsClientTerminated,
                                          cudaErrorNoDevice,
                                          cudaErrorDevicesUnavailable,
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

int cuda_wait_note(struct device *d, const volatile unsigned long long *done, const char *file, int line,
                   char why[ERRLEN])
{
    static const double patience_s = 200e-6;
    const double until_s = now_s() + patience_s;

    while (*done == 0)
        if (now_s() > until_s)
            return cuda_wait(d, file, line, why);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- memory */
static int left_bytes(struct device *d, int64_t *free_bytes)
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
    (void)left_bytes(d, &left);
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

static void spare_drop(struct cuda_device *c)
{
    for (void *&p : c->spare) {
        cuda_release(&c->base, p);
        p = nullptr;
    }
    c->spare_bytes = 0;
}

int cuda_spare(struct device *d, int64_t bytes, void **p, uint64_t *turn, char why[ERRLEN])
{
    struct cuda_device *c = cuda_of(d);
    int status = 0;

    if (bytes > c->spare_bytes || bytes < c->spare_bytes / 4) { /* who takes it shall not get much too much */
        spare_drop(c);
        c->spare_bytes = bytes;
    }
    if (!c->spare[0])
        status = cuda_alloc(d, c->spare_bytes, &c->spare[0], why);
    *p = c->spare[0];
    *turn = ++c->spare_turn;
    return status;
}

void cuda_spare_more(struct device *d)
{
    struct cuda_device *c = cuda_of(d);
    char ignored[ERRLEN];

    if (!c->spare[1])
        (void)cuda_alloc(d, c->spare_bytes, &c->spare[1], ignored);
}

void *cuda_spare_take(struct device *d, uint64_t turn)
{
    struct cuda_device *c = cuda_of(d);
    void *p = c->spare[0];

    if (turn == 0 || turn != c->spare_turn)
        return nullptr;
    c->spare[0] = c->spare[1];
    c->spare[1] = nullptr;
    c->spare_turn++;
    return p;
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

int cuda_use(struct device *d, char why[ERRLEN]) { return CUDA_CHECK(d, cudaSetDevice(d->index), why); }

bool cuda_holds(struct device *d, const void *p)
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

static const struct device_memory cuda_memory = {
    .alloc = cuda_alloc, .release = cuda_release, .put = cuda_put, .get = cuda_get, .fill = fill, .left = left_bytes
};

/* ---------------------------------------------------------------------------------------------------------- opening */
int cuda_count(char why[ERRLEN])
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

void cuda_close(struct cuda_device *c)
{
    struct device *d = &c->base;
    char why[ERRLEN];

    cuda_facts_close(c);
    cuda_release(d, c->scratch);
    spare_drop(c);
    cuda_release(d, c->tally);
    if (c->note && CUDA_CHECK(d, cudaFreeHost(c->note), why) != 0 && !d->lost)
        warn("%s", why);
    if (c->stream.cuda && CUDA_CHECK(d, cudaStreamDestroy(c->stream.cuda), why) != 0 && !d->lost)
        warn("%s", why);
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

int cuda_open(struct cuda_device *c, int index, char why[ERRLEN])
{
    struct device *d = &c->base;
    struct cudaDeviceProp prop;
    const int n = cuda_count(why);
    int status = 0;

    d->memory = &cuda_memory;
    d->index = index;
    if (n == 0)
        return FAIL;
    if (index < 0 || index >= n)
        return fail(why, "GPU %d not found: %d visible (0..%d)", index, n, n - 1);
    if ((status = CUDA_CHECK(d, cudaSetDevice(index), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaGetDeviceProperties(&prop, index), why)) != 0)
        return status;
    read_geometry(&prop, &d->geometry);
    if ((status = CUDA_CHECK(d, cudaStreamCreateWithFlags(&c->stream.cuda, cudaStreamNonBlocking), why)) != 0)
        return status;
    return cuda_facts_open(c, why);
}
