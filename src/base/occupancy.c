/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread blocks that fit on an SM (occupancy.h). */
#include "base/occupancy.h"

enum {
    SM_PARTS = 4,        /* each has its own registers */
    REGISTER_UNIT = 256, /* allocation unit of registers, per warp */
    REGISTERS_MAX = 256, /* per thread; beyond, the runtime reports 0 blocks */
    SHARED_UNIT = 128,
    SHARED_DRIVER = 1024,
    /* Compute capability 7 has at most 96 KiB of shared memory per SM, allocates 256 bytes at a time, and leaves nothing
     * to the driver; later devices have at least 100 KiB. */
    SHARED_OLDER = 96 * 1024,
    SHARED_UNIT_OLDER = 256
};

static int64_t up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

static void least(const struct geometry *g, int64_t warps_block, struct occupancy *o)
{
    const int64_t limit[] = { o->by_warps, o->by_registers, o->by_shared };

    o->blocks = o->by_blocks;
    for (int i = 0; i < 3; i++)
        o->blocks = limit[i] < o->blocks ? limit[i] : o->blocks;
    o->warps = (double)(o->blocks * warps_block) / g->warps_sm;
}

void occupancy_hardware(const struct geometry *g, const struct block_needs *b, int64_t carve_out, struct occupancy *o)
{
    const bool older = g->shared_sm <= SHARED_OLDER;
    const int64_t warps = (b->threads + CUDA_WARP - 1) / CUDA_WARP,
                  shared =
                      older ? up(b->shared_bytes, SHARED_UNIT_OLDER) : up(b->shared_bytes + SHARED_DRIVER, SHARED_UNIT);
    const int64_t registers_warp = up((int64_t)b->registers * CUDA_WARP, REGISTER_UNIT);
    const int64_t all_shared = carve_out > 0 ? carve_out : g->shared_sm;

    *o = (struct occupancy){ .by_blocks = g->blocks_sm };
    if (b->threads < 1 || b->threads > g->threads_block || b->registers > REGISTERS_MAX)
        return;
    o->by_warps = g->warps_sm / warps;
    o->by_registers = registers_warp ? SM_PARTS * (g->regs_sm / SM_PARTS / registers_warp) / warps : o->by_blocks;
    /* The per-block limit rounds the warps up to a multiple of SM_PARTS. */
    if (registers_warp * up(warps, SM_PARTS) > g->regs_sm)
        o->by_registers = 0;
    o->by_shared = shared ? all_shared / shared : o->by_blocks;
    least(g, warps, o);
}

int64_t occupancy_shared_block(const struct geometry *g)
{
    return g->shared_sm <= SHARED_OLDER ? g->shared_sm : g->shared_sm - SHARED_DRIVER;
}

void occupancy_choi2010(const struct geometry *g, const struct block_needs *b, struct occupancy *o)
{
    const int64_t warps = b->threads / CUDA_WARP, registers = (int64_t)b->threads * b->registers;

    *o = (struct occupancy){ .by_blocks = g->blocks_sm };
    o->by_warps = warps > 0 ? g->warps_sm / warps : o->by_blocks;
    o->by_registers = registers > 0 ? g->regs_sm / registers : o->by_blocks;
    o->by_shared = b->shared_bytes > 0 ? g->shared_sm / b->shared_bytes : o->by_blocks;
    least(g, warps, o);
}
