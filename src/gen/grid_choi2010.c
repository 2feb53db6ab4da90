/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of choi2010 (6.3): dense matrices on which every thread block takes the same N steps and every SM gets the
 * same number k of thread blocks, so rows = k SMs (rows of a thread block), columns = N (columns of a step). The kernels
 * of dense blocks, in the configurations of the default sweep, of choi2010's search of bellpack (6.6: 11 block sizes, 4
 * chunks, a thread per block row) and of its search of bcsr (4.5: up to 4 x 4); with quick=1 those of the quick sweep.
 *   N = 1: k = 1.  N = b: k = 1, 2, T/4, T/2, T, T + 1.  N = b/4: k = 1, T/2, T, 4 T.  N that fills max_bytes, so that
 *   the matrix streams from memory: k = 1, T/4, T.
 * T, the thread blocks that an SM holds, depends on the registers of the compiled kernel, which are not known here: the
 * grid has every T that REGISTERS_LOW to REGISTERS_HIGH registers allow, by the paper's rule or by the hardware's. b is
 * as large as max_bytes allows, at most 100 (6.3), also in blocks: N lanes blocks per block row. In addition gather:
 * blocks in random columns of x. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/occupancy.h"
#include "base/strings.h"
#include "formats/config_keys.h"
#include "formats/steps.h"
#include "gen/grid.h"

enum {
    REGISTERS_LOW = 32,
    REGISTERS_HIGH = 128, /* all kernels of blocks are compiled for at most as many */
    BLOCKS_SM = 64,       /* above the limit of any device */
    STEPS_MAX = 100,      /* b */
    STEPS_MIN = 4,
    LARGE_BLOCK = 16, /* entries; kernels of larger blocks need at least LARGE_REGISTERS */
    LARGE_REGISTERS = 44
};
enum { GATHER_LOW = 14, GATHER_HIGH = 28, GATHER_P = 8, GATHER_ROWS_SM = 8192 }; /* log2 of columns */

static const char *const searched[] = {
    /* bellpack, 6.6 */
    "bellpack:r=1,c=2", "bellpack:r=2,c=2", "bellpack:r=2,c=3", "bellpack:r=3,c=2",
    "bellpack:r=3,c=3", "bellpack:r=3,c=4", "bellpack:r=4,c=4", "bellpack:r=5,c=5",
    "bellpack:r=6,c=6", "bellpack:r=7,c=7", "bellpack:r=8,c=8"
};
static const int chunks[] = { 32, 64, 128, 256 };
enum { NSEARCHED = sizeof searched / sizeof searched[0], NCHUNKS = sizeof chunks / sizeof chunks[0], BCSR_SIDE = 4 };

/* A matrix of the grid and the configurations to measure on it. */
struct dense {
    int64_t rows, cols;
    bool literal; /* one that the literal model is calibrated on */
    char kernels[RECIPE_KERNELS];
};
struct list {
    struct grid_cells *grid;
    int n, room;
    struct dense *at;
};

static void add(struct list *l, const char *config, int64_t rows, int64_t cols, bool literal)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].rows == rows && l->at[i].cols == cols
            && config_list_add(l->at[i].kernels, RECIPE_KERNELS, config, false)) {
            l->at[i].literal = l->at[i].literal || literal;
            return;
        }
    if (l->n == l->room) {
        l->room = 2 * l->room + 64;
        l->at = xrealloc(l->at, (unsigned long)l->room * sizeof *l->at);
    }
    struct dense *d = &l->at[l->n++];
    *d = (struct dense){ .rows = rows, .cols = cols, .literal = literal };
    snprintf(d->kernels, sizeof d->kernels, "%s", config);
}

/* The k of a configuration at N = b; the least and the greatest T. */
struct residents {
    bool marked[BLOCKS_SM + 2];
    int64_t min, max;
};

static void mark(struct residents *r, const struct geometry *g, const struct block_needs *needs)
{
    struct occupancy o[2];
    occupancy_choi2010(g, needs, &o[0]);
    occupancy_hardware(g, needs, 0, &o[1]);
    for (int i = 0; i < 2; i++) {
        const int64_t t = o[i].blocks;
        if (t < 1 || t > BLOCKS_SM)
            continue;
        r->marked[t] = r->marked[t + 1] = true;
        r->max = t > r->max ? t : r->max;
        r->min = t < r->min ? t : r->min;
    }
}

static void find_residents(const struct geometry *g, int threads, int registers, struct residents *r)
{
    *r = (struct residents){ .min = BLOCKS_SM };
    for (; registers <= REGISTERS_HIGH; registers++)
        mark(r, g, &(struct block_needs){ threads, registers, 0 });
    if (r->max == 0) /* none fits with so many registers; as compiled, one may */
        r->min = r->max = 1;
    r->marked[1] = r->marked[2] = true;
    if (r->max >= 4)
        r->marked[r->max / 4] = r->marked[r->max / 2] = true;
}

/* The most steps for which a matrix of so many rows stays within max_bytes. */
static int64_t largest_steps(const struct grid_cells *g, int64_t rows, int64_t cols)
{
    const int64_t entry = 4 + precision_bytes(g->spec.precision);
    return (g->spec.max_bytes / rows - 4) / (cols * entry);
}

/* The same, at most 100 blocks. */
static int64_t max_steps(const struct grid_cells *g, int64_t rows, int64_t cols, int lanes)
{
    const int64_t n = largest_steps(g, rows, cols), max = STEPS_MAX / lanes > STEPS_MIN ? STEPS_MAX / lanes : STEPS_MIN;
    return n > max ? max : n < STEPS_MIN ? STEPS_MIN : n;
}

static void config_cells(struct list *l, const char *text)
{
    static const struct features none = { .rows = 1, .cols = 1 };
    const struct geometry *g = &l->grid->spec.device;
    const struct target t = { .device = *g, .precision = F32, .cache = WARM };
    struct residents k;
    struct config asked, c;
    struct grid launch;
    char why[ERRLEN], full[CONFIG_LEN];
    if (config_parse(text, &asked, why) != 0)
        bug("%s", why);
    if (config_resolve(&asked, &none, &t, &c, why) != 0 || kernel_grid(&none, &c, &t, &launch) != 0)
        bug("%s", text);
    config_print(&c, full);
    const int lanes = (int)config_int(&c, "lanes"), r = (int)config_int(&c, "r"), width = (int)config_int(&c, "c");
    find_residents(g, launch.threads, r * width > LARGE_BLOCK ? LARGE_REGISTERS : REGISTERS_LOW, &k);
    const int64_t rows = (int64_t)g->sms * (launch.threads / lanes) * r, cols = (int64_t)width * lanes,
                  b = max_steps(l->grid, rows * (k.max + 1), cols, lanes);
    add(l, full, rows, cols, true);
    for (int64_t i = 1; i <= k.max + 1; i++)
        if (k.marked[i])
            add(l, full, i * rows, b * cols, true);
    const int64_t wide[] = { 1, (k.max + 3) / 4, k.max };
    for (int i = 0; i < 3 && !l->grid->spec.quick; i++)
        add(l, full, wide[i] * rows, largest_steps(l->grid, wide[i] * rows, cols) * cols, false);
    const int64_t quarter[] = { 1, k.min, (k.max + 1) / 2, k.max, 4 * k.max };
    for (int i = 0; i < 5 && !l->grid->spec.quick; i++)
        add(l, full, quarter[i] * rows, (b + 3) / 4 * cols, false);
}

/* All configurations of the grid, in the order of the header. */
static void list_configs(const struct grid_spec *g, struct strlist *configs)
{
    const char *const *sweep = config_sweep(g->quick ? "quick" : "default", g->device.kind);
    char text[CONFIG_LEN], why[ERRLEN];
    struct config c;
    for (int i = 0; sweep[i]; i++)
        if (config_parse(sweep[i], &c, why) == 0 && c.kernel->steps)
            strlist_add_once(configs, sweep[i]);
    for (int i = 0; i < NSEARCHED && !g->quick; i++)
        for (int k = 0; k < NCHUNKS; k++) {
            snprintf(text, sizeof text, "%s,chunk=%d,lanes=1", searched[i], chunks[k]);
            strlist_add_once(configs, text);
        }
    for (int i = 0; i < BCSR_SIDE * BCSR_SIDE && !g->quick; i++) {
        snprintf(text, sizeof text, "bcsr:r=%d,c=%d,pack=1,interleave=0,lanes=16", i / BCSR_SIDE + 1,
                 i % BCSR_SIDE + 1);
        strlist_add_once(configs, text);
    }
}

/* Rows of 8 entries in random columns of x: blocks of 2 x 2 in the default configurations hold an entry each. */
static void gather_cells(struct grid_cells *g)
{
    static const char kernels[] = "bellpack:r=2,c=2,chunk=64,lanes=2+bcsr:r=2,c=2,pack=1,align=0,interleave=0,lanes=16";
    char recipe[RECIPE_LEN];
    for (int log2_cols = GATHER_LOW; log2_cols <= GATHER_HIGH; log2_cols += 2) {
        const int64_t cols = (int64_t)1 << log2_cols;
        if (8 * cols > 4 * g->spec.max_bytes) {
            g->dropped[DROP_BYTES]++;
            continue;
        }
        snprintf(recipe, sizeof recipe, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%d,place=random",
                 (int64_t)g->spec.device.sms * GATHER_ROWS_SM, cols, GATHER_P);
        grid_add(g, recipe, "gather", kernels, 0, GATHER_P);
    }
}

void grid_choi2010_note(const struct grid_cells *g, struct table *out)
{
    struct strlist configs = { 0 };
    list_configs(&g->spec, &configs);
    char *all = strlist_join(&configs, " -c ");
    table_note(out, "measure %s with spmv-run -c %s", counted(configs.n, "configuration").text, all);
    free(all);
    strlist_free(&configs);
}

void grid_choi2010(struct grid_cells *g)
{
    struct list l = { .grid = g };
    struct strlist configs = { 0 };
    if (!kind_facts(g->spec.device.kind)->blocks)
        die("choi2010 is about thread blocks that share an SM; %s has none", kind_facts(g->spec.device.kind)->about);
    list_configs(&g->spec, &configs);
    for (int i = 0; i < configs.n; i++)
        config_cells(&l, configs.v[i]);
    strlist_free(&configs);
    for (int i = 0; i < l.n; i++) {
        char recipe[RECIPE_LEN];
        int same = 1; /* a full list of configurations continues on the same matrix with another seed */
        for (int k = 0; k < i; k++)
            same += l.at[k].rows == l.at[i].rows && l.at[k].cols == l.at[i].cols;
        snprintf(recipe, sizeof recipe, "dense:rows=%" PRId64 ",cols=%" PRId64 ",seed=%d", l.at[i].rows, l.at[i].cols,
                 same);
        grid_add(g, recipe, l.at[i].literal ? "literal" : "grid", l.at[i].kernels, 0, 0);
    }
    free(l.at);
    if (!g->spec.quick)
        gather_cells(g);
}
