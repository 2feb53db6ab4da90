/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-staged on a CUDA device: thread block b processes the chunks from csr_staged_first() on, a warp one chunk at a time, a thread ITEMS
 * consecutive entries of it. With values of s bytes it moves nnz (4 + s) bytes, 76 per chunk for the lists, y, and s cols per block.
 * The order of every sum depends on the matrix, the configuration and the number of SMs, so the bits are the same each time. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_STAGED_CUH
#define SPMVCAST_FORMATS_CSR_CSR_STAGED_CUH
#include <cstring>
#include "device/cuda_kernels.cuh"
#include "formats/csr/csr_staged.h"

/* A row begins where its first entry is; empty rows begin nowhere. Rows with entries are counted from 0, in order. */
struct csr_staged_args {
    int32_t rows, cols, nnz, chunks;
    int32_t filled; /* number of rows with entries */
    bool wide;      /* col and val are aligned to 16 bytes */
    const int32_t *col;
    /* [chunks * WARP] per thread: bit i: a row begins at its entry i; from bit 8 on: number of rows that begin in earlier threads of the
     * chunk */
    const uint16_t *starts;
    /* [chunks] x: the last row that begins in the chunk; y: in how many later chunks it is; -1: no row begins */
    const int2 *last;
    /* [chunks + 1] number of rows that begin before the chunk */
    const int32_t *rank;
    /* [blocks] end of the chunks in which the block's rows are; its first chunk if no row begins in its own */
    const int32_t *end;
    /* [rows] the rows with entries, then those without; NULL: all have entries */
    const int32_t *order;
    const void *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* ---- lists, made by prepare() */

/* Thread i marks where row i begins, two threads' marks to a word. `starts` is zeroed by the caller. */
static __global__ void csr_staged_starts(const int32_t *row_ptr, int32_t rows, int items, unsigned *starts)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i >= rows || row_ptr[i] == row_ptr[i + 1])
        return;
    const int32_t thread = row_ptr[i] / items;
    atomicOr(starts + thread / 2, 1u << (row_ptr[i] % items + thread % 2 * 16));
}

/* Warp c adds the numbers of rows that begin in earlier threads of chunk c; rank[c]: number of rows that begin in the chunk. */
static __global__ void csr_staged_counts(int32_t chunks, uint16_t *starts, int32_t *rank)
{
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, c = thread / WARP;
    const int lane = static_cast<int>(threadIdx.x) % WARP;

    if (c >= chunks)
        return;
    const unsigned mine = starts[thread];
    const int n = __popc(mine);
    int upto = n;
    for (int step = 1; step < WARP; step *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, upto, static_cast<unsigned>(step));
        if (lane >= step)
            upto += other;
    }
    starts[thread] = static_cast<uint16_t>(mine | static_cast<unsigned>(upto - n) << 8);
    if (lane == WARP - 1)
        rank[c] = upto;
}

/* Thread i finds the place of row i among the rows with entries, or behind them among those without. */
static __global__ void csr_staged_order(const csr_staged_args a, const int32_t *row_ptr, int items, int32_t *order)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i >= a.rows)
        return;
    const int32_t entry = row_ptr[i], thread = entry / items;
    int32_t before = a.filled; /* rows with entries before this one */
    if (entry < a.nnz) {
        const unsigned starts = a.starts[thread], below = starts & ((1u << entry % items) - 1);
        before = a.rank[thread / WARP] + static_cast<int32_t>(starts >> 8) + __popc(below);
    }
    order[entry < row_ptr[i + 1] ? before : a.filled + i - before] = static_cast<int32_t>(i);
}

/* Threads i < chunks find the last row that begins in chunk i, the others the end of a block. */
static __global__ void csr_staged_ends(const csr_staged_args a, const int32_t *row_ptr, int chunk, int blocks,
                                       int2 *last, int32_t *end)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, b = i - a.chunks;

    if (b >= blocks)
        return;
    const int32_t block = static_cast<int32_t>(b), own = static_cast<int32_t>(i),
                  from = b < 0 ? own : csr_staged_first(a.chunks, block, blocks),
                  to = b < 0 ? own + 1 : csr_staged_first(a.chunks, block + 1, blocks);
    const bool begins = a.rank[to] > a.rank[from];
    int32_t row = 0, at = from - 1; /* chunk of its last entry */
    if (begins) {
        row = a.order ? a.order[a.rank[to] - 1] : a.rank[to] - 1;
        at = (row_ptr[row + 1] - 1) / chunk;
    }
    if (b < 0)
        last[i] = make_int2(row, at - from);
    else
        end[b] = at + 1;
}

/* ---- x in shared memory */
static __device__ __forceinline__ uint32_t csr_staged_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/* Thread 0 starts the copy of whole words of x, which *barrier tells the end of. Returns the number of elements in them: 0 if x is not
 * aligned, or before compute capability 9.0. */
template <typename T>
static __device__ __forceinline__ int32_t csr_staged_copy(const csr_staged_args &a, T *x, uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    constexpr uint32_t PIECE = 16384;
    const bool aligned = reinterpret_cast<uintptr_t>(a.x) % CSR_STAGED_WORD == 0;
    const uint32_t elements = aligned ? static_cast<uint32_t>(a.cols) / (CSR_STAGED_WORD / sizeof(T)) : 0,
                   bytes = elements * CSR_STAGED_WORD;

    if (threadIdx.x == 0) {
        const uint32_t bar = csr_staged_address(barrier);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
        for (uint32_t at = 0; at < bytes; at += PIECE)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    csr_staged_address(x) + at),
                "l"(static_cast<const char *>(a.x) + at), "r"(min(PIECE, bytes - at)), "r"(bar)
                : "memory");
    }
    return static_cast<int32_t>(bytes / sizeof(T));
#else
    (void)a, (void)x, (void)barrier;
    return 0;
#endif
}

/* Called by all threads, after a __syncthreads() that follows csr_staged_copy(). */
static __device__ __forceinline__ void csr_staged_wait(const uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    uint32_t done;

    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(csr_staged_address(barrier))
                     : "memory");
    } while (!done);
#else
    (void)barrier;
#endif
}

/* ---- chunks */
template <typename T, int ITEMS> struct csr_staged_batch {
    int32_t col[ITEMS];
    T val[ITEMS];
    uint32_t starts;
    int32_t rank;
};

/* Loads ITEMS neighbouring elements; `from` is aligned to words. */
template <int ITEMS, typename V>
static __device__ __forceinline__ void csr_staged_words(V *to, const V *from, uint64_t policy)
{
    constexpr int EACH = CSR_STAGED_WORD / static_cast<int>(sizeof(V));

#pragma unroll
    for (int i = 0; i < ITEMS; i += EACH) {
        const int4 word = load_once(reinterpret_cast<const int4 *>(from + i), policy);
        memcpy(to + i, &word, sizeof word);
    }
}

/* Returns the first of the calling thread's entries in chunk c. */
template <int ITEMS> static __device__ __forceinline__ uint32_t csr_staged_entry(int32_t c)
{
    return (static_cast<uint32_t>(c) * WARP + threadIdx.x % WARP) * ITEMS;
}

/* Entries past the last are not read. */
template <typename T, int ITEMS>
static __device__ __forceinline__ void csr_staged_load(const csr_staged_args &a, int32_t c,
                                                       csr_staged_batch<T, ITEMS> *b)
{
    const uint32_t first = csr_staged_entry<ITEMS>(c), nnz = static_cast<uint32_t>(a.nnz);
    const int32_t *col = a.col + first;
    const T *val = static_cast<const T *>(a.val) + first;

    if (a.wide && first + ITEMS <= nnz) {
        csr_staged_words<ITEMS>(b->col, col, a.policy);
        csr_staged_words<ITEMS>(b->val, val, a.policy);
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            b->col[i] = first + i < nnz ? load_once(col + i, a.policy) : 0;
            b->val[i] = first + i < nnz ? load_once(val + i, a.policy) : T(0);
        }
    }
    b->starts = load_once(a.starts + first / ITEMS, a.policy);
    b->rank = __ldg(a.rank + c);
}

/* Writes the sum of row k of those with entries. */
template <typename T>
static __device__ __forceinline__ void csr_staged_write(const csr_staged_args &a, int32_t k, T sum)
{
    store_y(static_cast<T *>(a.y) + (a.order ? __ldg(a.order + k) : k), sum, a.add);
}

/* Sums a chunk by row. own: it is the block's, so rows that begin and end in it are written, and *tail gets the sum from the last
 * begin on. *lead gets the sum before the first begin, or of the whole chunk. */
template <typename T, int ITEMS>
static __device__ __forceinline__ void csr_staged_sum(const csr_staged_args &a, const T *x,
                                                      const csr_staged_batch<T, ITEMS> &b, int32_t c, bool own, T *lead,
                                                      T *tail)
{
    const uint32_t first = csr_staged_entry<ITEMS>(c), nnz = static_cast<uint32_t>(a.nnz);
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const bool begins = (b.starts & ((1u << ITEMS) - 1)) != 0;
    const unsigned begun = __ballot_sync(0xffffffffu, begins), earlier = begun & ((1u << lane) - 1);
    /* sums of the lanes before this one belong to rows that have ended */
    const int from = begins ? lane : earlier ? WARP - 1 - __clz(static_cast<int>(earlier)) : 0;
    const int32_t open = b.rank + static_cast<int32_t>(b.starts >> 8) - 1;
    int32_t row = open;
    bool inside = false; /* a row has begun among the thread's entries */
    T product[ITEMS], sum = 0, head = 0;

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        product[i] = first + i < nnz ? b.val[i] * x[b.col[i]] : T(0);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (b.starts >> i & 1) {
            if (!inside)
                head = sum;
            else if (own)
                csr_staged_write(a, row, sum);
            inside = true;
            row++;
            sum = 0;
        }
        sum += product[i];
    }
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(step));
        if (lane - step >= from)
            sum += other;
    }
    T before = __shfl_up_sync(0xffffffffu, sum, 1u);
    if (lane == 0)
        before = 0;
    if (begins && !earlier)
        *lead = before + head;
    else if (begins && own)
        csr_staged_write(a, open, before + head);
    if (lane == WARP - 1) {
        if (!begun)
            *lead = sum;
        if (own)
            *tail = sum;
    }
}

/* Writes the last row that begins in each of the block's own chunks from `first` on: its tail and the leads of later chunks. `last` is
 * that of the calling thread's first chunk. */
template <typename T, int BLOCK>
static __device__ __forceinline__ void csr_staged_join(const csr_staged_args &a, int32_t first, int32_t own, int2 last,
                                                       const T *lead, const T *tail)
{
    constexpr int ALONE = 32; /* more leads are added by the whole warp */
    const int lane = static_cast<int>(threadIdx.x) % WARP;

    for (int32_t k = static_cast<int32_t>(threadIdx.x); k - lane < own; k += BLOCK) {
        if (k >= BLOCK)
            last = k < own ? __ldg(a.last + first + k) : make_int2(0, -1);
        T sum = last.y >= 0 ? tail[k] : T(0);
        for (int i = 1; i <= last.y && last.y <= ALONE; i++)
            sum += lead[k + i];
        for (unsigned rest = __ballot_sync(0xffffffffu, last.y > ALONE); rest; rest &= rest - 1) {
            const int source = __ffs(static_cast<int>(rest)) - 1, n = __shfl_sync(0xffffffffu, last.y, source);
            T part = 0;
            for (int i = 1 + lane; i <= n; i += WARP)
                part += lead[k - lane + source + i];
            part = __shfl_sync(0xffffffffu, group_sum<WARP>(part), 0);
            if (lane == source)
                sum += part;
        }
        if (last.y >= 0)
            store_y(static_cast<T *>(a.y) + last.x, sum, a.add);
    }
}

template <typename T, int ITEMS, int BLOCK>
__global__ void __launch_bounds__(BLOCK, 1) csr_spmv_staged(const csr_staged_args a)
{
    constexpr int WARPS = BLOCK / WARP;
    extern __shared__ __align__(CSR_STAGED_BARRIER) unsigned char csr_staged_memory[];
    uint64_t *const barrier = reinterpret_cast<uint64_t *>(csr_staged_memory);
    T *const x = reinterpret_cast<T *>(csr_staged_memory + CSR_STAGED_BARRIER);
    const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x),
              blocks = static_cast<int>(gridDim.x);
    const int32_t copied = csr_staged_copy(a, x, barrier);
    const int32_t first = csr_staged_first(a.chunks, block, blocks),
                  stop = csr_staged_first(a.chunks, block + 1, blocks), own = stop - first;
    csr_staged_batch<T, ITEMS> now, next;

    int32_t c = first + thread / WARP;
    if (c < stop)
        csr_staged_load(a, c, &now);
    const int32_t end = __ldg(a.end + block);
    if (c >= stop && c < end)
        csr_staged_load(a, c, &now);
    const int2 last = thread < own ? __ldg(a.last + first + thread) : make_int2(0, -1);
#pragma unroll 4
    for (int32_t i = copied + thread; i < a.cols; i += BLOCK)
        x[i] = __ldg(static_cast<const T *>(a.x) + i);
    if (a.order && !a.add)
        for (int64_t i = a.filled + static_cast<int64_t>(block) * BLOCK + thread; i < a.rows; i += blocks * BLOCK)
            static_cast<T *>(a.y)[__ldg(a.order + i)] = 0;
    __syncthreads();
    csr_staged_wait(barrier);

    T *const lead = x + csr_staged_x_bytes(a.cols, sizeof(T)) / static_cast<int64_t>(sizeof(T));
    T *const tail = lead + (end - first);
    for (; c < end; c += WARPS) {
        if (c + WARPS < end)
            csr_staged_load(a, c + WARPS, &next);
        csr_staged_sum(a, x, now, c, c < stop, lead + (c - first), tail + (c - first));
        now = next;
    }
    __syncthreads();
    csr_staged_join<T, BLOCK>(a, first, own, last, lead, tail);
}
#endif
