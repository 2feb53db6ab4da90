/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-staged on a CUDA device: prepare makes the lists, and from them the shared memory that a block needs. */
#include <algorithm>
#include <cstdlib>
#include <vector>
#include "formats/csr/csr_staged.cuh"
#include "formats/prepared.cuh"

struct staged_prepared {
    struct prepared_kernel<csr_staged_args> run; /* first member, because prepared.cuh provides launch and attributes */
    struct device *device;
    void *lists, *order; /* order: NULL if every row has entries */
};

static const struct {
    int items, block;
    const void *function[NPRECISIONS];
} functions[] = {
#define ROW(items, block)                                                                                 \
    {                                                                                                     \
        items, block,                                                                                     \
        {                                                                                                 \
            address(csr_spmv_staged<float, items, block>), address(csr_spmv_staged<double, items, block>) \
        }                                                                                                 \
    }
    ROW(4, 512), ROW(4, 1024), ROW(8, 512), ROW(8, 1024)
#undef ROW
};

static void staged_release(void *prepared)
{
    struct staged_prepared *p = static_cast<struct staged_prepared *>(prepared);

    cuda_release(p->device, p->lists);
    cuda_release(p->device, p->order);
    free(p);
}

/* A launch of at least n threads. */
struct threads {
    unsigned blocks, each;
    explicit threads(int64_t n) : blocks(static_cast<unsigned>(grid_of(n, 256).blocks)), each(256) {}
};

/* Sets order, filled. rank is known. */
static int list_order(struct staged_prepared *p, const int32_t *row_ptr, int items, char why[ERRLEN])
{
    struct csr_staged_args *a = &p->run.args;
    const threads t(a->rows);
    int status;

    if ((status = cuda_get(p->device, &a->filled, a->rank + a->chunks, sizeof a->filled, why)) != 0)
        return status;
    if (a->filled == a->rows)
        return 0;
    if ((status = cuda_alloc(p->device, a->rows * static_cast<int64_t>(sizeof(int32_t)), &p->order, why)) != 0)
        return status;
    csr_staged_order<<<t.blocks, t.each, 0, cuda_stream(p->device)>>>(*a, row_ptr, items,
                                                                      static_cast<int32_t *>(p->order));
    a->order = static_cast<const int32_t *>(p->order);
    return CUDA_LAUNCHED(p->device, why);
}

static int make_lists(struct staged_prepared *p, const int32_t *row_ptr, int items, char why[ERRLEN])
{
    struct csr_staged_args *a = &p->run.args;
    struct device *d = p->device;
    const int blocks = static_cast<int>(p->run.blocks.x);
    const int64_t marks = static_cast<int64_t>(a->chunks) * WARP;
    const threads per_row(a->rows), per_mark(marks), per_end(static_cast<int64_t>(a->chunks) + blocks);
    int status;

    if ((status = cuda_alloc(d, csr_staged_lists_bytes(a->chunks, blocks), &p->lists, why)) != 0)
        return status;
    uint16_t *const starts = static_cast<uint16_t *>(p->lists);
    int2 *const last = reinterpret_cast<int2 *>(starts + marks);
    int32_t *const rank = reinterpret_cast<int32_t *>(last + a->chunks), *const end = rank + a->chunks + 1;
    if ((status = CUDA_CHECK(d, cudaMemsetAsync(starts, 0, static_cast<size_t>(marks) * sizeof *starts, cuda_stream(d)),
                             why))
        != 0)
        return status;
    csr_staged_starts<<<per_row.blocks, per_row.each, 0, cuda_stream(d)>>>(row_ptr, a->rows, items,
                                                                           static_cast<unsigned *>(p->lists));
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    csr_staged_counts<<<per_mark.blocks, per_mark.each, 0, cuda_stream(d)>>>(a->chunks, starts, rank);
    if ((status = CUDA_LAUNCHED(d, why)) != 0 || (status = cuda_scan(d, rank, a->chunks, why)) != 0)
        return status;
    a->starts = starts;
    a->last = last;
    a->rank = rank;
    a->end = end;
    if ((status = list_order(p, row_ptr, items, why)) != 0)
        return status;
    csr_staged_ends<<<per_end.blocks, per_end.each, 0, cuda_stream(d)>>>(
        *a, row_ptr, static_cast<int>(csr_staged_chunk(items)), blocks, last, end);
    return CUDA_LAUNCHED(d, why);
}

/* Finds the shared memory of the block that needs most. */
static int allow_shared(struct staged_prepared *p, enum precision precision, char why[ERRLEN])
{
    const struct csr_staged_args *a = &p->run.args;
    const int64_t value_bytes = precision_bytes(precision);
    const int32_t blocks = static_cast<int32_t>(p->run.blocks.x);
    std::vector<int32_t> end(p->run.blocks.x);
    int64_t sums = 0;
    int status;

    if ((status = cuda_get(p->device, end.data(), a->end, blocks * static_cast<int64_t>(sizeof end[0]), why)) != 0)
        return status;
    for (int32_t b = 0; b < blocks; b++) {
        const int64_t first = csr_staged_first(a->chunks, b, blocks), stop = csr_staged_first(a->chunks, b + 1, blocks),
                      extra = std::max<int64_t>(end[static_cast<size_t>(b)] - stop, 0);
        sums = std::max(sums, csr_staged_sums_bytes(stop - first, extra, value_bytes));
    }
    const int64_t bytes = CSR_STAGED_BARRIER + csr_staged_x_bytes(a->cols, value_bytes) + sums;
    p->run.shared = static_cast<size_t>(bytes);
    return cuda_shared(p->device, p->run.function, bytes, why);
}

static int staged_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    const struct csr_storage *csr = reinterpret_cast<const struct csr_storage *>(base);
    const int items = static_cast<int>(config_int(config, "items")),
              block = static_cast<int>(config_int(config, "block"));
    struct staged_prepared *p = static_cast<struct staged_prepared *>(xcalloc(1, sizeof *p));
    struct csr_staged_args *a = &p->run.args;
    int status = 0;

    p->device = d;
    for (const auto &f : functions)
        if (f.items == items && f.block == block)
            p->run.function = f.function[base->target.precision];
    if (!p->run.function)
        status = fail(why, "csr-staged: no kernel for %d items per thread, %d threads per block", items, block);
    a->rows = static_cast<int32_t>(base->rows);
    a->cols = static_cast<int32_t>(base->cols);
    a->nnz = static_cast<int32_t>(base->nnz);
    a->chunks = static_cast<int32_t>(csr_staged_chunks(base->nnz, items));
    a->col = csr->col;
    a->val = csr->val;
    a->wide = (reinterpret_cast<uintptr_t>(a->col) | reinterpret_cast<uintptr_t>(a->val)) % CSR_STAGED_WORD == 0;
    a->policy = l2_policy(base);
    if (status == 0)
        status = cuda_grid(csr_staged_grid(base->nnz, items, block, base->target.device.sms), &p->run.blocks,
                           &p->run.threads, why);
    if (status == 0)
        status = make_lists(p, csr->row_ptr, items, why);
    if (status == 0)
        status = allow_shared(p, base->target.precision, why);
    if (status)
        staged_release(p);
    else
        *prepared = p;
    return status;
}

extern const struct kernel_cuda csr_staged_kernel_cuda = { .name = "csr-staged",
                                                           .prepare = staged_prepare,
                                                           .launch = prepared_launch<csr_staged_args>,
                                                           .attributes = prepared_attributes<csr_staged_args>,
                                                           .part = nullptr,
                                                           .release = staged_release,
                                                           .waits = true };
