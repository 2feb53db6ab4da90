/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of csr-scalar, csr-vector and csr-block: one layout, three ways to distribute its rows. */
#include <math.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/csr/csr.h"
#include "formats/mapping.h"

enum { CSR_WARP = 32 };

static int scalar_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_scalar_grid(f->rows, (int)config_int(c, "block"));
    return 0;
}

static const struct param scalar_params[] = { { "block", "threads per block", PARAM_INT, "64|128|256|512", "256",
                                                PARAM_LAUNCH | PARAM_GPU_ONLY },
                                              { .name = NULL } };

static void scalar_mapping(const struct features *f, const struct config *c, const struct target *t,
                           const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c, (void)t, (void)bytes;
    m->path = m->own[1] = (double)f->row_max;
    m->slots = mapping_groups(&f->lengths[GROUPS - 1], 1, INFINITY, INFINITY).slots * (1 << (GROUPS - 1));
    m->block_rows = g->threads;
    m->rows_dealt = true;
}

const struct kernel csr_scalar_kernel = { .name = "csr-scalar",
                                          .about = "one thread per row",
                                          .layout = &csr_layout,
                                          .params = scalar_params,
                                          .revision = 1,
                                          .work = WORK_ROW_THREAD,
                                          .grid = scalar_grid,
                                          .mapping = scalar_mapping };

static int vector_threads(const struct config *c) { return (int)config_int(c, "lanes"); }

static int vector_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_vector_grid(f->rows, (int)config_int(c, "lanes"), (int)config_int(c, "rows"), (int)config_int(c, "block"));
    return 0;
}

static void vector_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    csr_spmv_lanes(s, (int)config_int(c, "lanes"), x, y, mode);
}

static const struct param vector_params[] = {
    { "lanes", "threads per row (CPU: partial sums)", PARAM_INT, "2|4|8|16|32", "8", PARAM_LAUNCH },
    { "rows", "rows per group of `lanes` threads, up to four at once", PARAM_INT, "1|2|4|8|16", "1",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const vector_sweep[] = { "lanes=2",  "lanes=4",        "lanes=8",        "lanes=16",
                                            "lanes=32", "lanes=4,rows=4", "lanes=8,rows=2", NULL };
static const char *const vector_sweep_cpu[] = { "lanes=4", "lanes=8", "lanes=16", NULL };

static void vector_mapping(const struct features *f, const struct config *c, const struct target *t,
                           const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    const double lanes = (double)config_int(c, "lanes"), rows = (double)config_int_or(c, "rows", 1),
                 side = fmin(rows, 4);
    const int level = mapping_level(CSR_WARP / lanes * side);
    const struct mapping_sum s = mapping_groups(&f->lengths[level], lanes, INFINITY, 4 * lanes / side);
    m->path = ceil((double)f->row_max / (4 * lanes)) * 4 * fmax(1, rows / 4);
    m->slots = CSR_WARP * side * s.slots;
    m->block_rows = (double)g->threads / lanes * rows;
    m->rows_dealt = true;
    m->second_turn = s.more;
    m->own[1] = (double)f->row_max / lanes;
}

const struct kernel csr_vector_kernel = { .name = "csr-vector",
                                          .about = "a group of threads per row",
                                          .layout = &csr_layout,
                                          .params = vector_params,
                                          .sweep = vector_sweep,
                                          .sweep_cpu = vector_sweep_cpu,
                                          .revision = 2,
                                          .revised = csr_lanes_few,
                                          .work = WORK_ROW_GROUP,
                                          .threads_per_row = vector_threads,
                                          .grid = vector_grid,
                                          .mapping = vector_mapping,
                                          .spmv_cpu = vector_cpu };

/* The whole block shares a long row; the CPU device has no blocks. */
static int block_threads(const struct config *c) { return (int)config_int_or(c, "block", 1); }

static int block_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_block_grid(f->rows, f->nnz, (int)config_int(c, "block"));
    return 0;
}

static void block_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    (void)c;
    csr_spmv_equal(s, x, y, mode);
}

static const struct param block_params[] = { { "block", "threads per block", PARAM_INT, "64|128|256|512", "128",
                                               PARAM_LAUNCH | PARAM_GPU_ONLY },
                                             { .name = NULL } };

static const char *const block_sweep[] = { "block=128", "block=512", NULL };

static void block_mapping(const struct features *f, const struct config *c, const struct target *t,
                          const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c, (void)t, (void)bytes;
    const int rows = csr_block_rows(f->rows, f->nnz, g->threads);
    int level = 0;
    while (level + 1 < HEAVIEST && 2 << level <= rows)
        level++;
    m->path = ceil((double)f->heaviest[level] / g->threads);
    m->slots = (double)g->blocks * g->threads * ceil((double)f->nnz / (double)g->blocks / g->threads);
    m->block_rows = rows;
    m->rows_dealt = true;
    m->contended = m->own[1] = (double)f->row_max / g->threads;
    m->own[0] = (double)f->heaviest[level];
}

const struct kernel csr_block_kernel = {
    .name = "csr-block",
    .about = "one thread block per long row or per several short rows (CPU: equal numbers of entries per thread)",
    .layout = &csr_layout,
    .params = block_params,
    .sweep = block_sweep,
    .revision = 2,
    .work = WORK_ROW_GROUP,
    .threads_per_row = block_threads,
    .grid = block_grid,
    .mapping = block_mapping,
    .spmv_cpu = block_cpu
};
