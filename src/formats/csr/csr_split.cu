/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split on a CUDA device: prepare builds the list of pieces once. */
#include <cstdlib>
#include <cstring>
#include "formats/csr/csr_split.cuh"
#include "formats/prepared.cuh"

struct split_prepared {
    struct prepared_kernel<csr_split_args> run; /* first member, because prepared.cuh provides launch and attributes */
    struct device *device;
    void *scratch[4]; /* total, piece, part, ticket */
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

    for (void *s : p->scratch)
        cuda_release(p->device, s);
    free(p);
}

/* Counts the pieces in scratch[0]; if scratch[1] is allocated, also lists them there. */
static int cut_rows(struct split_prepared *p, const struct csr_dev *csr, char why[ERRLEN])
{
    const struct csr_split_args *a = &p->run.args;
    struct device *d = p->device;
    dim3 blocks, threads;
    int status = CUDA_CHECK(d, cudaMemsetAsync(p->scratch[0], 0, sizeof(unsigned long long), cuda_stream(d)), why);

    if (status == 0)
        status = cuda_grid(grid_of(csr->base.rows, 256), &blocks, &threads, why);
    if (status)
        return status;
    csr_split_cut<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, a->rows, a->cut, a->piece_size,
                                                          static_cast<unsigned long long *>(p->scratch[0]),
                                                          static_cast<int4 *>(p->scratch[1]));
    return CUDA_LAUNCHED(d, why);
}

static int list_pieces(struct split_prepared *p, const struct csr_dev *csr, char why[ERRLEN])
{
    struct device *d = p->device;
    unsigned long long total = 0;
    int status = 0;

    if ((status = cuda_alloc(d, sizeof total, &p->scratch[0], why)) != 0)
        return status;
    if ((status = cut_rows(p, csr, why)) != 0)
        return status;
    if ((status = cuda_get(d, &total, p->scratch[0], sizeof total, why)) != 0)
        return status;
    const int64_t n = static_cast<int64_t>(total);
    p->run.args.pieces = static_cast<int32_t>(n);
    if (n == 0)
        return 0;
    if ((status = cuda_alloc(d, n * static_cast<int64_t>(sizeof(int4)), &p->scratch[1], why)) != 0)
        return status;
    if ((status = cuda_alloc(d, n * precision_bytes(csr->base.precision), &p->scratch[2], why)) != 0)
        return status;
    if ((status = cuda_alloc(d, n * static_cast<int64_t>(sizeof(unsigned)), &p->scratch[3], why)) != 0)
        return status;
    if ((status = CUDA_CHECK(
             d, cudaMemsetAsync(p->scratch[3], 0, static_cast<size_t>(n) * sizeof(unsigned), cuda_stream(d)), why))
        != 0)
        return status;
    if ((status = cut_rows(p, csr, why)) != 0)
        return status;
    p->run.args.piece = static_cast<const int4 *>(p->scratch[1]);
    p->run.args.part = p->scratch[2];
    p->run.args.ticket = static_cast<unsigned *>(p->scratch[3]);
    return CUDA_WAIT(d, why);
}

static int split_prepare(struct device *d, const struct device_layout *l, const struct config *config, void **prepared,
                         char why[ERRLEN])
{
    const struct csr_dev *csr = reinterpret_cast<const struct csr_dev *>(l);
    const int lanes = static_cast<int>(config_int(config, "lanes")),
              block = static_cast<int>(config_int(config, "block"));
    const bool by_block = strcmp(config_word(config, "deal"), "block") == 0;
    struct split_prepared *p = static_cast<struct split_prepared *>(xcalloc(1, sizeof *p));
    struct csr_split_args *a = &p->run.args;
    int status = 0;

    p->device = d;
    for (const auto &f : functions)
        if (f.lanes == lanes)
            p->run.function = f.function[by_block](l->precision);
    if (!p->run.function)
        status = fail(why, "csr-split: no kernel for %d lanes per row", lanes);
    a->rows = static_cast<int32_t>(l->rows);
    a->cut = static_cast<int32_t>(config_int(config, "cut"));
    a->piece_size = csr_split_piece(by_block, block);
    a->row_ptr = csr->row_ptr;
    a->col = csr->col;
    a->val = csr->val;
    if (status == 0)
        status = list_pieces(p, csr, why);
    a->piece_blocks = static_cast<int32_t>(csr_split_piece_blocks(a->pieces, by_block, block));
    if (status == 0)
        status =
            cuda_grid(csr_split_grid(l->rows, a->pieces, by_block, lanes, block), &p->run.blocks, &p->run.threads, why);
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
                                                          .release = split_release };
