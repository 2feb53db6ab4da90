/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of ashari2014-slots, for every configuration of kernel brc. The paper has no grid; its model needs none.
 * All cells have rows of constant length P in a band (cells of role gather: random columns):
 *   path      at most one warp per SM, so the device is nearly empty: 1 and SMs warps of 32 rows, P = 4 to 1024, for
 *             the time per step; 4 rows of P = 1024 to 65536, for the sums of pieces of long rows;
 *   grid      more and more pieces per SM, 128 to 2048, and matrices of 1/10 of the L2 to 5 times its size, for the
 *             time per byte;
 *   gather    x of 2^16 to 2^24 columns, for bytes of x that are read more than once. */
#include <inttypes.h>
#include <stdio.h>
#include "gen/grid.h"

static const char kernel[] = "brc";
static const int widths[] = { 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024 };
static const int long_rows[] = { 1024, 4096, 16384, 65536 };
static const int fill_rows[] = { 128, 512, 2048 }, fill_widths[] = { 8, 32, 128 };
static const int size_widths[] = { 4, 8, 32, 128 };
static const double sizes[] = { 0.1, 0.2, 0.4, 1.0, 2.5, 5.0 }; /* CSR bytes in f32 over the L2 */
enum { LONG_ROWS = 4, L2_UNKNOWN = 60 << 20 };
#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static bool cell(struct grid_cells *g, int64_t rows, int64_t p, const char *role)
{
    return grid_add_constant(g, rows, p, "band", role, kernel, 0);
}

static void path_cells(struct grid_cells *g)
{
    for (int i = 0; i < COUNT(widths); i += g->spec.quick ? 3 : 1) {
        cell(g, CUDA_WARP, widths[i], "path");
        cell(g, (int64_t)CUDA_WARP * g->spec.device.sms, widths[i], "path");
    }
    for (int i = 0; i < COUNT(long_rows); i += g->spec.quick ? 2 : 1)
        cell(g, LONG_ROWS, long_rows[i], "path");
}

static int64_t l2_bytes(const struct grid_cells *g)
{
    return g->spec.device.l2_bytes > 0 ? g->spec.device.l2_bytes : L2_UNKNOWN;
}

static void size_cells(struct grid_cells *g)
{
    for (int i = 0; i < COUNT(fill_rows) && !g->spec.quick; i++)
        for (int k = 0; k < COUNT(fill_widths); k++)
            cell(g, (int64_t)fill_rows[i] * g->spec.device.sms, fill_widths[k], "grid");
    for (int i = 0; i < COUNT(sizes); i += g->spec.quick ? 2 : 1)
        for (int k = 0; k < COUNT(size_widths); k += g->spec.quick ? 2 : 1)
            cell(g, (int64_t)(sizes[i] * (double)l2_bytes(g)) / (8 * size_widths[k] + 4), size_widths[k], "grid");
}

/* Matrices of 2/5 of the L2. */
static void gather_cells(struct grid_cells *g)
{
    char text[RECIPE_LEN];
    for (int log2_c = 16; log2_c <= 24; log2_c += g->spec.quick ? 8 : 4)
        for (int k = 1; k < COUNT(size_widths); k += g->spec.quick ? 3 : 1) {
            snprintf(text, sizeof text, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%d,place=random",
                     (int64_t)(0.4 * (double)l2_bytes(g)) / (8 * size_widths[k] + 4), (int64_t)1 << log2_c,
                     size_widths[k]);
            grid_add(g, text, "gather", kernel, 0, size_widths[k]);
        }
}

void grid_ashari2014(struct grid_cells *g)
{
    path_cells(g);
    size_cells(g);
    gather_cells(g);
}
