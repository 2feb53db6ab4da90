/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of csr-scalar, csr-vector and csr-block: one layout, three ways to share out its rows. */
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/csr/csr.h"

static int scalar_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_scalar_grid(f->rows, (int)config_int(c, "block"));
    return 0;
}

static const struct param scalar_params[] = {
    { "block", "threads a block", PARAM_INT, "64|128|256|512", "256", PARAM_LAUNCH | PARAM_GPU_ONLY }, { .name = NULL }
};

const struct kernel csr_scalar_kernel = { .name = "csr-scalar",
                                          .about = "a thread a row",
                                          .layout = &csr_layout,
                                          .params = scalar_params,
                                          .revision = 1,
                                          .work = WORK_ROW_THREAD,
                                          .grid = scalar_grid };

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
    { "lanes", "threads that share a row (CPU: partial sums)", PARAM_INT, "2|4|8|16|32", "8", PARAM_LAUNCH },
    { "rows", "rows a group of lanes does, one after another", PARAM_INT, "1|2|4|8|16", "1",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads a block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const vector_sweep[] = { "lanes=2",  "lanes=4",        "lanes=8",        "lanes=16",
                                            "lanes=32", "lanes=4,rows=4", "lanes=8,rows=2", NULL };
static const char *const vector_sweep_cpu[] = { "lanes=4", "lanes=8", "lanes=16", NULL };

const struct kernel csr_vector_kernel = { .name = "csr-vector",
                                          .about = "a group of threads a row",
                                          .layout = &csr_layout,
                                          .params = vector_params,
                                          .sweep = vector_sweep,
                                          .sweep_cpu = vector_sweep_cpu,
                                          .revision = 1,
                                          .work = WORK_ROW_GROUP,
                                          .threads_per_row = vector_threads,
                                          .grid = vector_grid,
                                          .spmv_cpu = vector_cpu };

/* The whole block stands behind a long row; the CPU device has no blocks. */
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

static const struct param block_params[] = {
    { "block", "threads a block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY }, { .name = NULL }
};

static const char *const block_sweep[] = { "block=128", "block=512", NULL };

const struct kernel csr_block_kernel = {
    .name = "csr-block",
    .about = "a block of threads a long row or several short ones (CPU: equal entries a thread)",
    .layout = &csr_layout,
    .params = block_params,
    .sweep = block_sweep,
    .revision = 1,
    .work = WORK_ROW_GROUP,
    .threads_per_row = block_threads,
    .grid = block_grid,
    .spmv_cpu = block_cpu
};
