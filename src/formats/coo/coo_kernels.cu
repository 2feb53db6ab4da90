/* SPDX-License-Identifier: BSD-3-Clause */
/* coo and coo-packed on a CUDA device: prepared kernels. */
#include <cstdlib>
#include <cstring>
#include "device/cuda.cuh"
#include "formats/coo/coo_kernels.cuh"
#include "formats/coo/coo_packed.h"
#include "formats/l2_policy.h"

struct coo_prepared {
    struct device *device;
    const void *main, *carry; /* carry: NULL if the main kernel suffices */
    dim3 blocks, threads, carry_blocks;
    bool main_early, carry_early;
    enum precision precision;
    int64_t rows, carries;
    struct coo_args args;
};

template <typename T, int ITEMS, int AS> static const void *function_for(bool segmented)
{
    return segmented ? address(coo_spmv_segmented<T, ITEMS, AS>) : address(coo_spmv_atomic<T, ITEMS, AS>);
}

template <typename T, int ITEMS> static const void *full_of(enum values_as, bool segmented)
{
    return function_for<T, ITEMS, AS_FULL>(segmented);
}

template <typename T, int ITEMS> static const void *function_of(enum values_as as, bool segmented)
{
    switch (as) {
    case AS_CONST: return function_for<T, ITEMS, AS_CONST>(segmented);
    case AS_DICT1: return function_for<T, ITEMS, AS_DICT1>(segmented);
    case AS_DICT8: return function_for<T, ITEMS, AS_DICT8>(segmented);
    case AS_DICT16: return function_for<T, ITEMS, AS_DICT16>(segmented);
    case AS_NARROW: return function_for<double, ITEMS, AS_NARROW>(segmented);
    default: return full_of<T, ITEMS>(as, segmented);
    }
}

static void coo_release(void *prepared)
{
    struct coo_prepared *p = static_cast<struct coo_prepared *>(prepared);

    cuda_release(p->device, p->args.carry_row);
    cuda_release(p->device, p->args.carry_sum);
    free(p);
}

/* Allocates the carries of the segmented sum and selects its second kernel, which a single block does not need. */
static int prepare_carry(struct coo_prepared *p, enum precision precision, char why[ERRLEN])
{
    struct device *d = p->device;
    dim3 threads;
    int status = 0;

    p->carries = p->blocks.x;
    if ((status = cuda_alloc_n(d, p->carries, &p->args.carry_row, why)) != 0)
        return status;
    if ((status = cuda_alloc(d, p->carries * precision_bytes(precision), &p->args.carry_sum, why)) != 0)
        return status;
    if (p->carries == 1)
        return 0;
    p->carry = precision == F32 ? address(coo_spmv_carry<float>) : address(coo_spmv_carry<double>);
    return cuda_grid(grid_of(p->carries * WARP, static_cast<int>(p->threads.x)), &p->carry_blocks, &threads, why);
}

static int coo_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    static const struct {
        int items;
        const void *(*function[NPRECISIONS])(enum values_as, bool segmented);
    } table[] = { { 1, { full_of<float, 1>, full_of<double, 1> } },
                  { 2, { function_of<float, 2>, function_of<double, 2> } },
                  { 4, { function_of<float, 4>, function_of<double, 4> } },
                  { 8, { function_of<float, 8>, function_of<double, 8> } },
                  { 16, { full_of<float, 16>, full_of<double, 16> } } };
    const struct coo_storage *s = reinterpret_cast<const struct coo_storage *>(base);
    const int items = static_cast<int>(config_int(config, "items")),
              block = static_cast<int>(config_int(config, "block"));
    const bool segmented = strcmp(config_word(config, "sum"), "segmented") == 0;
    const struct values_packed *packed = base->layout == &coo_packed_layout
                                             ? &reinterpret_cast<const struct coo_packed_storage *>(base)->packed
                                             : nullptr;
    struct coo_prepared *p = static_cast<struct coo_prepared *>(xcalloc(1, sizeof *p));
    int status = 0;

    p->device = d;
    p->rows = base->rows;
    p->precision = base->target.precision;
    p->args.nnz = base->nnz;
    p->args.row = s->row;
    p->args.col = s->col;
    p->args.val = s->val;
    p->args.table = packed ? packed->table : nullptr;
    p->args.policy = l2_policy(base);
    for (const auto &t : table)
        if (t.items == items)
            p->main = t.function[base->target.precision](packed ? packed->as : AS_FULL, segmented);
    if (!p->main || block > COO_BLOCK_MAX)
        status = fail(why, "%s: no kernel for %d entries per thread, %d threads per block", config->kernel->name, items,
                      block);
    if (status == 0)
        status = cuda_grid(coo_grid(base->nnz, items, block), &p->blocks, &p->threads, why);
    if (status == 0 && segmented)
        status = prepare_carry(p, base->target.precision, why);
    if (status == 0) {
        p->main_early = cuda_starts_early(p->main);
        p->carry_early = p->carry && cuda_starts_early(p->carry);
    }
    if (status)
        coo_release(p);
    else
        *prepared = p;
    return status;
}

static int coo_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct coo_prepared *p = static_cast<const struct coo_prepared *>(prepared);
    struct coo_args args = p->args;
    int64_t carries = p->carries;
    void *parameters[] = { &args, &carries };

    args.x = x;
    args.y = y;
    args.add = mode == Y_ADD;
    if (mode == Y_SET && cuda_zero(y, p->rows, p->precision, s->cuda) != cudaSuccess)
        return FAIL;
    if (args.nnz == 0)
        return 0;
    if (cuda_launch_next(p->main, p->blocks, p->threads, parameters, p->main_early && mode == Y_SET, s->cuda)
        != cudaSuccess)
        return FAIL;
    if (!p->carry)
        return 0;
    return cuda_launch_next(p->carry, p->carry_blocks, p->threads, parameters, p->carry_early, s->cuda) == cudaSuccess
               ? 0
               : FAIL;
}

static int coo_attributes(void *prepared, struct kernel_attributes *a)
{
    const struct coo_prepared *p = static_cast<const struct coo_prepared *>(prepared);
    return cuda_attributes(p->main, static_cast<int>(p->threads.x), a);
}

extern const struct kernel_cuda coo_kernel_cuda = { .name = "coo",
                                                    .prepare = coo_prepare,
                                                    .launch = coo_launch,
                                                    .attributes = coo_attributes,
                                                    .part = nullptr,
                                                    .release = coo_release,
                                                    .waits = false };
extern const struct kernel_cuda coo_packed_kernel_cuda = { .name = "coo-packed",
                                                           .prepare = coo_prepare,
                                                           .launch = coo_launch,
                                                           .attributes = coo_attributes,
                                                           .part = nullptr,
                                                           .release = coo_release,
                                                           .waits = false };
