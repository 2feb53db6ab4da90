/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of csr-split: short rows as csr-vector has them, long ones in pieces. */
#include "formats/csr/csr_split.h"
#include <string.h>
#include "formats/build.h"
#include "formats/csr/csr.h"

static int split_threads(const struct config *c) { return (int)config_int(c, "lanes"); }

static int split_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    const struct histogram *h = &f->lengths[0];
    const bool by_block = strcmp(config_word(c, "deal"), "block") == 0;
    const int block = (int)config_int(c, "block");
    int64_t pieces = 0;

    (void)t;
    for (int i = 0; i < h->n; i++)
        pieces += h->count[i] * csr_split_pieces(h->value[i], config_int(c, "cut"), csr_split_piece(by_block, block));
    *g = csr_split_grid(f->rows, pieces, by_block, (int)config_int(c, "lanes"), block);
    return 0;
}

static void split_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    csr_spmv_lanes(s, (int)config_int(c, "lanes"), x, y, mode);
}

static const struct param split_params[] = {
    { "lanes", "threads that share a row (CPU: partial sums)", PARAM_INT, "2|4|8|16|32", "8", PARAM_LAUNCH },
    { "cut", "longest row that stays whole", PARAM_INT, "32|64|128|256|512|1024", "128",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "deal", "what takes a piece of a longer one: a warp, 512 entries, or a thread block, 8 a thread", PARAM_WORD,
      "warp|block", "warp", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads a block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
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

const struct kernel csr_split_kernel = {
    .name = "csr-split",
    .about = "a group of threads a row, long rows in pieces, a warp or a thread block each (CPU: csr-vector)",
    .layout = &csr_layout,
    .params = split_params,
    .sweep = split_sweep,
    .sweep_cpu = split_sweep_cpu,
    .revision = 1,
    .work = WORK_OTHER,
    .threads_per_row = split_threads,
    .grid = split_grid,
    .spmv_cpu = split_cpu
};
