/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of guo2014-regimes: one grid of (rows, P) for all kernels, so that a cell is built once and timed with
 * every configuration. Numbers of rows are multiples of the number of SMs, P is 1 to 16384, columns lie in a band;
 * every second rung of both ladders also has a cell with random columns. There are more cells around the size of the
 * L2, where times jump. Sizes in MiB are for a cache of 60 MiB and scale with that of the device. Other cells: path
 * (few very long rows), gather (x of 2^14 to 2^28 columns), spread (uneven rows). */
#include "gen/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* numbers of rows, in units of the number of SMs */
static const int rows_rungs[] = { 1, 4, 16, 64, 128, 192, 256, 384, 512, 640, 1024, 2048, 4096, 8192, 16384, 32768 };
static const int p_rungs[] = { 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 4096, 16384 };
enum { NROWS = sizeof rows_rungs / sizeof rows_rungs[0], NP = sizeof p_rungs / sizeof p_rungs[0] };

/* Zones around the size of the L2: `low` to `high` MiB of CSR in f32 for a cache of 60 MiB, with at least two cells
 * per P. */
static const struct zone {
    int low, high, at[2];
} zones[] = { { 30, 40, { 32, 38 } }, { 48, 64, { 52, 60 } }, { 100, 200, { 120, 180 } } };
enum { NZONES = sizeof zones / sizeof zones[0], CACHE_MIB = 60 };

enum { THREAD_P = 2048 };  /* longer rows take too long with a thread per row */
enum { COO_STRIPS = 200 }; /* larger cells are not needed, since the times of COO lie on a single line */
enum { TRIAL = 4 };        /* trial runs use every fourth rung */

static int64_t scaled(const struct grid_cells *g, int mib)
{
    int64_t l2 = g->spec.device.l2_bytes > 0 ? g->spec.device.l2_bytes : (int64_t)CACHE_MIB << 20;
    return l2 / CACHE_MIB * mib;
}

static int64_t csr_bytes(int64_t rows, int64_t p) { return rows * (8 * p + 4); } /* f32 */
static int64_t rows_of(int64_t bytes, int64_t p) { return bytes / (8 * p + 4); }

/* Lists the kernels to measure on a cell. Composites are not measured, since their times are the sum of those of
 * their parts. */
static void kernels_for(const struct grid_cells *g, int64_t rows, int64_t p, char out[RECIPE_KERNELS])
{
    out[0] = '\0';
    for (int i = 0; kernel_at(i); i++) {
        const struct kernel *k = kernel_at(i);
        if (k->work == WORK_PARTS || k->work == WORK_OTHER || !kernel_runs_on(k, g->spec.device.kind))
            continue;
        if ((k->work == WORK_ROW_THREAD || k->work == WORK_PADDED) && p > THREAD_P)
            continue;
        if (k->work == WORK_ENTRIES && rows * p > COO_STRIPS * geometry_strip(&g->spec.device, 1))
            continue;
        if (!config_list_add(out, RECIPE_KERNELS, k->name, true))
            bug("kernel %s does not fit in a list of %d bytes: %s", k->name, RECIPE_KERNELS, out);
    }
}

static bool cell(struct grid_cells *g, int64_t rows, int64_t p, const char *placement, const char *role)
{
    char kernels[RECIPE_KERNELS];
    kernels_for(g, rows, p, kernels);
    return grid_add_constant(g, rows, p, placement, role, kernels, geometry_strip(&g->spec.device, CUDA_WARP));
}

static void ladder_cells(struct grid_cells *g)
{
    int step = g->spec.quick ? TRIAL : 1;
    for (int r = 0; r < NROWS; r += step)
        for (int k = g->spec.quick ? 1 : 0; k < NP; k += step) {
            int64_t rows = (int64_t)rows_rungs[r] * g->spec.device.sms, p = p_rungs[k], bytes = csr_bytes(rows, p);
            bool second = r / step % 2 == 1 && k / step % 2 == 1;
            bool cache =
                !g->spec.quick && bytes >= scaled(g, zones[0].low) && bytes <= scaled(g, zones[NZONES - 1].high);
            if (cell(g, rows, p, "band", "grid") && (second || cache))
                cell(g, rows, p, "random", "grid");
        }
}

/* Adds cells until the zone has two at this P. */
static void zone_cells(struct grid_cells *g, const struct zone *z, int64_t p)
{
    int there = 0;
    for (int r = 0; r < NROWS; r++) {
        int64_t bytes = csr_bytes((int64_t)rows_rungs[r] * g->spec.device.sms, p);
        there += bytes >= scaled(g, z->low) && bytes <= scaled(g, z->high);
    }
    for (int i = 0; there < 2; i++, there++)
        cell(g, rows_of(scaled(g, z->at[i]), p), p, "band", "grid");
}

static void path_cells(struct grid_cells *g)
{
    for (int log2_p = 10; log2_p <= 18; log2_p += g->spec.quick ? 4 : 1)
        cell(g, g->spec.device.sms, (int64_t)1 << log2_p, "band", "path");
}

/* Matrices of about 100 MiB; x may have up to twice the limit for a matrix. */
static void gather_cells(struct grid_cells *g)
{
    static const int lengths[] = { 8, 32 };
    char text[RECIPE_LEN], kernels[RECIPE_KERNELS];
    int64_t bytes = g->spec.max_bytes / 2 < scaled(g, 100) ? g->spec.max_bytes / 2 : scaled(g, 100);
    for (int l = 0; l < (g->spec.quick ? 1 : 2); l++)
        for (int log2_c = 14; log2_c <= 28; log2_c += g->spec.quick ? 6 : 2) {
            int64_t p = lengths[l], rows = rows_of(bytes, p), cols = (int64_t)1 << log2_c;
            if (8 * cols > 2 * g->spec.max_bytes) {
                g->dropped[DROP_BYTES]++;
                continue;
            }
            kernels_for(g, rows, p, kernels);
            snprintf(text, sizeof text, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",place=random", rows,
                     cols, p);
            grid_add(g, text, "gather", kernels, geometry_strip(&g->spec.device, CUDA_WARP), p);
        }
}

/* Uneven rows for every kernel: one size that fits the cache and one that does not. */
static void spread_cells(struct grid_cells *g)
{
    static const int means[] = { 8, 32, 128 }, sizes[] = { 20, 150 };
    static const char *const kinds[] = { "normal", "uniform" };
    char text[RECIPE_LEN];
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < 3; m++)
            for (int s = 0; s < 2; s++) {
                if (g->spec.quick && (k + m + s) % 3 != 0)
                    continue;
                snprintf(text, sizeof text, "%s:rows=%" PRId64 ",p=%d", kinds[k],
                         rows_of(scaled(g, sizes[s]), means[m]), means[m]);
                grid_add(g, text, "spread", "", geometry_strip(&g->spec.device, CUDA_WARP), 0);
            }
}

void grid_regimes(struct grid_cells *g)
{
    path_cells(g); /* first, since the ladder contains some of them, which then keep the role path */
    ladder_cells(g);
    for (int k = 0; k < NP && !g->spec.quick; k++)
        for (int z = 0; z < NZONES; z++)
            zone_cells(g, &zones[z], p_rungs[k]);
    gather_cells(g);
    spread_cells(g);
}
