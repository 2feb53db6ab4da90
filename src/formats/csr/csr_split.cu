/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split and csr-packed on a CUDA device: prepare lists the pieces once. */
#include <cstdlib>
#include <cstring>
#include "formats/csr/csr_packed.h"
#include "formats/csr/csr_split.cuh"
#include "formats/prepared.cuh"
#include "matrix/look.cuh"

struct split_prepared {
    struct prepared_kernel<csr_split_args> run; /* first member, because prepared.cuh provides launch and attributes */
    struct device *device;
    void *lists; /* NULL: no row is cut */
};

template <typename T, int LANES> static const void *function_of(bool by_block, bool packed)
{
    static const void *const functions[2][2] = {
        { address(csr_spmv_split<T, LANES, false, false>), address(csr_spmv_split<T, LANES, false, true>) },
        { address(csr_spmv_split<T, LANES, true, false>), address(csr_spmv_split<T, LANES, true, true>) }
    };
    return functions[by_block][packed];
}

static const struct {
    int lanes;
    const void *(*function[NPRECISIONS])(bool by_block, bool packed);
} functions[] = { { 2, { function_of<float, 2>, function_of<double, 2> } },
                  { 4, { function_of<float, 4>, function_of<double, 4> } },
                  { 8, { function_of<float, 8>, function_of<double, 8> } },
                  { 16, { function_of<float, 16>, function_of<double, 16> } },
                  { 32, { function_of<float, 32>, function_of<double, 32> } } };

static void split_release(void *prepared)
{
    struct split_prepared *p = static_cast<struct split_prepared *>(prepared);

    cuda_release(p->device, p->lists);
    free(p);
}

static int list_pieces(struct split_prepared *p, const struct csr_storage *csr, char why[ERRLEN])
{
    struct csr_split_args *a = &p->run.args;
    struct row_pieces pieces;

    if (csr->base.rows == 0 || (csr->row_max > 0 && csr->row_max <= a->cut))
        return 0;
    const int status = row_pieces_get(p->device, csr->row_ptr, csr->base.rows, csr->base.nnz, &csr->listed, a->cut,
                                      a->piece_size, &pieces, why);
    p->lists = pieces.memory;
    a->pieces = pieces.n;
    a->piece = pieces.piece;
    a->part = pieces.part;
    a->ticket = pieces.ticket;
    return status;
}

static int split_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                         char why[ERRLEN])
{
    const struct csr_storage *csr = reinterpret_cast<const struct csr_storage *>(base);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    const bool by_block = strcmp(config_word(config, "deal"), "block") == 0,
               packed = base->layout == &csr_packed_layout;
    struct split_prepared *p = static_cast<struct split_prepared *>(xcalloc(1, sizeof *p));
    struct csr_split_args *a = &p->run.args;
    int status = 0;

    p->device = d;
    for (const auto &f : functions)
        if (f.lanes == lanes)
            p->run.function = f.function[base->target.precision](by_block, packed);
    if (!p->run.function)
        status = fail(why, "%s: no kernel for %d lanes per row", config->kernel->name, lanes);
    a->rows = static_cast<int32_t>(base->rows);
    a->cut = static_cast<int32_t>(config_int(config, "cut"));
    a->piece_size = csr_split_piece(by_block, block);
    a->row_ptr = csr->row_ptr;
    a->col = csr->col;
    a->val = csr->val;
    a->policy = l2_policy(base);
    if (packed) {
        const struct values_packed *values = &reinterpret_cast<const struct csr_packed_storage *>(base)->packed;
        a->as = values->as;
        a->table = values->table;
    }
    if (status == 0)
        status = list_pieces(p, csr, why);
    a->piece_blocks = static_cast<int32_t>(csr_split_piece_blocks(a->pieces, by_block, block));
    if (status == 0)
        status = cuda_grid(csr_split_grid(base->rows, a->pieces, by_block, lanes, block), &p->run.blocks,
                           &p->run.threads, why);
    if (status)
        split_release(p);
    else
        *prepared = p;
    return status;
}

extern const struct kernel_cuda csr_split_kernel_cuda = { .name = "csr-split",
                                                          .prepare = split_prepare,
                                                          .launch = prepared_launch<csr_split_args>,
                                                          .attributes = prepared_attributes<csr_split_args>,
                                                          .part = nullptr,
                                                          .release = split_release,
                                                          .waits = true };
extern const struct kernel_cuda csr_packed_kernel_cuda = { .name = "csr-packed",
                                                           .prepare = split_prepare,
                                                           .launch = prepared_launch<csr_split_args>,
                                                           .attributes = prepared_attributes<csr_split_args>,
                                                           .part = nullptr,
                                                           .release = split_release,
                                                           .waits = true };
