/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds BRC from CSR on a CUDA device: sorts rows by length (row_order.cu), counts pieces by a scan, sorts them by
 * level and fills the blocks with one thread per piece. Equals the result of brc_build bit for bit. */
#include <cinttypes>
#include "device/cuda_kernels.cuh"
#include "formats/brc/brc.cuh"
#include "formats/build_cuda.cuh"
#include "formats/values.cuh"

enum { BUILD_BLOCK = 256 };

/* Temporary data of the build, not kept by the layout. */
struct brc_work {
    struct device *d;
    const struct device_csr *csr;
    struct brc_storage *s;
    struct brc_width width;
    unsigned long long *sums;       /* [NSUMS]: number of nonempty rows, sum of squared lengths, head */
    int32_t *order;                 /* [rows], sorted by length, empty rows last */
    int32_t *piece_at, *cut_at;     /* [rows + 1], by sorted row: counts of pieces and cut rows, then offsets */
    int32_t *cut_of;                /* [rows], number of each cut row; not set for others */
    uint64_t *level, *sorted_level; /* [pieces] */
    int32_t *piece_row;             /* [pieces], by row */
    int64_t *offset;                /* [blocks + 1] */
};
enum { NONEMPTY, SQUARES, HEAD, NSUMS };

static void work_release(struct brc_work *w)
{
    void *const all[] = { w->sums,  w->order,        w->piece_at,  w->cut_at, w->cut_of,
                          w->level, w->sorted_level, w->piece_row, w->offset };

    for (void *p : all)
        cuda_release(w->d, p);
}

/* Launches `function` with one thread for each of n elements; does nothing if n is 0. */
template <typename F, typename... ARGS>
static int each(struct brc_work *w, int64_t n, char why[ERRLEN], F function, ARGS... args)
{
    dim3 blocks, threads;
    int status = 0;

    if (n == 0)
        return 0;
    if ((status = cuda_grid(grid_of(n, BUILD_BLOCK), &blocks, &threads, why)) != 0)
        return status;
    function<<<blocks, threads, 0, cuda_stream(w->d)>>>(args...);
    return CUDA_LAUNCHED(w->d, why);
}

static __device__ __forceinline__ int64_t thread_of_grid(void)
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ int32_t length_of(const int32_t *row_ptr, int64_t row)
{
    return row_ptr[row + 1] - row_ptr[row];
}

/* ---- sorted rows */
static __global__ void __launch_bounds__(BUILD_BLOCK)
    sum_lengths(const int32_t *row_ptr, int64_t rows, unsigned long long *sums)
{
    const int64_t i = thread_of_grid();
    const long long n = i < rows ? length_of(row_ptr, i) : 0;
    const long long full = group_sum<WARP>(static_cast<long long>(n > 0)), squares = group_sum<WARP>(n * n);

    if (threadIdx.x % WARP != 0)
        return;
    if (full > 0)
        atomicAdd(sums + NONEMPTY, static_cast<unsigned long long>(full));
    if (full > 0)
        atomicAdd(sums + SQUARES, static_cast<unsigned long long>(squares));
}

static __global__ void __launch_bounds__(BUILD_BLOCK)
    row_pieces(const int32_t *row_ptr, int64_t rows, struct brc_width width, const int32_t *order, int32_t *piece_at,
               int32_t *cut_at, unsigned long long *sums)
{
    const int64_t r = thread_of_grid();

    if (r >= rows)
        return;
    const int64_t n = length_of(row_ptr, order[r]);
    piece_at[r] = static_cast<int32_t>(brc_levels(width, n));
    cut_at[r] = n > width.b2;
    if (n > width.b2)
        atomicMax(sums + HEAD, static_cast<unsigned long long>(r + 1));
}

static int rows_sort(struct brc_work *w, char why[ERRLEN])
{
    const struct device_csr *csr = w->csr;
    const int64_t rows = csr->rows, sigma = w->s->spec.sigma, window = sigma > 0 && sigma < rows ? sigma : rows;
    unsigned long long sums[NSUMS];
    int status = 0;

    if ((status = cuda_alloc_n(w->d, NSUMS, &w->sums, why)) != 0)
        return status;
    if ((status = CUDA_CHECK(w->d, cudaMemsetAsync(w->sums, 0, sizeof sums, cuda_stream(w->d)), why)) != 0)
        return status;
    if ((status = cuda_alloc_n(w->d, rows, &w->order, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(w->d, rows + 1, &w->piece_at, why)) != 0
        || (status = cuda_alloc_n(w->d, rows + 1, &w->cut_at, why)) != 0)
        return status;
    if ((status = each(w, rows, why, sum_lengths, csr->row_ptr, rows, w->sums)) != 0)
        return status;
    if ((status = cuda_get(w->d, sums, w->sums, sizeof sums, why)) != 0)
        return status;
    w->s->n.level1 = static_cast<int64_t>(sums[NONEMPTY]);
    w->s->n.empties = rows - w->s->n.level1;
    if (w->width.b2 == 0)
        w->width.b2 = brc_rule_of(w->s->n.level1, csr->nnz, static_cast<int64_t>(sums[SQUARES]), csr->row_max);
    w->s->spec.width = w->width;
    if ((status = cuda_rows_order(w->d, csr, window, true, w->order, why)) != 0)
        return status;
    status = each(w, rows, why, row_pieces, csr->row_ptr, rows, w->width, w->order, w->piece_at, w->cut_at, w->sums);
    if (status == 0)
        status = cuda_get(w->d, sums, w->sums, sizeof sums, why);
    w->s->n.head = static_cast<int64_t>(sums[HEAD]);
    return status;
}

/* ---- the queue */
/* One warp per nonempty row: stores the level and the row of its pieces. */
static __global__ void __launch_bounds__(BUILD_BLOCK)
    pieces_by_row(const int32_t *order, const int32_t *piece_at, int64_t rows, uint64_t *level, int32_t *piece_row)
{
    const int64_t r = thread_of_grid() / WARP;

    if (r >= rows)
        return;
    for (int64_t p = piece_at[r] + static_cast<int64_t>(threadIdx.x % WARP); p < piece_at[r + 1]; p += WARP) {
        level[p] = static_cast<uint64_t>(p - piece_at[r]);
        piece_row[p] = order[r];
    }
}

static __global__ void __launch_bounds__(BUILD_BLOCK) dummies(int64_t pieces, int64_t end, int32_t *row_perm)
{
    const int64_t p = pieces + thread_of_grid();

    if (p < end)
        row_perm[p] = -1;
}

/* Numbers the cut rows. cut_ptr gets the number of pieces of each; a scan turns these into offsets. */
static __global__ void __launch_bounds__(BUILD_BLOCK)
    cut_rows(const int32_t *order, const int32_t *piece_at, const int32_t *cut_at, int64_t rows, int32_t *cut_of,
             int32_t *cut_ptr)
{
    const int64_t r = thread_of_grid();

    if (r >= rows || cut_at[r + 1] == cut_at[r])
        return;
    cut_of[order[r]] = cut_at[r];
    cut_ptr[cut_at[r]] = piece_at[r + 1] - piece_at[r];
}

static int pieces_sort(struct brc_work *w, char why[ERRLEN])
{
    struct brc_storage *s = w->s;
    const int64_t rows = w->csr->rows, pieces = s->n.pieces, places = s->n.blocks * s->spec.b1;
    const int64_t levels = brc_levels(w->width, w->csr->row_max);
    int status = 0;

    if ((status = cuda_alloc_n(w->d, pieces, &w->level, why)) != 0
        || (status = cuda_alloc_n(w->d, pieces, &w->sorted_level, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(w->d, pieces, &w->piece_row, why)) != 0
        || (status = storage_array(&s->base, &s->row_perm, why)) != 0)
        return status;
    if ((status = each(w, s->n.level1 * WARP, why, pieces_by_row, w->order, w->piece_at, s->n.level1, w->level,
                       w->piece_row))
        != 0)
        return status;
    if ((status = cuda_sort(w->d, w->level, w->sorted_level, w->piece_row, s->row_perm, pieces,
                            bits_of(levels > 1 ? static_cast<uint64_t>(levels - 1) : 1), why))
        != 0)
        return status;
    if ((status = each(w, places - pieces, why, dummies, pieces, places, s->row_perm)) != 0)
        return status;
    if ((status = cuda_alloc_n(w->d, rows, &w->cut_of, why)) != 0
        || (status = storage_array(&s->base, &s->cut_ptr, why)) != 0)
        return status;
    if ((status = each(w, rows, why, cut_rows, w->order, w->piece_at, w->cut_at, rows, w->cut_of, s->cut_ptr)) != 0)
        return status;
    return cuda_scan(w->d, s->cut_ptr, s->n.cuts, why);
}

static int sizes_get(struct brc_work *w, char why[ERRLEN])
{
    struct brc_sizes *n = &w->s->n;
    const int64_t rows = w->csr->rows;
    int32_t pieces = 0, cuts = 0;
    int status = 0;

    if ((status = cuda_scan(w->d, w->piece_at, rows, why)) != 0
        || (status = cuda_scan(w->d, w->cut_at, rows, why)) != 0)
        return status;
    if ((status = cuda_get(w->d, &pieces, w->piece_at + rows, sizeof pieces, why)) != 0)
        return status;
    if ((status = cuda_get(w->d, &cuts, w->cut_at + rows, sizeof cuts, why)) != 0)
        return status;
    n->pieces = pieces;
    n->cuts = cuts;
    n->blocks = (n->pieces + w->s->spec.b1 - 1) / w->s->spec.b1;
    n->slots = n->pieces - n->level1 + n->cuts;
    n->piece_slots = n->pieces - n->level1 + n->head;
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- blocks */
/* One thread per block: stores its number of entries, padding included; a scan turns these into offsets. */
static __global__ void __launch_bounds__(BUILD_BLOCK)
    block_entries(const int32_t *row_ptr, const int32_t *row_perm, const uint64_t *level, struct brc_width width,
                  int64_t pieces, int64_t blocks, int b1, int64_t *entries)
{
    const int64_t b = thread_of_grid();
    int64_t widest = 0;

    if (b >= blocks)
        return;
    for (int64_t p = b * b1; p < (b + 1) * b1 && p < pieces; p++) {
        const int64_t n = brc_piece(width, length_of(row_ptr, row_perm[p]), static_cast<int64_t>(level[p]));
        if (n > widest)
            widest = n;
    }
    entries[b] = widest * b1;
}

static __global__ void __launch_bounds__(BUILD_BLOCK) narrow(const int64_t *from, int64_t n, int32_t *to)
{
    const int64_t i = thread_of_grid();

    if (i < n)
        to[i] = static_cast<int32_t>(from[i]);
}

static int offsets_make(struct brc_work *w, char why[ERRLEN])
{
    struct brc_storage *s = w->s;
    const int64_t n = s->n.blocks + 1;
    int status = 0;

    if ((status = cuda_alloc_n(w->d, n, &w->offset, why)) != 0
        || (status = storage_array(&s->base, &s->block_offset, why)) != 0)
        return status;
    if ((status = each(w, s->n.blocks, why, block_entries, w->csr->row_ptr, s->row_perm, w->sorted_level, w->width,
                       s->n.pieces, s->n.blocks, s->spec.b1, w->offset))
        != 0)
        return status;
    if ((status = cuda_scan(w->d, w->offset, s->n.blocks, why)) != 0)
        return status;
    if ((status = cuda_get(w->d, &s->n.entries, w->offset + s->n.blocks, sizeof s->n.entries, why)) != 0)
        return status;
    if (s->n.entries > INT32_MAX)
        return fail(why,
                    "%" PRId64 " slots with padding exceed the 32-bit offset limit %d; split the rows with spmv-plan",
                    static_cast<int64_t>(s->n.entries), INT32_MAX);
    return each(w, n, why, narrow, w->offset, n, s->block_offset);
}

struct brc_fill_args {
    const int32_t *row_ptr, *csr_col, *row_perm, *block_offset, *cut_of, *cut_ptr;
    const uint64_t *level;
    struct brc_width width;
    int64_t pieces, head, level1;
    int32_t *col;
    struct brc_piece_slot *piece_slot;
    struct values values;
    const void *csr_val;
    void *val;
};

/* One thread block per block, one thread per piece. Padding has the complement of the column of the nearest previous
 * piece that is long enough, or of the last column of the block's first piece. */
template <typename T> static __global__ void __launch_bounds__(BRC_PIECES_MAX) blocks_fill(const brc_fill_args a)
{
    __shared__ int32_t begin[BRC_PIECES_MAX], length[BRC_PIECES_MAX];
    const int lane = static_cast<int>(threadIdx.x), b1 = static_cast<int>(blockDim.x);
    const int64_t p = static_cast<int64_t>(blockIdx.x) * b1 + lane, at = brc_piece_slot_at(a.head, a.level1, p);
    const int64_t offset = a.block_offset[blockIdx.x], width = (a.block_offset[blockIdx.x + 1] - offset) / b1;
    const int32_t row = a.row_perm[p];

    begin[lane] = length[lane] = 0;
    if (row >= 0) {
        const int32_t whole = length_of(a.row_ptr, row);
        const int64_t level = static_cast<int64_t>(a.level[p]);

        begin[lane] = a.row_ptr[row] + static_cast<int32_t>(brc_start(a.width, level));
        length[lane] = static_cast<int32_t>(brc_piece(a.width, whole, level));
        if (at >= 0) {
            const bool cut = whole > a.width.b2;
            a.piece_slot[at].cut = cut ? a.cut_of[row] : -1;
            a.piece_slot[at].slot = cut ? a.cut_ptr[a.cut_of[row]] + static_cast<int32_t>(level) : -1;
        }
    }
    __syncthreads();
    for (int64_t j = 0; j < width; j++) {
        const int64_t at = offset + j * b1 + lane;
        const bool entry = j < length[lane];

        if (entry) {
            a.col[at] = a.csr_col[begin[lane] + j];
        } else {
            int above = lane - 1;

            while (above >= 0 && length[above] <= j)
                above--;
            a.col[at] = ~(above >= 0 ? a.csr_col[begin[above] + j] : a.csr_col[begin[0] + length[0] - 1]);
        }
        value_store(a.values, a.val, at - lane % WARP,
                    entry ? static_cast<const T *>(a.csr_val)[begin[lane] + j] : T(0), entry);
    }
}

template <typename T> static void launch_fill(struct brc_work *w, const struct brc_fill_args &args, dim3 blocks)
{
    blocks_fill<T><<<blocks, dim3(static_cast<unsigned>(w->s->spec.b1)), 0, cuda_stream(w->d)>>>(args);
}

static int entries_fill(struct brc_work *w, char why[ERRLEN])
{
    const struct device_csr *csr = w->csr;
    struct brc_storage *s = w->s;
    int status = 0;

    if ((status = storage_arrays(&s->base, why)) != 0)
        return status;
    if (s->n.empties > 0
        && (status = CUDA_CHECK(w->d,
                                cudaMemcpyAsync(s->empty, w->order + s->n.level1,
                                                static_cast<size_t>(s->n.empties) * sizeof *s->empty,
                                                cudaMemcpyDeviceToDevice, cuda_stream(w->d)),
                                why))
               != 0)
        return status;
    if (s->n.blocks > 0) {
        const struct brc_fill_args args = { csr->row_ptr,  csr->col,      s->row_perm,     s->block_offset,
                                            w->cut_of,     s->cut_ptr,    w->sorted_level, w->width,
                                            s->n.pieces,   s->n.head,     s->n.level1,     s->col,
                                            s->piece_slot, brc_values(s), csr->val,        s->val };
        const dim3 blocks(static_cast<unsigned>(s->n.blocks));

        if (csr->precision == F32)
            launch_fill<float>(w, args, blocks);
        else
            launch_fill<double>(w, args, blocks);
        if ((status = CUDA_LAUNCHED(w->d, why)) != 0)
            return status;
    }
    return CUDA_WAIT(w->d, why);
}

int brc_device_build(struct device *d, const struct device_csr *csr, const struct config *config,
                     const struct features *, struct storage **out, char why[ERRLEN])
{
    struct brc_storage *s = static_cast<struct brc_storage *>(storage_on(d, &brc_layout, csr));
    struct brc_work w = {};
    int status = 0;

    s->spec = brc_spec_of(config);
    w.d = d;
    w.csr = csr;
    w.s = s;
    w.width = s->spec.width;
    if ((status = values_examine_cuda(d, csr, s->spec.as, false, &s->base, &s->table, &s->distinct, why)) == 0
        && (status = rows_sort(&w, why)) == 0 && (status = sizes_get(&w, why)) == 0
        && (status = pieces_sort(&w, why)) == 0 && (status = offsets_make(&w, why)) == 0)
        status = entries_fill(&w, why);
    work_release(&w);
    return storage_done(status, &s->base, out);
}
