/* SPDX-License-Identifier: BSD-3-Clause */
/* BRC on a CUDA device: upload and prepared kernel. */
#include <cstdlib>
#include <cstring>
#include "formats/brc/brc.cuh"
#include "formats/l2_policy.h"

/* ---------------------------------------------------------------------------------------------------------- layout */
template <typename T> static int put(struct device *d, T **to, const T *from, int64_t n, char why[ERRLEN])
{
    return cuda_upload(d, reinterpret_cast<void **>(to), from, n * static_cast<int64_t>(sizeof(T)), why);
}

extern const struct layout_cuda brc_layout_cuda = { .name = "brc", .build = brc_device_build, .refers = false };

/* ---------------------------------------------------------------------------------------------------------- kernel */
struct brc_prepared {
    struct device *device;
    const void *function;
    dim3 blocks, threads;
    int64_t zeroed; /* elements of y to zero before a launch that sets y; 0 with partials */
    enum precision precision;
    bool early; /* with atomic: the kernel may start while y is being zeroed */
    struct brc_args args;
};

template <typename T, int B1, int AS> static const void *function_for(bool partials)
{
    return partials ? address(brc_spmv_partials<T, B1, AS>) : address(brc_spmv_atomic<T, B1, AS>);
}

template <typename T, int B1> static const void *function_of(enum values_as as, bool partials)
{
    switch (as) {
    case AS_CONST: return function_for<T, B1, AS_CONST>(partials);
    case AS_DICT1: return function_for<T, B1, AS_DICT1>(partials);
    case AS_DICT8: return function_for<T, B1, AS_DICT8>(partials);
    case AS_DICT16: return function_for<T, B1, AS_DICT16>(partials);
    case AS_NARROW: return function_for<double, B1, AS_NARROW>(partials);
    default: return function_for<T, B1, AS_FULL>(partials);
    }
}

static void kernel_release(void *prepared)
{
    struct brc_prepared *p = static_cast<struct brc_prepared *>(prepared);

    cuda_release(p->device, p->args.partial);
    cuda_release(p->device, p->args.ticket);
    free(p);
}

/* Allocates slots and tickets. The tickets start at 0, and each launch resets them. */
static int prepare_partials(struct brc_prepared *p, const struct brc_storage *s, char why[ERRLEN])
{
    struct device *d = p->device;
    int status = 0;

    if ((status = cuda_alloc(d, s->n.slots * precision_bytes(s->base.target.precision), &p->args.partial, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(d, s->n.cuts, &p->args.ticket, why)) != 0)
        return status;
    if (s->n.cuts == 0)
        return 0;
    if ((status = CUDA_CHECK(d,
                             cudaMemsetAsync(p->args.ticket, 0, static_cast<size_t>(s->n.cuts) * sizeof *p->args.ticket,
                                             cuda_stream(d)),
                             why))
        != 0)
        return status;
    return CUDA_WAIT(d, why);
}

static void args_set(struct brc_args *a, const struct brc_storage *s)
{
    a->warps = s->n.blocks * (s->spec.b1 / WARP);
    a->head = s->n.head;
    a->level1 = s->n.level1;
    a->empties = s->n.empties;
    a->block_offset = s->block_offset;
    a->row_perm = s->row_perm;
    a->cut_ptr = s->cut_ptr;
    a->empty = s->empty;
    a->col = s->col;
    a->piece_slot = s->piece_slot;
    a->val = s->val;
    a->table = s->table;
    a->policy = l2_policy(&s->base);
}

static int kernel_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                          char why[ERRLEN])
{
    static const struct {
        int b1;
        const void *(*function[NPRECISIONS])(enum values_as, bool partials);
    } table[] = { { 32, { function_of<float, 32>, function_of<double, 32> } },
                  { 64, { function_of<float, 64>, function_of<double, 64> } },
                  { 128, { function_of<float, 128>, function_of<double, 128> } } };
    const struct brc_storage *s = reinterpret_cast<const struct brc_storage *>(base);
    const int block = static_cast<int>(config_int(config, "block"));
    const bool partials = strcmp(config_word(config, "sum"), "partials") == 0;
    struct brc_prepared *p = static_cast<struct brc_prepared *>(xcalloc(1, sizeof *p));
    int status = 0;

    p->device = d;
    args_set(&p->args, s);
    for (const auto &t : table)
        if (t.b1 == s->spec.b1)
            p->function = t.function[base->target.precision](s->spec.as, partials);
    if (!p->function || block > BRC_BLOCK_MAX)
        status = fail(why, "brc: no kernel for blocks of %d pieces, %d threads per block", s->spec.b1, block);
    if (status == 0)
        status =
            cuda_grid(brc_grid(s->n.blocks, s->spec.b1, partials ? s->n.empties : 0, config_int(config, "rep"), block),
                      &p->blocks, &p->threads, why);
    if (partials && status == 0)
        status = prepare_partials(p, s, why);
    p->precision = base->target.precision;
    if (!partials && status == 0) {
        p->zeroed = base->rows;
        p->early = cuda_starts_early(p->function);
    }
    if (status)
        kernel_release(p);
    else
        *prepared = p;
    return status;
}

static int kernel_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct brc_prepared *p = static_cast<const struct brc_prepared *>(prepared);
    struct brc_args args = p->args;
    void *parameters[] = { &args };

    args.x = x;
    args.y = y;
    args.add = mode == Y_ADD;
    if (mode == Y_SET && cuda_zero(y, p->zeroed, p->precision, s->cuda) != cudaSuccess)
        return FAIL;
    return cuda_launch_next(p->function, p->blocks, p->threads, parameters, p->early && mode == Y_SET, s->cuda)
                   == cudaSuccess
               ? 0
               : FAIL;
}

static int kernel_attributes_of(void *prepared, struct kernel_attributes *a)
{
    const struct brc_prepared *p = static_cast<const struct brc_prepared *>(prepared);
    return cuda_attributes(p->function, static_cast<int>(p->threads.x), a);
}

extern const struct kernel_cuda brc_kernel_cuda = { .name = "brc",
                                                    .prepare = kernel_prepare,
                                                    .launch = kernel_launch,
                                                    .attributes = kernel_attributes_of,
                                                    .part = nullptr,
                                                    .release = kernel_release,
                                                    .waits = false };
