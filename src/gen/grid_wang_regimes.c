/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of wang2017-regimes: square matrices of (rows, P) from far below a strip to far beyond the L2, the same for
 * all kernels, so that a cell is built once. Each has constant rows in a band and at random columns, and drawn rows at
 * random columns: normal with a deviation of P / 2, and a power law with one of 3 P / 2 and a longest row of 8 P.
 * Kernels: each with its defaults, groups of threads per row in all widths of the default sweep; no composites, whose
 * times are sums, and none that stores blocks, which hold one entry each here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "gen/grid.h"

/* rows in units of the number of SMs */
static const int rows_rungs[] = { 4, 16, 64, 256, 1024, 4096, 16384 }, p_rungs[] = { 2, 8, 32, 128, 512, 2048 };
enum { NROWS = sizeof rows_rungs / sizeof rows_rungs[0], NP = sizeof p_rungs / sizeof p_rungs[0] };

/* True if two configurations have the same kernel and resolve to the same keys on the device. */
static bool same(const struct grid_cells *g, const char *a, const char *b)
{
    static const struct features none;
    const struct target t = { .device = g->spec.device, .precision = F32, .cache = WARM };
    const char *const text[2] = { a, b };
    char resolved[2][CONFIG_LEN], why[ERRLEN];
    for (int i = 0; i < 2; i++) {
        struct config asked, c;
        if (config_parse(text[i], &asked, why) != 0 || config_resolve(&asked, &none, &t, &c, why) != 0)
            return false;
        config_print(&c, resolved[i]);
    }
    return strcmp(resolved[0], resolved[1]) == 0;
}

static bool is_of(const char *config, const struct kernel *k)
{
    const size_t n = strlen(k->name);
    return strncmp(config, k->name, n) == 0 && (config[n] == '\0' || config[n] == ':');
}

/* Returns the kernel's configuration in the default sweep: that of its defaults, else the first. */
static const char *listed(const struct grid_cells *g, const struct kernel *k)
{
    const char *const *sweep = config_sweep("default", g->spec.device.kind), *first = NULL;
    if (k->work == WORK_ROW_GROUP)
        return k->name;
    for (int i = 0; sweep[i]; i++) {
        if (!is_of(sweep[i], k))
            continue;
        if (same(g, sweep[i], k->name))
            return sweep[i];
        first = first ? first : sweep[i];
    }
    return first;
}

static void list_kernels(const struct grid_cells *g, char out[RECIPE_KERNELS])
{
    out[0] = '\0';
    for (int i = 0; kernel_at(i); i++) {
        const struct kernel *k = kernel_at(i);
        if (k->work == WORK_PARTS || k->layout->fills || !kernel_runs_on(k, g->spec.device.kind))
            continue;
        const char *config = listed(g, k);
        if (config && !config_list_add(out, RECIPE_KERNELS, config, false))
            bug("%s exceeds a list of %d bytes: %s", config, RECIPE_KERNELS, out);
    }
}

static void site(struct grid_cells *g, int64_t rows, int64_t p, const char *kernels)
{
    static const struct {
        const char *kind, *place, *role;
        int sd, longest; /* in halves of p, in p */
    } levels[] = { { "constant", "band", "grid", 0, 1 },
                   { "constant", "random", "grid", 0, 1 },
                   { "normal", "random", "spread", 1, 4 },
                   { "like", "random", "spread", 3, 8 } };
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char text[RECIPE_LEN], lengths[80];
        if (levels[i].longest * p > rows) {
            g->dropped[DROP_SQUARE]++;
            continue;
        }
        if (rows * p * (4 + precision_bytes(g->spec.precision)) > g->spec.max_bytes) {
            g->dropped[DROP_BYTES]++;
            continue;
        }
        if (strcmp(levels[i].kind, "like") == 0)
            snprintf(lengths, sizeof lengths, "nnz=%" PRId64 ",sd=%g,max=%" PRId64, rows * p,
                     levels[i].sd * 0.5 * (double)p, levels[i].longest * p);
        else if (levels[i].sd)
            snprintf(lengths, sizeof lengths, "p=%" PRId64 ",sd=%g", p, levels[i].sd * 0.5 * (double)p);
        else
            snprintf(lengths, sizeof lengths, "p=%" PRId64, p);
        snprintf(text, sizeof text, "%s:rows=%" PRId64 ",cols=%" PRId64 ",%s,place=%s", levels[i].kind, rows, rows,
                 lengths, levels[i].place);
        grid_add(g, text, levels[i].role, kernels, geometry_strip(&g->spec.device, CUDA_WARP), p);
    }
}

void grid_wang2017_regimes(struct grid_cells *g)
{
    char kernels[RECIPE_KERNELS];
    const int step = g->spec.quick ? 2 : 1;
    list_kernels(g, kernels);
    for (int r = 0; r < NROWS; r += step)
        for (int k = 0; k < NP; k += step)
            site(g, (int64_t)rows_rungs[r] * g->spec.device.sms, p_rungs[k], kernels);
}
