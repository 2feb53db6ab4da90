/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-merge on a CUDA device: cuts, scratch memory, launches. */
#include <cstring>
#include "formats/csr/csr_merge.cuh"
#include "formats/prepared.cuh"

template <int BLOCK, int ITEMS> static const void *function_of(enum precision p)
{
    return p == F32 ? address(csr_spmv_merge<float, BLOCK, ITEMS>) : address(csr_spmv_merge<double, BLOCK, ITEMS>);
}

static const struct {
    int block, items;
    const void *(*function)(enum precision);
} functions[] = { { 128, 4, function_of<128, 4> },   { 128, 7, function_of<128, 7> },
                  { 128, 10, function_of<128, 10> }, { 128, 14, function_of<128, 14> },
                  { 256, 4, function_of<256, 4> },   { 256, 7, function_of<256, 7> },
                  { 256, 10, function_of<256, 10> }, { 256, 14, function_of<256, 14> } };

static void arrays_release(const struct merge_args *a)
{
    cuda_release(a->device, a->cuts);
    cuda_release(a->device, a->pieces);
    cuda_release(a->device, a->arrived);
}

static void merge_release(void *prepared)
{
    arrays_release(&static_cast<const prepared_kernel<merge_args> *>(prepared)->args);
    prepared_release(prepared);
}

static int make_cuts(struct merge_args *a, int size, int whole, char why[ERRLEN])
{
    struct device *d = a->device;
    dim3 blocks, threads;
    int status = 0;

    if ((status = cuda_alloc_n(d, a->tiles + 1, &a->cuts, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(a->tiles + 1, 256), &blocks, &threads, why)) != 0)
        return status;
    csr_merge_cuts<<<blocks, threads, 0, cuda_stream(d)>>>(*a, size, whole);
    return CUDA_LAUNCHED(d, why);
}

/* Allocates scratch memory for the rows that tiles cut; if `stored`, also computes where the tiles begin. */
static int make_arrays(struct merge_args *a, enum precision p, int size, int whole, bool stored, char why[ERRLEN])
{
    struct device *d = a->device;
    const size_t counters = static_cast<size_t>(a->tiles) * sizeof *a->arrived;
    int status = 0;

    if ((status = cuda_alloc(d, 2 * a->tiles * precision_bytes(p), &a->pieces, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(d, a->tiles, &a->arrived, why)) != 0)
        return status;
    if ((status = CUDA_CHECK(d, cudaMemsetAsync(a->arrived, 0, counters, cuda_stream(d)), why)) != 0)
        return status;
    if (stored && (status = make_cuts(a, size, whole, why)) != 0)
        return status;
    return CUDA_WAIT(d, why);
}

static int merge_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                         char why[ERRLEN])
{
    const struct csr_storage *s = reinterpret_cast<const struct csr_storage *>(base);
    const int items = static_cast<int>(config_int(config, "items")),
              block = static_cast<int>(config_int(config, "block"));
    const struct grid grid = csr_merge_grid(base->rows, base->nnz, items, block);
    const void *function = nullptr;
    struct merge_args a = {};
    int status = 0;

    for (const auto &f : functions)
        if (f.block == block && f.items == items)
            function = f.function(base->target.precision);
    if (!function)
        return fail(why, "csr-merge: no kernel for %d items per thread, %d threads per block", items, block);
    a.rows = static_cast<int32_t>(base->rows);
    a.nnz = static_cast<int32_t>(base->nnz);
    a.row_ptr = s->row_ptr;
    a.col = s->col;
    a.val = s->val;
    a.policy = l2_policy(base);
    a.tiles = grid.blocks;
    a.device = d;
    status = make_arrays(&a, base->target.precision, items * block, block,
                         strcmp(config_word(config, "search"), "stored") == 0, why);
    if (status == 0)
        status = prepared_make(function, grid, a, prepared, why);
    if (status)
        arrays_release(&a);
    return status;
}

extern const struct kernel_cuda csr_merge_kernel_cuda = { .name = "csr-merge",
                                                          .prepare = merge_prepare,
                                                          .launch = prepared_launch<merge_args>,
                                                          .attributes = prepared_attributes<merge_args>,
                                                          .part = nullptr,
                                                          .release = merge_release,
                                                          .waits = false };
