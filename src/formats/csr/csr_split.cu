/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split on a CUDA device: prepare lists the pieces once. */
#include <cstdlib>
#include <cstring>
#include "formats/csr/csr_split.cuh"
#include "formats/prepared.cuh"
#include "matrix/look.cuh"

struct split_prepared {
    struct prepared_kernel<csr_split_args> run; /* first member, because prepared.cuh provides launch and attributes */
    struct device *device;
    void *lists; /* NULL: no row is cut */
};

template <int LANES, bool BY_BLOCK> static const void *function_of(enum precision p)
{
    return p == F32 ? address(csr_spmv_split<float, LANES, BY_BLOCK>)
                    : address(csr_spmv_split<double, LANES, BY_BLOCK>);
}

static const struct {
    int lanes;
    const void *(*function[2])(enum precision);
} functions[] = { /* [by_block] */
                  { 2, { function_of<2, false>, function_of<2, true> } },
                  { 4, { function_of<4, false>, function_of<4, true> } },
                  { 8, { function_of<8, false>, function_of<8, true> } },
                  { 16, { function_of<16, false>, function_of<16, true> } },
                  { 32, { function_of<32, false>, function_of<32, true> } }
};

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
    const bool by_block = strcmp(config_word(config, "deal"), "block") == 0;
    struct split_prepared *p = static_cast<struct split_prepared *>(xcalloc(1, sizeof *p));
    struct csr_split_args *a = &p->run.args;
    int status = 0;

    p->device = d;
    for (const auto &f : functions)
        if (f.lanes == lanes)
            p->run.function = f.function[by_block](base->target.precision);
    if (!p->run.function)
        status = fail(why, "csr-split: no kernel for %d lanes per row", lanes);
    a->rows = static_cast<int32_t>(base->rows);
    a->cut = static_cast<int32_t>(config_int(config, "cut"));
    a->piece_size = csr_split_piece(by_block, block);
    a->row_ptr = csr->row_ptr;
    a->col = csr->col;
    a->val = csr->val;
    a->policy = l2_policy(base);
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
