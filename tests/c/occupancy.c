/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks per SM: compares our rule with the CUDA runtime's calculator for an H200, and with choi2010's rule for a
 * C1060. */
#include "base/occupancy.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/error.h"

static long checks;

static void check(const char *name, bool hardware, int threads, int registers, int64_t shared, int64_t carve_out,
                  int64_t blocks)
{
    const struct geometry *g = geometry_find(name);
    const struct block_needs b = { threads, registers, shared };
    struct occupancy o;

    if (!g)
        die("no geometry %s", name);
    if (hardware)
        occupancy_hardware(g, &b, carve_out, &o);
    else
        occupancy_choi2010(g, &b, &o);
    if (o.blocks != blocks)
        die("%s: %d threads, %d registers, %" PRId64 " bytes: %" PRId64 " blocks, expected %" PRId64, name, threads,
            registers, shared, o.blocks, blocks);
    if (hardware && blocks > 0 && o.warps != (double)(blocks * ((threads + 31) / 32)) / 64)
        die("%s: %g of the warps", name, o.warps);
    checks++;
}

int main(void)
{
    static const struct {
        int threads, registers;
        int64_t shared, blocks;
    } h200[] = { { 256, 32, 0, 8 }, /* all warps */
                 { 256, 40, 0, 6 }, /* 12 warps of 1280 registers fit into each partition of the SM */
                 { 256, 33, 0, 6 }, /* as many as with 40, since registers of a warp are allocated in units of 256 */
                 { 128, 64, 0, 8 },      { 512, 64, 0, 2 },      { 1024, 64, 0, 1 },
                 { 1024, 65, 0, 0 }, /* too many registers for one block */
                 { 96, 40, 0, 16 },  /* 48 warps; without partitions of the register file it would be 51 */
                 { 96, 168, 0, 4 },      { 64, 255, 0, 4 },      { 32, 16, 0, 32 }, /* limit on blocks */
                 { 33, 16, 0, 32 },      { 96, 16, 0, 21 },      { 1, 16, 0, 32 },
                 { 1024, 32, 0, 2 },     { 128, 32, 49152, 4 }, /* of 228 KiB; the driver takes 1 KiB per block */
                 { 128, 32, 6272, 16 },  { 128, 32, 13568, 16 }, { 128, 32, 13569, 15 },
                 { 128, 32, 232448, 1 }, { 128, 32, 232449, 0 }, { 0, 32, 0, 0 },
                 { 1025, 32, 0, 0 },     { 256, 0, 0, 8 } };

    error_program("occupancy");
    for (size_t i = 0; i < sizeof h200 / sizeof *h200; i++)
        check("h200", true, h200[i].threads, h200[i].registers, h200[i].shared, 0, h200[i].blocks);
    check("h200", true, 128, 32, 49152, 100 * 1024, 2);
    /* Limits of the C1060 in order: warps (W_SM / W_TB = 32 / 8), T_SM = 8, registers (16384 / 4096), shared memory
     * (16384 / 5000), registers (fewer than one block needs), T_SM = 8. */
    check("c1060", false, 256, 10, 0, 0, 4);
    check("c1060", false, 128, 10, 0, 0, 8);
    check("c1060", false, 128, 32, 0, 0, 4);
    check("c1060", false, 64, 10, 5000, 0, 3);
    check("c1060", false, 512, 40, 0, 0, 0);
    check("c1060", false, 64, 0, 0, 0, 8);
    printf("ok, %ld checks\n", checks);
    return 0;
}
