/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-split on a CUDA device: prepare builds the list of pieces once. */
#include <cstdlib>
#include <cstring>
#include "formats/csr/csr_split.cuh"
#include "formats/prepared.cuh"

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

/* Sets *n to a number that the pieces do not exceed: from what is known of long rows, else counted. */
static int most_pieces(const struct split_prepared *p, const struct csr_storage *csr, dim3 blocks, dim3 threads,
                       int64_t *n, char why[ERRLEN])
{
    struct device *d = p->device;
    const struct csr_split_args *a = &p->run.args;
    unsigned long long *sum;
    void *note;
    int status = cuda_tally(d, &sum, &note, why);

    *n = csr->long_entries / a->piece_size + csr->long_rows;
    if (status || (csr->long_rows > 0 && a->cut >= LONG_FROM))
        return status;
    csr_split_count<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, a->rows, a->cut, a->piece_size, sum,
                                                            static_cast<unsigned long long *>(note));
    if ((status = CUDA_LAUNCHED(d, why)) == 0)
        status = CUDA_WAIT(d, why);
    *n = static_cast<int64_t>(*static_cast<const unsigned long long *>(note));
    return status;
}

/* Lists the pieces, with the sums and tickets of their rows, in one allocation. */
static int list_pieces(struct split_prepared *p, const struct csr_storage *csr, char why[ERRLEN])
{
    struct device *d = p->device;
    struct csr_split_args *a = &p->run.args;
    const int64_t value_bytes = precision_bytes(csr->base.target.precision);
    unsigned long long *sum;
    void *note;
    dim3 blocks, threads;
    int64_t n;
    int status = 0;

    if (csr->row_max > 0 && csr->row_max <= a->cut)
        return 0;
    if ((status = cuda_grid(grid_of(csr->base.rows, 256), &blocks, &threads, why)) != 0)
        return status;
    if ((status = most_pieces(p, csr, blocks, threads, &n, why)) != 0 || n == 0)
        return status;
    if ((status =
             cuda_alloc(d, n * (static_cast<int64_t>(sizeof(int4) + sizeof(unsigned)) + value_bytes), &p->lists, why))
        != 0)
        return status;
    char *at = static_cast<char *>(p->lists);
    int4 *piece = reinterpret_cast<int4 *>(at);
    a->piece = piece;
    a->part = at += n * static_cast<int64_t>(sizeof(int4));
    a->ticket = reinterpret_cast<unsigned *>(at + n * value_bytes);
    if ((status = cuda_tally(d, &sum, &note, why)) != 0)
        return status;
    csr_split_cut<<<blocks, threads, 0, cuda_stream(d)>>>(csr->row_ptr, a->rows, a->cut, a->piece_size, sum,
                                                          static_cast<unsigned long long *>(note), piece, a->ticket);
    if ((status = CUDA_LAUNCHED(d, why)) == 0)
        status = CUDA_WAIT(d, why);
    a->pieces = static_cast<int32_t>(*static_cast<const unsigned long long *>(note));
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
                                                          .release = split_release };
