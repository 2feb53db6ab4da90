/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces go to memory that the device keeps for the next look, unless a caller takes it: whether and how many are needed is not known before.
 * The host waits for a note instead of the kernel's end, which it learns 2 us later. */
#include <algorithm>
#include "matrix/examine_notes.cuh"
#include "matrix/look.cuh"

/* Small allocations take 2 us, those of 1 MiB 50 us (H200). */
enum { PIECE_BYTES = sizeof(int4) + 8 + sizeof(unsigned), ROOM_MOST = (1 << 19) / PIECE_BYTES };
enum { LONGEST, FAULTS, PIECES, DONE, NSUMS };

struct listing {
    int32_t cut, size; /* cut 0: nothing is listed */
    int64_t room;
    int4 *piece;
    unsigned *ticket;
};

static __device__ __forceinline__ void list_row(const listing &l, int32_t row, int32_t begin, int32_t end, u64 *pieces)
{
    const int32_t n = (end - begin + l.size - 1) / l.size, part = ((end - begin + n - 1) / n + WARP - 1) / WARP * WARP;
    const int64_t at = static_cast<int64_t>(atomicAdd(pieces, static_cast<u64>(n)));

    for (int64_t k = 0; k < n && at + k < l.room; k++) {
        const int64_t from = min(begin + k * part, static_cast<int64_t>(end)),
                      to = min(from + part, static_cast<int64_t>(end));
        l.piece[at + k] =
            make_int4(row, static_cast<int32_t>(from), static_cast<int32_t>(to), static_cast<int32_t>(at));
        l.ticket[at + k] = 0;
    }
}

/* The last thread block to finish writes the sums to `note` and zeroes them, so that one launch does it all. */
static __global__ void __launch_bounds__(BLOCK)
    look_rows(const int32_t *row_ptr, int64_t rows, int64_t nnz, const listing l, u64 *sum, volatile u64 *note)
{
    __shared__ unsigned longest, faults;
    __shared__ bool last;
    unsigned most = 0, bad = 0;

    if (threadIdx.x == 0)
        longest = faults = 0;
    __syncthreads();
    for (int64_t r = static_cast<int64_t>(blockIdx.x) * BLOCK + threadIdx.x; r < rows;
         r += static_cast<int64_t>(gridDim.x) * BLOCK) {
        const int32_t begin = row_ptr[r], end = row_ptr[r + 1];
        const bool invalid = invalid_row(r, begin, end, rows, nnz);
        bad |= invalid;
        most = invalid ? most : max(most, static_cast<unsigned>(end - begin));
        if (!invalid && l.cut > 0 && end - begin > l.cut)
            list_row(l, static_cast<int32_t>(r), begin, end, &sum[PIECES]);
    }
    most = __reduce_max_sync(0xffffffffu, most);
    bad = __reduce_or_sync(0xffffffffu, bad);
    if (threadIdx.x % WARP == 0) {
        atomicMax(&longest, most);
        atomicOr(&faults, bad);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&sum[LONGEST], static_cast<u64>(longest));
        if (faults)
            atomicOr(&sum[FAULTS], static_cast<u64>(1));
        __threadfence();
        last = atomicAdd(&sum[DONE], static_cast<u64>(1)) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x >= WARP)
        return;
    __threadfence();
    if (threadIdx.x < NSUMS) {
        const u64 total = atomicExch(&sum[threadIdx.x], static_cast<u64>(0));
        if (threadIdx.x != DONE)
            note[threadIdx.x] = total;
    }
    __syncwarp();
    __threadfence_system();
    if (threadIdx.x == 0)
        note[DONE] = 1;
}

static struct row_pieces arrays_of(void *memory, int64_t room, int64_t n)
{
    char *part = static_cast<char *>(memory) + room * static_cast<int64_t>(sizeof(int4));

    return { static_cast<int32_t>(n), static_cast<const int4 *>(memory), part,
             reinterpret_cast<unsigned *>(part + 8 * room), memory };
}

static struct listing listing_of(const struct row_list *l, void *memory)
{
    const struct row_pieces to = arrays_of(memory, l->room, 0);
    return { l->cut, l->size, l->room, const_cast<int4 *>(to.piece), to.ticket };
}

/* *seen: what was noted, until the next note. */
static int look(struct device *d, const int32_t *row_ptr, int64_t rows, int64_t nnz, const struct listing &l,
                const u64 **seen, char why[ERRLEN])
{
    const unsigned blocks =
        static_cast<unsigned>(std::min<int64_t>((rows + BLOCK - 1) / BLOCK, BLOCKS_SM * d->geometry.sms));
    u64 *sum;
    void *note;
    int status = cuda_tally(d, &sum, &note, why);

    if (status)
        return status;
    volatile u64 *noted = static_cast<volatile u64 *>(note);
    noted[DONE] = 0;
    look_rows<<<blocks, BLOCK, 0, cuda_stream(d)>>>(row_ptr, rows, nnz, l, sum, noted);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if (l.room > 0)
        cuda_spare_more(d);
    *seen = static_cast<const u64 *>(note);
    return CUDA_WAIT_NOTE(d, &noted[DONE], why);
}

/* Looks, and lists what fits in the device's spare memory. */
static int look_and_list(struct device *d, const int32_t *row_ptr, int64_t rows, int64_t nnz, struct row_list *l,
                         const u64 **seen, char why[ERRLEN])
{
    void *memory = nullptr;
    int status = 0;

    l->room = l->cut > 0 ? std::min<int64_t>(nnz / l->size + std::min(rows, nnz / (l->cut + 1)), ROOM_MOST) : 0;
    if (l->room > 0)
        status = cuda_spare(d, l->room * PIECE_BYTES, &memory, &l->turn, why);
    if (status == 0)
        status = look(d, row_ptr, rows, nnz, listing_of(l, memory), seen, why);
    if (status == 0)
        l->n = static_cast<int64_t>((*seen)[PIECES]);
    return status;
}

int cuda_look(struct device *d, struct device_csr *csr, bool *valid, char why[ERRLEN])
{
    const u64 *seen;
    const int status = look_and_list(d, csr->row_ptr, csr->rows, csr->nnz, &csr->listed, &seen, why);

    if (status)
        return status;
    csr->row_max = static_cast<int64_t>(seen[LONGEST]);
    *valid = seen[FAULTS] == 0;
    return 0;
}

int row_pieces_get(struct device *d, const int32_t *row_ptr, int64_t rows, int64_t nnz, const struct row_list *known,
                   int32_t cut, int32_t size, struct row_pieces *out, char why[ERRLEN])
{
    struct row_list l = { cut, size, 0, 0, 0 };
    const u64 *seen;
    int status = 0;

    *out = row_pieces();
    if (known->cut == cut && known->size == size)
        l = *known;
    else
        status = look_and_list(d, row_ptr, rows, nnz, &l, &seen, why);
    if (status || l.n == 0)
        return status;
    void *memory = l.n <= l.room ? cuda_spare_take(d, l.turn) : nullptr;
    if (!memory) {
        l.room = l.n;
        if ((status = cuda_alloc(d, l.n * PIECE_BYTES, &memory, why)) == 0
            && (status = look(d, row_ptr, rows, nnz, listing_of(&l, memory), &seen, why)) != 0)
            cuda_release(d, memory);
    }
    if (status == 0)
        *out = arrays_of(memory, l.room, l.n);
    return status;
}
