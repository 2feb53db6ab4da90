/* SPDX-License-Identifier: BSD-3-Clause */
/* The literal grid of guo2014 (3.2.2) for every configuration of the default sweep (with quick=1 of the quick sweep).
 * Rows have exactly P nonzeros in a band, R = S x I rows with the configuration's strip S, C = max(R, 2P) columns.
 * CSR with a warp per row and kernels with a thread per row: I = 1..10 with all P. Other row groups (not in the
 * paper): the cells that their lines are fitted on, all P at I = 5 and all I at P = 4 and 1024. COO: I = 1, P = 10,
 * 20, ..., 100. */
#include <inttypes.h>
#include "gen/grid.h"
#include "models/cells.h"

enum { STRIPS_MAX = 10, ANCHOR_I = 5, ANCHOR_P = 4, BREAK_P = 1024, COO_STEP = 10, COO_MAX = 100 };

/* Returns the largest P such that a benchmark matrix of `rows` rows fits the device in single precision (3.2.2): CSR
 * has 8 bytes per entry and 4 per row pointer, ELL 8 per entry, COO 12. */
static int64_t most_p(const struct geometry *g, enum work work, int64_t rows)
{
    if (work == WORK_ENTRIES)
        return g->memory_bytes / (12 * rows);
    if (work == WORK_PADDED)
        return g->memory_bytes / (8 * rows);
    return (g->memory_bytes - 4 * (rows + 1)) / (8 * rows);
}

/* P = 4, 16, 64, 256, 1024, 2048, then doubling. */
static int64_t next_p(int64_t p) { return p * (p < BREAK_P ? 4 : 2); }

/* Returns whether the grid has cells of this many strips: all, but in a trial run only the first, the last and the
 * anchor. */
static bool takes_strips(const struct grid_cells *g, int64_t strips)
{
    return !g->spec.quick || strips == 1 || strips == ANCHOR_I || strips == STRIPS_MAX;
}

static void row_cells(struct grid_cells *g, const char *config, enum work work, int64_t strip, bool all)
{
    for (int64_t strips = 1; strips <= STRIPS_MAX; strips++) {
        if (!takes_strips(g, strips))
            continue;
        int64_t most = most_p(&g->spec.device, work, strip * strips);
        for (int64_t p = ANCHOR_P; p <= most; p = next_p(p))
            if (all || strips == ANCHOR_I || p == ANCHOR_P || p == BREAK_P)
                grid_add_constant(g, strip * strips, p, "band", "literal", config, strip);
    }
}

static void entry_cells(struct grid_cells *g, const char *config, int64_t strip)
{
    int64_t most = most_p(&g->spec.device, WORK_ENTRIES, strip);
    for (int64_t p = COO_STEP; p <= COO_MAX && p <= most; p += COO_STEP)
        if (!g->spec.quick || p % (3 * COO_STEP) == COO_STEP)
            grid_add_constant(g, strip, p, "band", "literal", config, strip);
}

static void config_cells(struct grid_cells *g, const char *text)
{
    static const struct features none; /* kernels of one part have no keys that depend on the matrix */
    const struct target target = { .device = g->spec.device, .precision = F32, .cache = WARM };
    struct config asked, c;
    char why[ERRLEN];
    if (config_parse(text, &asked, why) != 0)
        bug("%s", why);
    enum work work = asked.kernel->work;
    if (work == WORK_PARTS || work == WORK_LIBRARY || work == WORK_OTHER)
        return;
    if (config_resolve(&asked, &none, &target, &c, why) != 0)
        bug("%s", why);
    int64_t strip = cells_strip(&c, &g->spec.device);
    if (work == WORK_ENTRIES)
        entry_cells(g, text, strip);
    else
        row_cells(
            g, text, work, strip,
            work != WORK_ROW_GROUP
                || (kernel_threads_per_row(&c) == CUDA_WARP && strip == geometry_strip(&g->spec.device, CUDA_WARP)));
}

void grid_guo2014(struct grid_cells *g)
{
    const char *const *sweep = config_sweep(g->spec.quick ? "quick" : "default", g->spec.device.kind);
    for (int i = 0; sweep[i]; i++)
        config_cells(g, sweep[i]);
}

void grid_guo2014_note(const struct grid_cells *g, struct table *out)
{
    const struct geometry *d = &g->spec.device;
    const int64_t csr = geometry_strip(d, CUDA_WARP), thread = geometry_strip(d, 1);
    if (!kind_facts(d->kind)->own_memory)
        return;
    table_note(out,
               "largest P that fits in memory: CSR %" PRId64 " (I = 1), %" PRId64 " (5), %" PRId64 " (10); ELL %" PRId64
               " (1), %" PRId64 " (10); COO %" PRId64,
               most_p(d, WORK_ROW_GROUP, csr), most_p(d, WORK_ROW_GROUP, 5 * csr), most_p(d, WORK_ROW_GROUP, 10 * csr),
               most_p(d, WORK_PADDED, thread), most_p(d, WORK_PADDED, 10 * thread), most_p(d, WORK_ENTRIES, thread));
}
