/* SPDX-License-Identifier: BSD-3-Clause */
/* The literal grids of wang2017 (3.1), one for each distribution of the row lengths: square matrices of R = S x I rows
 * with P entries per row on average, at random columns. Half a warp per row: I = 1..10, 15, 20, ..., 50 with P = 4, 8,
 * ..., 1024, 1536, ..., 3072. A thread per row: I = 1..10 with P = 4, 8, ..., 1024. The grid is not a full product: cells
 * with P >= R columns do not exist, those of more than max_bytes are dropped. */
#include "gen/grid.h"
#include "models/cells.h"
#include "models/wang2017/wang2017.h"

/* A trial run takes few I and P, with the paper's anchors among them. */
static bool takes(const struct grid_cells *g, const struct wang_kernel *k, int strips, int p)
{
    static const int trial_strips[] = { 1, 2, 5, 40, 0 }, group_p[] = { 4, 64, 1024, 2048, 0 },
                     thread_p[] = { 4, 32, 64, 0 };
    const int *lengths = k->group ? group_p : thread_p;
    bool i_found = false, p_found = false;
    for (int i = 0; trial_strips[i]; i++)
        i_found = i_found || trial_strips[i] == strips;
    for (int i = 0; lengths[i]; i++)
        p_found = p_found || lengths[i] == p;
    return !g->spec.quick || (i_found && p_found);
}

static void cell(struct grid_cells *g, enum wang_kind kind, const char *kernel, int64_t strip, int strips, int p)
{
    char text[RECIPE_LEN];
    const int64_t rows = strip * strips;
    if (rows <= p)
        g->dropped[DROP_SQUARE]++;
    else if (rows * p > INT32_MAX) /* before the entries of all rows are counted, which takes seconds */
        g->dropped[DROP_NNZ]++;
    else if (rows * p * (4 + precision_bytes(g->spec.precision)) > g->spec.max_bytes)
        g->dropped[DROP_BYTES]++;
    else if (wang_recipe(kind, rows, p, text))
        grid_add(g, text, "literal", kernel, strip, p);
}

/* Adds the cells of the kernels with half a warp per row, or of those with a thread per row. */
static void cells_of(struct grid_cells *g, enum wang_kind kind, bool group)
{
    static const struct features none; /* the keys of these kernels do not depend on the matrix */
    const struct target target = { .device = g->spec.device, .precision = F32, .cache = WARM };
    char listed[RECIPE_KERNELS] = "";
    const struct wang_kernel *k, *last = NULL;
    int64_t strip = 0;
    for (int n = 0; (k = wang_kernel_at(n)); n++) {
        const char *one = kind_facts(g->spec.device.kind)->blocks ? k->listed : k->listed_cpu;
        struct config c;
        char why[ERRLEN];
        if (k->group != group)
            continue;
        if (config_resolve_text(one, &none, &target, &c, why) != 0)
            bug("grid: %s", why);
        config_list_add(listed, sizeof listed, one, false);
        strip = cells_strip(&c, &g->spec.device);
        last = k;
    }
    for (const int *i = wang_strips(last); *i; i++)
        for (const int *p = wang_lengths(last); *p; p++)
            if (takes(g, last, *i, *p))
                cell(g, kind, listed, strip, *i, *p);
}

static void grid(struct grid_cells *g, enum wang_kind kind)
{
    cells_of(g, kind, true);
    cells_of(g, kind, false);
}

void grid_wang2017_constant(struct grid_cells *g) { grid(g, WANG_CONSTANT); }
void grid_wang2017_normal(struct grid_cells *g) { grid(g, WANG_NORMAL); }
void grid_wang2017_uniform(struct grid_cells *g) { grid(g, WANG_UNIFORM); }
void grid_wang2017_binomial(struct grid_cells *g) { grid(g, WANG_BINOMIAL); }
