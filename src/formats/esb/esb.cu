/* SPDX-License-Identifier: BSD-3-Clause */
/* ELLPACK sparse blocks on a CUDA device. */
#include "formats/build_cuda.cuh"
#include "formats/esb/esb.h"
#include "formats/prepared.cuh"

enum { ESB_BLOCK_MAX = 1024, BUILD_BLOCK = 256 };

/* ---- build from CSR on the device */
/* A column block: the entries of the matrix with first <= column < end. */
struct column_block {
    const int32_t *row_ptr, *col;
    int64_t rows;
    int32_t first, end;
    bool whole; /* all columns */
};

/* Returns the first entry of begin <= k < end that is in column `col` or later; `end` if there is none. */
static __device__ __forceinline__ int32_t first_from(const struct column_block &a, int32_t begin, int32_t end,
                                                     int32_t col)
{
    while (begin < end) {
        const int32_t middle = begin + (end - begin) / 2;
        if (a.col[middle] < col)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Returns the entries of the row at a place of the block, {first, number}; none past the last row. */
static __device__ __forceinline__ int2 entries_at(const struct column_block &a, const int32_t *perm, int64_t place)
{
    if (place >= a.rows)
        return make_int2(0, 0);
    const int64_t row = perm ? perm[place] : place;
    const int32_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
    if (a.whole)
        return make_int2(begin, end - begin);
    const int32_t first = first_from(a, begin, end, a.first);
    return make_int2(first, first_from(a, first, end, a.end) - first);
}

/* Thread t of the grid handles row t of the block: length[t] = its number of entries. */
static __global__ void esb_lengths(const struct column_block a, int32_t *length)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < a.rows)
        length[i] = entries_at(a, nullptr, i).y;
}

/* Thread t of the grid handles slice t of the block: its steps and entries. */
static __global__ void esb_counts(const struct column_block a, const int32_t *perm, int slice, int64_t slices,
                                  int32_t *step, int32_t *entry)
{
    const int64_t n = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int32_t longest = 0, sum = 0;

    if (n >= slices)
        return;
    for (int i = 0; i < slice; i++) {
        const int32_t length = entries_at(a, perm, n * slice + i).y;
        longest = max(longest, length);
        sum += length;
    }
    step[n] = longest;
    entry[n] = sum;
}

/* Thread t of the grid handles the row at place t of the block, a warp 32 / SLICE slices. */
template <typename T, typename MASK>
static __global__ void esb_fill(const struct column_block a, const T *val, const int32_t *perm, int64_t slices,
                                const int32_t *step, const int32_t *entry, MASK *mask, int32_t *to_col, T *to_val)
{
    constexpr int SLICE = 8 * sizeof(MASK);
    const int64_t place = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, n = place / SLICE;
    const uint32_t lane = threadIdx.x % SLICE, first_lane = threadIdx.x % WARP - lane;
    const int2 row = entries_at(a, perm, place);
    const int32_t begin = n < slices ? step[n] : 0, width = n < slices ? step[n + 1] - begin : 0;
    int64_t at = n < slices ? entry[n] : 0;

    for (int32_t j = 0; __any_sync(0xffffffffu, j < width); j++) {
        const bool there = j < row.y;
        const MASK mine = static_cast<MASK>(__ballot_sync(0xffffffffu, there) >> first_lane);
        const int64_t k = at + __popc(mine & ((1u << lane) - 1));

        if (lane == 0 && j < width)
            mask[static_cast<int64_t>(begin) + j] = mine;
        if (there) {
            to_col[k] = a.col[row.x + j];
            to_val[k] = val[row.x + j];
        }
        at += __popc(mine);
    }
}

static struct column_block block_of(const struct device_csr *csr, int parts, int part)
{
    return { csr->row_ptr,
             csr->col,
             csr->rows,
             static_cast<int32_t>(esb_first_column(csr->cols, parts, part)),
             static_cast<int32_t>(esb_first_column(csr->cols, parts, part + 1)),
             parts == 1 };
}

/* Sorts the rows of a column block. `ptr`: [rows + 1] for the row offsets of a block that is not the whole matrix. */
static int order_rows(struct device *d, const struct device_csr *csr, const struct column_block &a, int64_t sigma,
                      int32_t *ptr, int32_t *perm, char why[ERRLEN])
{
    struct device_csr block = *csr;
    dim3 blocks, threads;
    int status = 0;

    if (a.whole)
        return cuda_rows_order(d, csr, sigma, false, perm, why);
    if ((status = cuda_grid(grid_of(a.rows, BUILD_BLOCK), &blocks, &threads, why)) != 0)
        return status;
    esb_lengths<<<blocks, threads, 0, cuda_stream(d)>>>(a, ptr);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = cuda_scan(d, ptr, a.rows, why)) != 0)
        return status;
    block.row_ptr = ptr;
    return cuda_rows_order(d, &block, sigma, false, perm, why);
}

/* Sorts the rows of each column block and computes the offsets of its slices. */
static int shape(struct device *d, const struct device_csr *csr, int64_t sigma, struct esb_storage *s, int32_t **ptr,
                 char why[ERRLEN])
{
    const int64_t n = s->parts * s->slices;
    dim3 blocks, threads;
    int status = 0;

    if ((status = storage_array(&s->base, &s->step, why)) != 0)
        return status;
    if ((status = storage_array(&s->base, &s->entry, why)) != 0)
        return status;
    if (sigma > 1 && (status = storage_array(&s->base, &s->perm, why)) != 0)
        return status;
    if (sigma > 1 && s->parts > 1 && (status = cuda_alloc_n(d, csr->rows + 1, ptr, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(s->slices, BUILD_BLOCK), &blocks, &threads, why)) != 0)
        return status;
    for (int part = 0; part < s->parts; part++) {
        const struct column_block a = block_of(csr, s->parts, part);
        int32_t *perm = s->perm ? s->perm + part * csr->rows : nullptr;

        if (perm && (status = order_rows(d, csr, a, sigma, *ptr, perm, why)) != 0)
            return status;
        esb_counts<<<blocks, threads, 0, cuda_stream(d)>>>(a, perm, s->slice, s->slices, s->step + part * s->slices,
                                                           s->entry + part * s->slices);
        if ((status = CUDA_LAUNCHED(d, why)) != 0)
            return status;
    }
    if ((status = cuda_scan(d, s->step, n, why)) != 0)
        return status;
    return cuda_scan(d, s->entry, n, why);
}

template <typename T, typename MASK>
static int fill_blocks(struct device *d, const struct device_csr *csr, struct esb_storage *s, char why[ERRLEN])
{
    dim3 blocks, threads;
    int status = cuda_grid(grid_of(csr->rows, BUILD_BLOCK), &blocks, &threads, why);

    for (int part = 0; part < s->parts && status == 0; part++) {
        const int64_t first = part * s->slices;
        esb_fill<T, MASK><<<blocks, threads, 0, cuda_stream(d)>>>(
            block_of(csr, s->parts, part), static_cast<const T *>(csr->val),
            s->perm ? s->perm + part * csr->rows : nullptr, s->slices, s->step + first, s->entry + first,
            static_cast<MASK *>(s->mask), s->col, static_cast<T *>(s->val));
        status = CUDA_LAUNCHED(d, why);
    }
    return status;
}

template <typename T>
static int fill_slices(struct device *d, const struct device_csr *csr, struct esb_storage *s, char why[ERRLEN])
{
    return s->slice == 8    ? fill_blocks<T, uint8_t>(d, csr, s, why)
           : s->slice == 16 ? fill_blocks<T, uint16_t>(d, csr, s, why)
                            : fill_blocks<T, uint32_t>(d, csr, s, why);
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *, struct storage **out, char why[ERRLEN])
{
    struct esb_storage *s = static_cast<struct esb_storage *>(storage_on(d, &esb_layout, csr));
    int32_t *ptr = nullptr, steps = 0;
    int status = 0;

    s->slice = static_cast<int>(config_int(config, "slice"));
    s->parts = static_cast<int>(config_int(config, "parts"));
    s->slices = esb_slices(csr->rows, s->slice);
    if ((status = shape(d, csr, config_int(config, "sigma"), s, &ptr, why)) != 0)
        goto out;
    if ((status = cuda_get(d, &steps, s->step + s->parts * s->slices, sizeof steps, why)) != 0)
        goto out;
    s->steps = steps;
    if ((status = storage_arrays(&s->base, why)) != 0)
        goto out;
    status = csr->precision == F32 ? fill_slices<float>(d, csr, s, why) : fill_slices<double>(d, csr, s, why);
    if (status == 0)
        status = CUDA_WAIT(d, why);
out:
    cuda_release(d, ptr);
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda esb_layout_cuda = { .name = "esb", .build = layout_build, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
struct esb_args {
    int64_t rows, slices; /* slices of a column block */
    int parts;
    const int32_t *step, *entry, *perm, *col;
    const void *mask, *val, *x;
    void *y;
    uint64_t policy; /* see load_once() */
    bool add;
};

/* y = A x for a column block. A warp handles a slice of 32 rows (or 2 of 16, 4 of 8), thread i its row i: it reads the
 * masks of STEPS steps at a time, counts the bits below its own to find its entries, and ends where it has none. With
 * values of s bytes, the kernel moves at least s + 4 bytes per entry, SLICE / 8 per step, 8 per slice, 4 per row if
 * rows are sorted, and s (rows + touched x); blocks after the first also read y. */
template <typename T, typename MASK> static __global__ void __launch_bounds__(ESB_BLOCK_MAX) esb_spmv(const esb_args a)
{
    constexpr int SLICE = 8 * sizeof(MASK), STEPS = 32 / static_cast<int>(sizeof(T));
    const int64_t place = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, slice = place / SLICE;
    const uint32_t lane = threadIdx.x % SLICE;
    const T *val = static_cast<const T *>(a.val), *x = static_cast<const T *>(a.x);
    uint32_t bits[STEPS];
    T sum = 0;

    if (place >= a.rows)
        return;
    const int64_t row = a.perm ? __ldg(a.perm + place) : place;
    const MASK *mask = static_cast<const MASK *>(a.mask) + __ldg(a.step + slice);
    int32_t steps = __ldg(a.step + slice + 1) - __ldg(a.step + slice), at = __ldg(a.entry + slice);
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        bits[i] = i < steps ? __ldg(mask + i) : 0;
    while (bits[0] >> lane & 1) {
        int32_t col[STEPS];
        T v[STEPS], xs[STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const bool there = bits[i] >> lane & 1;
            const int32_t mine = at + __popc(bits[i] & ((1u << lane) - 1));
            col[i] = there ? load_once(a.col + mine, a.policy) : -1;
            v[i] = there ? load_once(val + mine, a.policy) : T(0);
            at += __popc(bits[i]);
        }
        mask += STEPS;
        steps -= STEPS;
#pragma unroll
        for (int i = 0; i < STEPS; i++) /* prefetch the masks of the next steps while the entries load */
            bits[i] = i < steps ? __ldg(mask + i) : 0;
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            xs[i] = col[i] >= 0 ? __ldg(x + col[i]) : T(0);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            sum += v[i] * xs[i];
    }
    store_y(static_cast<T *>(a.y) + row, sum, a.add);
}

static int esb_prepare(struct device *, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    static const void *const functions[NPRECISIONS][3] = {
        { address(esb_spmv<float, uint8_t>), address(esb_spmv<float, uint16_t>), address(esb_spmv<float, uint32_t>) },
        { address(esb_spmv<double, uint8_t>), address(esb_spmv<double, uint16_t>), address(esb_spmv<double, uint32_t>) }
    };
    const struct esb_storage *s = reinterpret_cast<const struct esb_storage *>(base);
    struct esb_args a = {};

    a.rows = base->rows;
    a.slices = s->slices;
    a.parts = s->parts;
    a.step = s->step;
    a.entry = s->entry;
    a.perm = s->perm;
    a.col = s->col;
    a.mask = s->mask;
    a.val = s->val;
    a.policy = l2_policy(base);
    return prepared_make(functions[base->target.precision][s->slice / 16],
                         esb_grid(base->rows, static_cast<int>(config_int(config, "block"))), a, prepared, why);
}

/* One launch after another adds the products of the column blocks to y, in their order. */
static int esb_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    prepared_kernel<esb_args> block = *static_cast<const prepared_kernel<esb_args> *>(prepared);

    for (int part = 0; part < block.args.parts; part++, mode = Y_ADD) {
        if (prepared_launch<esb_args>(&block, x, y, mode, s) != 0)
            return FAIL;
        block.args.step += block.args.slices;
        block.args.entry += block.args.slices;
        block.args.perm += block.args.perm ? block.args.rows : 0;
    }
    return 0;
}

extern const struct kernel_cuda esb_kernel_cuda = { .name = "esb",
                                                    .prepare = esb_prepare,
                                                    .launch = esb_launch,
                                                    .attributes = prepared_attributes<esb_args>,
                                                    .part = nullptr,
                                                    .release = prepared_release,
                                                    .waits = false };
