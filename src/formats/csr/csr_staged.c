/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of csr-staged: x is copied to the shared memory of each SM, entries are dealt to warps evenly. */
#include "formats/csr/csr_staged.h"
#include <inttypes.h>
#include <math.h>
#include "base/occupancy.h"
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

/* How a matrix is dealt. */
struct staged {
    int items;
    int64_t chunks, blocks;
    int64_t own, span; /* most chunks of a block, and most that are extra to it */
};

static struct staged staged_of(const struct features *f, const struct config *c, int64_t blocks)
{
    struct staged s = { .items = (int)config_int_or(c, "items", 4), .blocks = blocks };

    s.chunks = csr_staged_chunks(f->nnz, s.items);
    s.own = (s.chunks + blocks - 1) / blocks;
    s.span = csr_staged_span(f->row_max, s.items);
    return s;
}

static int staged_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    *g = csr_staged_grid(f->nnz, (int)config_int(c, "items"), (int)config_int(c, "block"), t->device.sms);
    return 0;
}

/* Devices without thread blocks read x where it is. */
static int staged_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const int64_t value_bytes = precision_bytes(t->precision), limit = occupancy_shared_block(&t->device);
    struct grid g;

    if (!kind_facts(t->device.kind)->blocks)
        return 0;
    staged_grid(f, c, t, &g);
    const struct staged s = staged_of(f, c, g.blocks);
    const int64_t x = CSR_STAGED_BARRIER + csr_staged_x_bytes(f->cols, value_bytes),
                  sums = csr_staged_sums_bytes(s.own, s.span, value_bytes);
    if (x > limit)
        return fail(why,
                    "x of %" PRId64 " bytes does not fit the %" PRId64
                    " bytes of shared memory that a thread block can have",
                    f->cols * value_bytes, limit);
    if (x + sums > limit)
        return fail(why,
                    "x of %" PRId64 " bytes and sums of %" PRId64 " bytes (longest row: %" PRId64
                    ") do not fit the %" PRId64 " bytes of shared memory that a thread block can have",
                    f->cols * value_bytes, sums, f->row_max, limit);
    return 0;
}

/* The lists of struct csr_staged_args. */
static int64_t staged_bytes(const struct features *f, const struct config *c, const struct target *t)
{
    struct grid g;

    if (!kind_facts(t->device.kind)->blocks)
        return 0;
    staged_grid(f, c, t, &g);
    return csr_staged_lists_bytes(csr_staged_chunks(f->nnz, (int)config_int(c, "items")), g.blocks)
           + (f->row_empty > 0 ? f->rows * (int64_t)sizeof(int32_t) : 0);
}

static void staged_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    (void)c;
    csr_spmv_equal(s, x, y, mode);
}

static const struct param staged_params[] = { { "items", "consecutive entries that a thread loads at a time", PARAM_INT,
                                                "4|8", "4", PARAM_LAUNCH | PARAM_GPU_ONLY },
                                              { "block", "threads per block", PARAM_INT, "512|1024", "1024",
                                                PARAM_LAUNCH | PARAM_GPU_ONLY },
                                              { .name = NULL } };

static const char *const staged_sweep[] = { "items=4,block=1024", "items=4,block=512", "items=8,block=512", NULL };
/* On the CPU it is csr-block. */
static const char *const staged_sweep_cpu[] = { NULL };

/* own: bytes of x that each SM copies, chunks per warp, chunks after the first of the longest row */
static void staged_mapping(const struct features *f, const struct config *c, const struct target *t,
                           const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)bytes;
    const struct staged s = staged_of(f, c, g->blocks);
    const double warps = fmax((double)g->threads / CUDA_WARP, 1), turns = ceil((double)(s.own + s.span) / warps);
    const double copied = kind_facts(t->device.kind)->blocks ? (double)f->cols : 0;
    m->path = turns * s.items + ceil(copied / g->threads);
    m->slots = (double)s.chunks * (double)csr_staged_chunk(s.items);
    m->block_rows = (double)f->rows / (double)g->blocks;
    m->most_pieces = (double)s.span + 1;
    m->cuts = s.span > 0;
    m->own[0] = copied * (double)precision_bytes(t->precision);
    m->own[1] = (double)s.own / warps;
    m->own[2] = (double)s.span;
}

const struct kernel csr_staged_kernel = {
    .name = "csr-staged",
    .about = "x in the shared memory of each SM, equal numbers of entries per warp (CPU: per thread)",
    .layout = &csr_layout,
    .params = staged_params,
    .applicable = staged_applicable,
    .sweep = staged_sweep,
    .sweep_cpu = staged_sweep_cpu,
    .revision = 1,
    .work = WORK_OTHER,
    .prepares = true,
    .prepared_bytes = staged_bytes,
    .grid = staged_grid,
    .mapping = staged_mapping,
    .spmv_cpu = staged_cpu
};
