/* SPDX-License-Identifier: BSD-3-Clause */
/* Concurrent launches: side streams start after an event of the device's stream, which waits for their events at the
 * end. Under stream capture, which creates sequences, the events become edges and the parts become branches of the
 * graph. */
#include <cstdlib>
#include "backend/cuda_backend.cuh"

/* with more parts than this, parts share streams round-robin; more streams would not run concurrently */
enum { STREAMS_MAX = 32 };

struct cuda_branches {
    int n, nside; /* nside: number of streams besides the device's own */
    struct launch *part;
    int64_t *y_offset;
    struct stream *side;
    cudaEvent_t fork, *join;
};

static int fork_streams(const struct cuda_branches *b, cudaStream_t from)
{
    cudaError_t e = cudaEventRecord(b->fork, from);

    for (int i = 0; i < b->nside && e == cudaSuccess; i++)
        e = cudaStreamWaitEvent(b->side[i].cuda, b->fork, 0);
    return e == cudaSuccess ? 0 : FAIL;
}

static int join_streams(const struct cuda_branches *b, cudaStream_t to)
{
    cudaError_t e = cudaSuccess;

    for (int i = 0; i < b->nside && e == cudaSuccess; i++) {
        e = cudaEventRecord(b->join[i], b->side[i].cuda);
        if (e == cudaSuccess)
            e = cudaStreamWaitEvent(to, b->join[i], 0);
    }
    return e == cudaSuccess ? 0 : FAIL;
}

static int run_branches(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct cuda_branches *b = static_cast<const struct cuda_branches *>(prepared);
    int status = fork_streams(b, s->cuda);

    for (int i = 0; i < b->n && status == 0; i++) {
        const int turn = i % (b->nside + 1);
        const struct launch *l = &b->part[i];
        void *to = y ? static_cast<char *>(y) + b->y_offset[i] : nullptr;
        status = l->run(l->prepared, x, to, mode, turn == 0 ? s : &b->side[turn - 1]);
    }
    return status ? status : join_streams(b, s->cuda);
}

static int open_streams(struct device *d, struct cuda_branches *b, char why[ERRLEN])
{
    int status = CUDA_CHECK(d, cudaEventCreateWithFlags(&b->fork, cudaEventDisableTiming), why);

    for (int i = 0; i < b->nside && status == 0; i++) {
        status = CUDA_CHECK(d, cudaStreamCreateWithFlags(&b->side[i].cuda, cudaStreamNonBlocking), why);
        if (status == 0)
            status = CUDA_CHECK(d, cudaEventCreateWithFlags(&b->join[i], cudaEventDisableTiming), why);
    }
    return status;
}

int cuda_branches(struct device *d, const struct launch *part, const int64_t *y_offset, int n, struct launch *out,
                  char why[ERRLEN])
{
    struct cuda_branches *b = static_cast<struct cuda_branches *>(xcalloc(1, sizeof *b));
    const size_t parts = static_cast<size_t>(n > 0 ? n : 1);

    b->n = n;
    b->nside = (n < STREAMS_MAX ? n : static_cast<int>(STREAMS_MAX)) - 1;
    if (b->nside < 0)
        b->nside = 0;
    b->part = static_cast<struct launch *>(xcalloc(parts, sizeof *b->part));
    b->y_offset = static_cast<int64_t *>(xcalloc(parts, sizeof *b->y_offset));
    b->side = static_cast<struct stream *>(xcalloc(parts, sizeof *b->side));
    b->join = static_cast<cudaEvent_t *>(xcalloc(parts, sizeof *b->join));
    for (int i = 0; i < n; i++) {
        b->part[i] = part[i];
        b->y_offset[i] = y_offset[i];
    }
    out->run = run_branches;
    out->prepared = b;
    const int status = open_streams(d, b, why);
    if (status)
        cuda_branches_free(d, out);
    return status;
}

void cuda_branches_free(struct device *d, struct launch *l)
{
    struct cuda_branches *b = static_cast<struct cuda_branches *>(l->prepared);
    char why[ERRLEN];
    int status = 0;

    if (!b)
        return;
    for (int i = 0; i < b->nside; i++) {
        if (b->side[i].cuda)
            status |= CUDA_CHECK(d, cudaStreamDestroy(b->side[i].cuda), why);
        if (b->join[i])
            status |= CUDA_CHECK(d, cudaEventDestroy(b->join[i]), why);
    }
    if (b->fork)
        status |= CUDA_CHECK(d, cudaEventDestroy(b->fork), why);
    if (status && !d->lost)
        warn("%s", why);
    free(b->part);
    free(b->y_offset);
    free(b->side);
    free(b->join);
    free(b);
    l->prepared = nullptr;
}
