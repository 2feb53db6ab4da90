/* SPDX-License-Identifier: BSD-3-Clause */
/* BRC on a CUDA device: what its kernel and its build share. */
#ifndef SPMVCAST_FORMATS_BRC_BRC_CUH
#define SPMVCAST_FORMATS_BRC_BRC_CUH
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/brc/brc.h"
#include "formats/values.cuh"

/* brc_build.cu */
int brc_device_build(struct device *, const struct device_csr *, const struct config *, const struct features *,
                     struct storage **out, char why[ERRLEN]);

/* y = A x from blocks of row pieces. Moves at least entries (4 + s) + 4 (pieces + blocks) + s (touched x + rows)
 * bytes; with partials also 8 per piece of a cut row and 2 s to store and load its sum.
 *
 * Warp w of the grid handles pieces 32 w ... 32 w + 31 of the queue, one per thread, and advances by the size of the
 * grid; a step reads one entry of each piece, adjacent in memory. The sums of pieces reach y in one of two ways:
 *   atomic     each sum is added to y atomically, as in the paper (an earlier kernel, which this one overlaps, zeroes y);
 *   partials   the sum of a whole row is written, those of a cut row go to its slots. The last piece to arrive,
 *              detected by a ticket per cut row, adds the slots in order, writes the row and resets the ticket. The
 *              same launch zeroes empty rows. This needs no zeroed y and no second kernel, and gives the same bits
 *              each time. */
enum {
    BRC_BLOCK_MAX = 512,
    BRC_BLOCKS_SM = 2,    /* blocks of BRC_BLOCK_MAX threads per SM: leaves registers for all loads of a step */
    BRC_SLOTS_ALONE = 16, /* maximum number of slots that a thread adds alone; its warp adds more */
    BRC_SLOTS_STEP = 4    /* slots that a thread loads at a time */
};

struct brc_args {
    int64_t warps; /* groups of 32 pieces: blocks * B1 / 32 */
    int64_t head, level1, empties;
    const int32_t *block_offset, *row_perm, *cut_ptr, *empty, *col;
    const struct brc_piece_slot *piece_slot;
    const void *val, *x;
    void *y, *partial; /* partial: [slots] */
    int32_t *ticket;   /* [cuts], 0 between launches */
    uint64_t policy;   /* see load_once() */
    bool add;
    const void *table; /* of packed values */
};

/* Returns the sum of piece 32 w + lane, with its entries in order. Padding has a negative column and adds 0. */
template <typename T, int B1, int AS>
static __device__ __forceinline__ T brc_sum(const brc_args &a, int64_t w, int lane)
{
    constexpr int STEPS = AS != AS_FULL ? BRC_BATCH_PACKED : sizeof(T) == 4 ? BRC_BATCH_F32 : BRC_BATCH_F64;
    const T *x = static_cast<const T *>(a.x);
    const int64_t b = w / (B1 / WARP);
    const int32_t begin = __ldg(a.block_offset + b), width = (__ldg(a.block_offset + b + 1) - begin) / B1;
    const int64_t first = static_cast<int64_t>(begin) + w % (B1 / WARP) * WARP + lane;
    const int32_t *col = a.col + first;
    value_reader<T, AS> values(a.val, a.table, first, a.policy);
    T sum = 0;

    for (int32_t j = 0; j < width; j += STEPS) {
        using raw = typename value_reader<T, AS>::raw;
        int32_t c[STEPS];
        raw packed[STEPS];
        T xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            c[i] = j + i < width ? load_once(col + i * B1, a.policy) : -1;
            packed[i] = j + i < width ? values.load(static_cast<uint64_t>(i) * B1) : raw(0);
        }
        if constexpr (AS != AS_FULL)
            __syncwarp(); /* keeps all loads before the first wait */
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            xs[i] = c[i] >= 0 ? __ldg(x + c[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            T v = values.value(packed[i]);
            if constexpr (AS != AS_FULL) /* its padding has a code of some value */
                v = c[i] >= 0 ? v : T(0);
            sum += v * xs[i];
        }
        col += STEPS * B1;
        values.advance(STEPS * B1);
    }
    return sum;
}

/* Returns the sum of slots first, first + step, ... < end, added in this order. They are read from L2 because this
 * launch wrote them. */
template <typename T>
static __device__ __forceinline__ T brc_slots(const T *partial, int32_t first, int32_t end, int32_t step)
{
    T sum = 0;

    for (int64_t k = first; k < end; k += static_cast<int64_t>(BRC_SLOTS_STEP) * step) {
        T loaded[BRC_SLOTS_STEP];
#pragma unroll
        for (int i = 0; i < BRC_SLOTS_STEP; i++)
            loaded[i] =
                k + static_cast<int64_t>(i) * step < end ? __ldcg(partial + k + static_cast<int64_t>(i) * step) : T(0);
#pragma unroll
        for (int i = 0; i < BRC_SLOTS_STEP; i++)
            sum += loaded[i];
    }
    return sum;
}

/* Stores the sum of a piece: in y if the piece is a whole row, otherwise in its slot. The last piece of a cut row to
 * arrive then adds the slots to y. Called by all 32 threads of a warp, each with a piece or a dummy (row -1). */
template <typename T>
static __device__ __forceinline__ void brc_partial(const brc_args &a, int32_t row, struct brc_piece_slot piece_slot,
                                                   T sum, int lane)
{
    T *y = static_cast<T *>(a.y), *partial = static_cast<T *>(a.partial);
    int32_t first = 0, end = 0;
    bool last = false;

    if (row >= 0 && piece_slot.cut < 0)
        store_y(y + row, sum, a.add);
    if (row >= 0 && piece_slot.cut >= 0) {
        first = __ldg(a.cut_ptr + piece_slot.cut);
        end = __ldg(a.cut_ptr + piece_slot.cut + 1);
        __stcg(partial + piece_slot.slot, sum);
        __threadfence();
        last = atomicAdd(a.ticket + piece_slot.cut, 1) == end - first - 1;
        __threadfence();
    }
    if (last)
        a.ticket[piece_slot.cut] = 0;
    if (last && end - first <= BRC_SLOTS_ALONE)
        store_y(y + row, brc_slots(partial, first, end, 1), a.add);
    for (unsigned many = __ballot_sync(0xffffffffu, last && end - first > BRC_SLOTS_ALONE); many != 0;
         many &= many - 1) {
        const int who = __ffs(static_cast<int>(many)) - 1;
        const int32_t from = __shfl_sync(0xffffffffu, first, who), to = __shfl_sync(0xffffffffu, end, who);
        const T whole = group_sum<WARP>(brc_slots(partial, from + lane, to, WARP));
        const T mine = __shfl_sync(0xffffffffu, whole, 0);

        if (lane == who)
            store_y(y + row, mine, a.add);
    }
}

template <typename T, int B1, int AS>
__global__ void __launch_bounds__(BRC_BLOCK_MAX, BRC_BLOCKS_SM) brc_spmv_partials(const brc_args a)
{
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                  threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int lane = static_cast<int>(threadIdx.x) % WARP;

    if (!a.add)
        for (int64_t k = thread; k < a.empties; k += threads)
            static_cast<T *>(a.y)[load_once(a.empty + k, a.policy)] = 0;
    for (int64_t w = thread / WARP; w < a.warps; w += threads / WARP) {
        const int64_t p = w * WARP + lane, at = brc_piece_slot_at(a.head, a.level1, p);
        const int32_t row = load_once(a.row_perm + p, a.policy);
        struct brc_piece_slot piece_slot = { -1, -1 };

        if (row >= 0 && at >= 0) {
            const int2 both = __ldg(reinterpret_cast<const int2 *>(a.piece_slot + at));
            piece_slot = { both.x, both.y };
        }
        const T sum = brc_sum<T, B1, AS>(a, w, lane);
        brc_partial(a, row, piece_slot, sum, lane);
    }
}

template <typename T, int B1, int AS>
__global__ void __launch_bounds__(BRC_BLOCK_MAX, BRC_BLOCKS_SM) brc_spmv_atomic(const brc_args a)
{
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                  threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int lane = static_cast<int>(threadIdx.x) % WARP;

    for (int64_t w = thread / WARP; w < a.warps; w += threads / WARP) {
        const int32_t row = load_once(a.row_perm + w * WARP + lane, a.policy);
        const T sum = brc_sum<T, B1, AS>(a, w, lane);

        wait_for_previous(); /* until y is zeroed */
        if (row >= 0)
            atomicAdd(static_cast<T *>(a.y) + row, sum);
    }
}
#endif
