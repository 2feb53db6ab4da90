/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing on a GPU. Sequences are CUDA graphs of chained launches, created by stream capture and launched once
 * beforehand. They are not uploaded by cudaGraphUpload: on an H200 (driver 580), two thirds of the graphs of a small
 * program that uploads them take 0.18 us longer for each kernel, which ones changing as graphs are made and destroyed;
 * without uploads none does.
 *
 * The gate: timed work (event, launches, event) is queued behind a kernel that waits until the host opens the gate, so
 * times exclude the host's launch overhead. The gate times out after gate_limit_ns: if queueing ever waits for the
 * device, one sample is lost, not the run. */
#include <cmath>
#include <cstdlib>
#include "backend/cuda_backend.cuh"
#include "base/clock.h"

static const unsigned long long gate_limit_ns = 50ull * 1000 * 1000;
/* long compared with a tick of the timer, short compared with a sample */
static const unsigned long long clock_window_ns = 50ull * 1000;
static const double spin_up_limit_s = 2.0;

struct cuda_empty {
    struct cuda_empty *next;
    struct grid grid;
};
struct sequence {
    cudaGraphExec_t graph;
};

/* ---------------------------------------------------------------------------------------------------------- kernels */
static __device__ __forceinline__ unsigned long long wall_ns(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

static __global__ void empty_kernel(void) {}

/* Run with one thread, which waits until *gate == turn or for limit_ns. */
static __global__ void gate_kernel(const volatile unsigned *gate, unsigned turn, unsigned long long limit_ns)
{
    const unsigned long long begin = wall_ns();

    while (*gate != turn && wall_ns() - begin < limit_ns)
        __nanosleep(100);
}

/* Every thread is busy for at least window_ns, from one tick of the timer to another; thread 0 of block 0 writes the
 * cycles and the time between the two ticks. */
static __global__ void clock_kernel(struct cuda_sample *sample, unsigned long long window_ns)
{
    unsigned long long tick = wall_ns(), first_ns, last_ns;
    long long first, last;

    do
        first_ns = wall_ns();
    while (first_ns == tick);
    first = clock64();
    do
        tick = wall_ns();
    while (tick - first_ns < window_ns);
    do
        last_ns = wall_ns();
    while (last_ns == tick);
    last = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        sample->cycles = static_cast<unsigned long long>(last - first);
        sample->ns = last_ns - first_ns;
    }
}

/* Writes the flush buffer, in 16-byte words, with a grid-stride loop. */
static __global__ void flush_write_kernel(uint4 *p, int64_t n, unsigned value)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        p[i] = make_uint4(value, value, value, value);
}

static __global__ void flush_read_kernel(const uint4 *p, int64_t n, unsigned *sum)
{
    unsigned s = 0;

    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        const uint4 v = __ldcg(p + i);
        s ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (s == 0x9e3779b9u)
        *sum = s; /* never true, since equal words cancel; it keeps the compiler from removing the reads */
}

/* ---------------------------------------------------------------------------------------------------------- setup */
int cuda_timing_open(struct cuda_timer *c, char why[ERRLEN])
{
    struct device *d = &c->device.base;
    int status = 0;

    if ((status = CUDA_CHECK(d, cudaEventCreate(&c->start), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaEventCreate(&c->end), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(
             d, cudaHostAlloc(reinterpret_cast<void **>(&c->gate), sizeof *c->gate, cudaHostAllocMapped), why))
        != 0)
        return status;
    *c->gate = 0;
    return CUDA_CHECK(d, cudaHostAlloc(reinterpret_cast<void **>(&c->sample), sizeof *c->sample, cudaHostAllocMapped),
                      why);
}

void cuda_timing_close(struct cuda_timer *c)
{
    struct device *d = &c->device.base;
    struct cuda_empty *e, *next;
    char why[ERRLEN];
    int status = 0;

    for (e = c->empties; e; e = next) {
        next = e->next;
        free(e);
    }
    cuda_release(d, c->flush);
    cuda_release(d, c->flush_sum);
    if (c->gate)
        status |= CUDA_CHECK(d, cudaFreeHost(c->gate), why);
    if (c->sample)
        status |= CUDA_CHECK(d, cudaFreeHost(c->sample), why);
    if (c->start)
        status |= CUDA_CHECK(d, cudaEventDestroy(c->start), why);
    if (c->end)
        status |= CUDA_CHECK(d, cudaEventDestroy(c->end), why);
    if (status && !d->lost)
        warn("%s", why);
}

/* ----------------------------------------------------------------------------------------------------------
 * launches */
static int run_empty(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct cuda_empty *e = static_cast<const struct cuda_empty *>(prepared);

    (void)x, (void)y, (void)mode;
    empty_kernel<<<static_cast<unsigned>(e->grid.blocks), static_cast<unsigned>(e->grid.threads), 0, s->cuda>>>();
    return cudaPeekAtLastError() == cudaSuccess ? 0 : FAIL;
}

int cuda_empty(struct device *d, struct grid grid, struct launch *launch, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    struct cuda_empty *e;
    dim3 blocks, threads;
    const int status = cuda_grid(grid, &blocks, &threads, why);

    if (status)
        return status;
    e = static_cast<struct cuda_empty *>(xcalloc(1, sizeof *e));
    e->grid = grid;
    e->next = c->empties;
    c->empties = e;
    launch->run = run_empty;
    launch->prepared = e;
    launch->x = nullptr;
    launch->y = nullptr;
    return 0;
}

/* Enqueues one run. On failure, `why` states the last error of CUDA or, if there is none, that the library failed. */
static int enqueue(struct device *d, const struct launch *l, char why[ERRLEN])
{
    const int status = l->run(l->prepared, l->x, l->y, Y_SET, &cuda_of(d)->stream);
    const cudaError_t e = cudaGetLastError();

    if (e != cudaSuccess)
        return cuda_check(d, e, "kernel launch", __FILE__, __LINE__, why);
    return status ? fail(why, "kernel launch failed in the library") : 0;
}

int cuda_once(struct device *d, const struct launch *l, char why[ERRLEN])
{
    const int status = enqueue(d, l, why);
    return status ? status : CUDA_WAIT(d, why);
}

/* ---------------------------------------------------------------------------------------------------------- the
 * gate */
static int gate_close(struct device *d, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);

    c->gate_turn++;
    gate_kernel<<<1, 1, 0, cuda_stream(d)>>>(c->gate, c->gate_turn, gate_limit_ns);
    return CUDA_LAUNCHED(d, why);
}

static void gate_open(struct device *d)
{
    struct cuda_timer *c = timer_of(d);

    __atomic_store_n(c->gate, c->gate_turn, __ATOMIC_RELEASE);
}

static int elapsed(struct device *d, double *time_s, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    float ms = 0;
    int status = 0;

    if ((status = CUDA_CHECK(d, cudaEventSynchronize(c->end), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaEventElapsedTime(&ms, c->start, c->end), why)) != 0)
        return status;
    *time_s = static_cast<double>(ms) * 1e-3;
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------
 * sequences */
int cuda_sequence(struct device *d, const struct launch *l, int count, struct sequence **out, char why[ERRLEN])
{
    cudaStream_t stream = cuda_stream(d);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    char ignored[ERRLEN];
    int status = 0, ended = 0;

    *out = nullptr;
    if ((status = CUDA_CHECK(d, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), why)) != 0)
        return status;
    for (int i = 0; i < count && status == 0; i++)
        status = enqueue(d, l, why);
    ended = CUDA_CHECK(d, cudaStreamEndCapture(stream, &graph), status ? ignored : why);
    if (status == 0)
        status = ended;
    if (status)
        goto out;
    if ((status = CUDA_CHECK(d, cudaGraphInstantiate(&exec, graph, 0), why)) != 0)
        goto out;
    if ((status = CUDA_CHECK(d, cudaGraphLaunch(exec, stream), why)) != 0)
        goto out;
    if ((status = CUDA_WAIT(d, why)) != 0)
        goto out;
    *out = static_cast<struct sequence *>(xmalloc(sizeof **out));
    (*out)->graph = exec;
    exec = nullptr;
out:
    if (exec)
        (void)CUDA_CHECK(d, cudaGraphExecDestroy(exec), ignored);
    if (graph)
        (void)CUDA_CHECK(d, cudaGraphDestroy(graph), ignored);
    return status;
}

int cuda_sequence_time(struct device *d, struct sequence *s, double *time_s, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    int status = 0;

    if ((status = gate_close(d, why)) != 0)
        return status;
    status = CUDA_CHECK(d, cudaEventRecord(c->start, cuda_stream(d)), why);
    if (status == 0)
        status = CUDA_CHECK(d, cudaGraphLaunch(s->graph, cuda_stream(d)), why);
    if (status == 0)
        status = CUDA_CHECK(d, cudaEventRecord(c->end, cuda_stream(d)), why);
    gate_open(d);
    return status ? status : elapsed(d, time_s, why);
}

void cuda_sequence_free(struct device *d, struct sequence *s)
{
    char why[ERRLEN];

    if (!s)
        return;
    if (CUDA_CHECK(d, cudaGraphExecDestroy(s->graph), why) != 0 && !d->lost)
        warn("%s", why);
    free(s);
}

/* Times launches as in a solver: without a gate, so the time includes the host's launch overhead. */
int cuda_stream_time(struct device *d, const struct launch *l, int count, double *time_s, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    double whole_s = 0;
    int status = 0;

    if ((status = CUDA_CHECK(d, cudaEventRecord(c->start, cuda_stream(d)), why)) != 0)
        return status;
    for (int i = 0; i < count; i++)
        if ((status = enqueue(d, l, why)) != 0)
            return status;
    if ((status = CUDA_CHECK(d, cudaEventRecord(c->end, cuda_stream(d)), why)) != 0)
        return status;
    if ((status = elapsed(d, &whole_s, why)) != 0)
        return status;
    *time_s = whole_s / count;
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- marks */
int cuda_mark(struct device *d, struct mark *m, struct stream *stream)
{
    char why[ERRLEN];
    cudaEvent_t event = static_cast<cudaEvent_t>(m->event);

    if (!event && CUDA_CHECK(d, cudaEventCreate(&event), why) != 0)
        return FAIL;
    m->event = event;
    return CUDA_CHECK(d, cudaEventRecord(event, stream->cuda), why);
}

bool cuda_reached(struct device *d, const struct mark *from, const struct mark *to, double *time_s)
{
    const cudaEvent_t first = static_cast<cudaEvent_t>(from->event), last = static_cast<cudaEvent_t>(to->event);
    char why[ERRLEN];
    float ms = 0;
    cudaError_t e = cudaEventQuery(first);

    *time_s = NAN;
    if (e == cudaSuccess)
        e = cudaEventQuery(last);
    if (e == cudaErrorNotReady)
        return (void)cudaGetLastError(), false;
    if (CUDA_CHECK(d, e, why) == 0 && CUDA_CHECK(d, cudaEventElapsedTime(&ms, first, last), why) == 0)
        *time_s = 1e-3 * static_cast<double>(ms);
    return true;
}

void cuda_unmark(struct device *d, struct mark *m)
{
    char why[ERRLEN];

    if (m->event)
        (void)CUDA_CHECK(d, cudaEventDestroy(static_cast<cudaEvent_t>(m->event)), why);
    *m = mark();
}

/* A stream about which CUDA refuses to say so, the legacy one while another stream is captured, counts as captured. */
bool cuda_capturing(struct stream *stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    if (cudaStreamIsCapturing(stream->cuda, &status) != cudaSuccess)
        return (void)cudaGetLastError(), true;
    return status != cudaStreamCaptureStatusNone;
}

int cuda_guard(int on)
{
    cudaStreamCaptureMode mode = on == 0   ? cudaStreamCaptureModeRelaxed
                                 : on == 1 ? cudaStreamCaptureModeGlobal
                                           : cudaStreamCaptureModeThreadLocal;

    if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess)
        return (void)cudaGetLastError(), on;
    return mode == cudaStreamCaptureModeRelaxed ? 0 : mode == cudaStreamCaptureModeGlobal ? 1 : 2;
}

/* ---------------------------------------------------------------------------------------------------------- cold */
static int flush_alloc(struct device *d, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    int status = 0;

    if (c->flush)
        return 0;
    c->flush_bytes = 2 * d->geometry.l2_bytes;
    if (!c->flush_sum && (status = cuda_alloc_n(d, 1, &c->flush_sum, why)) != 0)
        return status;
    return cuda_alloc(d, c->flush_bytes, &c->flush, why);
}

int cuda_crowd(struct device *d, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    const unsigned blocks = static_cast<unsigned>(d->geometry.sms) * 4;
    int status = flush_alloc(d, why);
    const int64_t words = c->flush_bytes / static_cast<int64_t>(sizeof(uint4));

    if (status)
        return status;
    flush_write_kernel<<<blocks, 512, 0, cuda_stream(d)>>>(static_cast<uint4 *>(c->flush), words, c->gate_turn);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    flush_read_kernel<<<blocks, 512, 0, cuda_stream(d)>>>(static_cast<const uint4 *>(c->flush), words, c->flush_sum);
    return CUDA_LAUNCHED(d, why);
}

int cuda_cold_time(struct device *d, const struct launch *l, double *time_s, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    int status = cuda_crowd(d, why);

    if (status)
        return status;
    if ((status = gate_close(d, why)) != 0)
        return status;
    status = CUDA_CHECK(d, cudaEventRecord(c->start, cuda_stream(d)), why);
    if (status == 0)
        status = enqueue(d, l, why);
    if (status == 0)
        status = CUDA_CHECK(d, cudaEventRecord(c->end, cuda_stream(d)), why);
    gate_open(d);
    return status ? status : elapsed(d, time_s, why);
}

/* ---------------------------------------------------------------------------------------------------------- clocks */
static int clock_seen(struct device *d, unsigned blocks, unsigned long long window_ns, double *clock_mhz,
                      char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    int status = 0;

    clock_kernel<<<blocks, 128, 0, cuda_stream(d)>>>(c->sample, window_ns);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = CUDA_WAIT(d, why)) != 0)
        return status;
    *clock_mhz = static_cast<double>(c->sample->cycles) * 1e3 / static_cast<double>(c->sample->ns);
    return 0;
}

/* Keeps all SMs busy until the clock is within 1 % of NVML's maximum, or has not risen for ten samples (20 ms). */
int cuda_spin_up(struct device *d, double *clock_mhz, char why[ERRLEN])
{
    const unsigned blocks = static_cast<unsigned>(d->geometry.sms) * 4;
    const double until_s = now_s() + spin_up_limit_s;
    double best_mhz = 0;
    int steady = 0;

    do {
        const int status = clock_seen(d, blocks, 40 * clock_window_ns, clock_mhz, why);
        if (status)
            return status;
        steady = *clock_mhz > 1.005 * best_mhz ? 0 : steady + 1;
        if (*clock_mhz > best_mhz)
            best_mhz = *clock_mhz;
        if (d->facts.clock_max_mhz > 0 && *clock_mhz > 0.99 * d->facts.clock_max_mhz)
            return 0;
    } while (steady < 10 && now_s() < until_s);
    return 0;
}

/* NVML is slow compared with a sample, so it is queried only if the clock is below 97 % of its maximum, and every 50
 * ms. */
int cuda_clock(struct device *d, double *clock_mhz, bool *throttled, char why[ERRLEN])
{
    struct cuda_timer *c = timer_of(d);
    const double at_s = now_s();
    const int status = clock_seen(d, 1, clock_window_ns, clock_mhz, why);

    if (status)
        return status;
    if (*clock_mhz < 0.97 * d->facts.clock_max_mhz || at_s - c->throttle_asked_s > 0.05) {
        c->throttled = cuda_throttled(&c->device);
        c->throttle_asked_s = at_s;
    }
    *throttled = c->throttled;
    return 0;
}
