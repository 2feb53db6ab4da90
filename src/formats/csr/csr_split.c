/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of csr-split, which handles short rows as csr-vector does and long rows in pieces, and of csr-packed, the same from packed
 * values. */
#include "formats/csr/csr_split.h"
#include <math.h>
#include <string.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/csr/csr_packed.h"
#include "formats/mapping.h"

static int split_threads(const struct config *c) { return (int)config_int(c, "lanes"); }

static int split_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    const struct histogram *h = &f->lengths[0];
    const bool by_block = strcmp(config_word(c, "deal"), "block") == 0;
    const int block = (int)config_int(c, "block");
    const int64_t cut = config_int(c, "cut"), piece = csr_split_piece(by_block, block);
    int64_t pieces = 0;

    (void)t;
    for (int i = h->n - 1; i >= 0 && h->value[i] > cut; i--)
        pieces += h->count[i] * csr_split_pieces(h->value[i], cut, piece);
    *g = csr_split_grid(f->rows, pieces, by_block, (int)config_int(c, "lanes"), block);
    return 0;
}

static void split_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    csr_spmv_lanes(s, (int)config_int(c, "lanes"), x, y, mode);
}

static const struct param split_params[] = {
    { "lanes", "threads per row (CPU: partial sums)", PARAM_INT, "2|4|8|16|32", "8", PARAM_LAUNCH },
    { "cut", "maximum length of a row that is not cut", PARAM_INT, "32|64|128|256|512|1024", "128",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "deal",
      "what processes a piece of a longer row: a warp (up to 512 entries) or a thread block (up to 8 per thread)",
      PARAM_WORD, "warp|block", "warp", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const split_sweep[] = { "lanes=2,cut=64",
                                           "lanes=4,cut=64",
                                           "lanes=4,cut=128",
                                           "lanes=8,cut=128",
                                           "lanes=16,cut=256",
                                           "lanes=4,cut=64,deal=block",
                                           "lanes=16,cut=64,deal=block,block=256",
                                           "lanes=16,cut=128,deal=block,block=256",
                                           "lanes=32,cut=128,deal=block",
                                           NULL };
static const char *const split_sweep_cpu[] = { "lanes=8", NULL };

static void split_mapping(const struct features *f, const struct config *c, const struct target *t,
                          const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    const struct histogram *h = &f->lengths[0];
    const double lanes = (double)config_int(c, "lanes"), cut = (double)config_int_or(c, "cut", INT64_MAX);
    const bool by_block = strcmp(config_word_or(c, "deal", "warp"), "block") == 0;
    const int threads = by_block ? g->threads : CUDA_WARP, step = by_block ? 4 : 8;
    const double piece = csr_split_piece(by_block, g->threads);
    const struct mapping_sum s = mapping_groups(&f->lengths[mapping_level(CUDA_WARP / lanes)], lanes, cut, 4 * lanes);
    double kept = 0, long_entries = 0;
    for (int i = 0; i < h->n; i++) {
        const double length = (double)h->value[i], n = (double)h->count[i];
        if (length <= cut) {
            kept = fmax(kept, length);
        } else {
            long_entries += length * n;
            m->pieces += n * ceil(length / piece);
        }
    }
    m->most_pieces = (double)f->row_max > cut ? ceil((double)f->row_max / piece) : 0;
    m->cuts = m->most_pieces > 1;
    if (m->most_pieces > 0)
        m->piece_path = ceil(fmin((double)f->row_max, piece) / threads / step) * step;
    m->path = ceil(kept / (4 * lanes)) * 4;
    m->slots = CUDA_WARP * s.slots + long_entries;
    m->block_rows = (double)g->threads / lanes;
    m->second_turn = s.more;
    m->own[0] = m->pieces;
    m->own[1] = m->most_pieces;
    m->own[2] = long_entries / fmax((double)f->nnz, 1);
}

const struct kernel csr_split_kernel = {
    .name = "csr-split",
    .about =
        "a group of threads per row, but one warp or thread block per piece of a long row (CPU: same as csr-vector)",
    .layout = &csr_layout,
    .params = split_params,
    .sweep = split_sweep,
    .sweep_cpu = split_sweep_cpu,
    .revision = 2,
    .revised = csr_lanes_few,
    .work = WORK_OTHER,
    .prepares = true,
    .threads_per_row = split_threads,
    .grid = split_grid,
    .mapping = split_mapping,
    .spmv_cpu = split_cpu
};

static const char *const packed_sweep[] = { "lanes=2,cut=64", "lanes=4,cut=64", "lanes=8,cut=128", NULL };
static const char *const packed_sweep_cpu[] = { NULL }; /* it is slower than csr-split there */

const struct kernel csr_packed_kernel = { .name = "csr-packed",
                                          .about = "csr-split with values in fewer bits",
                                          .layout = &csr_packed_layout,
                                          .params = split_params,
                                          .sweep = packed_sweep,
                                          .sweep_cpu = packed_sweep_cpu,
                                          .revision = 1,
                                          .work = WORK_OTHER,
                                          .prepares = true,
                                          .threads_per_row = split_threads,
                                          .grid = split_grid,
                                          .mapping = split_mapping,
                                          .spmv_cpu = split_cpu };
