/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-stream on a CUDA device: prepare makes break points and scratch memory once. A launch is one kernel, preceded by
 * one that zeroes the rows whose pieces are added atomically. */
#include <cstdlib>
#include <cstring>
#include "formats/csr/csr_stream.cuh"
#include "formats/prepared.cuh"

struct stream_prepared {
    struct device *device;
    /* share=rows: the prepared kernel, csr-block's with a different number of rows; otherwise NULL */
    void *rows;
    struct prepared_kernel<csr_stream_args> entries;
    void *scratch[4]; /* cut, part, ticket, within */
    /* zeroes: some rows have pieces that are added atomically; early: the kernel starts while these rows are zeroed */
    bool zeroes, early;
    int64_t tiles;
    enum precision precision;
};

template <typename T, int BLOCK, int ITEMS> static const void *by_share(bool rows)
{
    return rows ? address(csr_spmv_block<T, BLOCK, ITEMS>) : address(csr_spmv_stream<T, BLOCK, ITEMS>);
}

static const struct {
    int block, items;
    const void *(*function[NPRECISIONS])(bool);
} functions[] = {
#define ROW(block, items)                                                               \
    {                                                                                   \
        block, items, { by_share<float, block, items>, by_share<double, block, items> } \
    }
    ROW(128, 4), ROW(128, 8), ROW(256, 4), ROW(256, 8)
#undef ROW
};

static void stream_release(void *prepared)
{
    struct stream_prepared *p = static_cast<struct stream_prepared *>(prepared);

    for (void *s : p->scratch)
        cuda_release(p->device, s);
    if (p->rows)
        prepared_release(p->rows);
    free(p);
}

static int cut_rows(struct stream_prepared *p, const struct csr_storage *csr, int block, int items, char why[ERRLEN])
{
    const struct storage *base = &csr->base;
    struct device *d = p->device;
    struct csr_stream_args *a = &p->entries.args;
    const int64_t tiles = csr_stream_tiles(base->rows, base->nnz, block, items),
                  value_bytes = precision_bytes(base->target.precision);
    dim3 blocks, threads;
    int status = 0, within = 0;

    if ((status = cuda_alloc(d, (tiles + 1) * static_cast<int64_t>(sizeof(int2)), &p->scratch[0], why)) != 0)
        return status;
    if ((status = cuda_alloc(d, 2 * tiles * value_bytes, &p->scratch[1], why)) != 0)
        return status;
    if ((status = cuda_alloc(d, tiles * static_cast<int64_t>(sizeof(unsigned)), &p->scratch[2], why)) != 0)
        return status;
    if ((status = CUDA_CHECK(
             d, cudaMemsetAsync(p->scratch[2], 0, static_cast<size_t>(tiles) * sizeof(unsigned), cuda_stream(d)), why))
        != 0)
        return status;
    if ((status = cuda_grid(grid_of(tiles + 1, 128), &blocks, &threads, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(d, 1, reinterpret_cast<int **>(&p->scratch[3]), why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaMemsetAsync(p->scratch[3], 0, sizeof within, cuda_stream(d)), why)) != 0)
        return status;
    a->rows = static_cast<int32_t>(base->rows);
    a->step = static_cast<int32_t>(csr_stream_step(block, items));
    a->row_ptr = csr->row_ptr;
    a->col = csr->col;
    a->val = csr->val;
    a->policy = l2_policy(base);
    a->cut = static_cast<const int2 *>(p->scratch[0]);
    a->part = p->scratch[1];
    a->ticket = static_cast<unsigned *>(p->scratch[2]);
    csr_stream_cuts<<<blocks, threads, 0, cuda_stream(d)>>>(
        csr->row_ptr, a->rows, a->step, static_cast<int32_t>(csr_stream_long(block, items)), tiles,
        static_cast<int2 *>(p->scratch[0]), static_cast<int *>(p->scratch[3]));
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = cuda_get(d, &within, p->scratch[3], sizeof within, why)) != 0)
        return status;
    p->tiles = tiles;
    p->precision = base->target.precision;
    p->zeroes = a->atomic && within;
    p->early = cuda_starts_early(p->entries.function);
    return 0;
}

static int stream_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    const struct csr_storage *csr = reinterpret_cast<const struct csr_storage *>(base);
    const bool by_rows = strcmp(config_word(config, "share"), "rows") == 0;
    const int block = static_cast<int>(config_int(config, "block")),
              items = static_cast<int>(config_int(config, "items"));
    const struct grid grid = csr_stream_grid(base->rows, base->nnz, by_rows, block, items);
    struct stream_prepared *p = static_cast<struct stream_prepared *>(xcalloc(1, sizeof *p));
    int status = FAIL;

    p->device = d;
    fail(why, "csr-stream: no kernel for %d threads per block, %d items per thread", block, items);
    for (const auto &f : functions) {
        if (f.block != block || f.items != items)
            continue;
        p->entries.function = f.function[base->target.precision](by_rows);
        if (by_rows) {
            const struct csr_args a = { static_cast<int32_t>(base->rows),
                                        csr_stream_rows(base->rows, base->nnz, block, items),
                                        csr->row_ptr,
                                        csr->col,
                                        csr->val,
                                        nullptr,
                                        nullptr,
                                        l2_policy(base),
                                        false };
            status = prepared_make(p->entries.function, grid, a, &p->rows, why);
        } else {
            p->entries.args.atomic = strcmp(config_word(config, "sum"), "atomic") == 0;
            status = cuda_grid(grid, &p->entries.blocks, &p->entries.threads, why);
            if (status == 0)
                status = cut_rows(p, csr, block, items, why);
        }
    }
    if (status)
        stream_release(p);
    else
        *prepared = p;
    return status;
}

static cudaError_t zero_pieces(const struct stream_prepared *p, void *y, cudaStream_t s)
{
    enum { THREADS = 128 };
    const unsigned blocks = static_cast<unsigned>((p->tiles + THREADS - 1) / THREADS);

    if (p->precision == F32)
        csr_stream_zero<<<blocks, THREADS, 0, s>>>(p->entries.args.cut, p->tiles, static_cast<float *>(y));
    else
        csr_stream_zero<<<blocks, THREADS, 0, s>>>(p->entries.args.cut, p->tiles, static_cast<double *>(y));
    return cudaGetLastError();
}

static int stream_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    struct stream_prepared *p = static_cast<struct stream_prepared *>(prepared);
    struct csr_stream_args args = p->entries.args;
    const bool zeroes = p->zeroes && mode == Y_SET;
    void *parameters[] = { &args };

    if (p->rows)
        return prepared_launch<csr_args>(p->rows, x, y, mode, s);
    args.x = x;
    args.y = y;
    args.add = mode == Y_ADD;
    if (zeroes && zero_pieces(p, y, s->cuda) != cudaSuccess)
        return FAIL;
    return cuda_launch_next(p->entries.function, p->entries.blocks, p->entries.threads, parameters, zeroes && p->early,
                            s->cuda)
                   == cudaSuccess
               ? 0
               : FAIL;
}

static int stream_attributes(void *prepared, struct kernel_attributes *a)
{
    struct stream_prepared *p = static_cast<struct stream_prepared *>(prepared);
    return p->rows ? prepared_attributes<csr_args>(p->rows, a) : prepared_attributes<csr_stream_args>(&p->entries, a);
}

extern const struct kernel_cuda csr_stream_kernel_cuda = { .name = "csr-stream",
                                                           .prepare = stream_prepare,
                                                           .launch = stream_launch,
                                                           .attributes = stream_attributes,
                                                           .part = nullptr,
                                                           .release = stream_release,
                                                           .waits = false };
