/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of wang2017-regimes: square matrices of (rows, P) from far below a strip to far beyond the L2, the same for
 * all kernels, so that a cell is built once. Each has constant rows in a band and at random columns, and drawn rows at
 * random columns: normal with a deviation of P / 2, and a power law with one of 3 P / 2 and a longest row of 8 P.
 * Kernels: each with its defaults, groups of threads per row in all widths of the default sweep; no composites, whose
 * times are sums, none that stores blocks, which hold one entry each here, and none whose keys follow the matrix. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "gen/grid.h"

/* rows in units of the number of SMs */
static const int rows_rungs[] = { 4, 16, 64, 256, 1024, 4096, 16384 }, p_rungs[] = { 2, 8, 32, 128, 512, 2048 };
enum { NROWS = sizeof rows_rungs / sizeof rows_rungs[0], NP = sizeof p_rungs / sizeof p_rungs[0] };

/* Writes a configuration of the sweep as rows of this device have it. Returns false if it does not exist there, or if it
 * has keys that depend on the matrix, so that its cells would be of several configurations. */
static bool resolved(const struct grid_cells *g, const char *text, char out[CONFIG_LEN])
{
    static const struct features none;
    const struct target t = { .device = g->spec.device, .precision = F32, .cache = WARM };
    const struct config *asked = config_known(text, NULL);
    struct config c;
    if (!asked || config_resolve(asked, &none, &t, &c, NULL) != 0)
        return false;
    config_print(asked, out);
    const bool fixed = strstr(out, "=auto") == NULL;
    config_print(&c, out);
    return fixed;
}

static bool is_of(const char *config, const struct kernel *k)
{
    const size_t n = strlen(k->name);
    return strncmp(config, k->name, n) == 0 && (config[n] == '\0' || config[n] == ':');
}

/* Writes a configuration of the sweep without the keys that it loses on this device (one: as resolved there). */
static void surviving(const char *sweep, const char *one, char out[CONFIG_LEN])
{
    const size_t length = strlen(sweep);
    size_t n = 0, at = config_kernel_length(sweep, length);
    int items = 0;
    snprintf(out, CONFIG_LEN, "%.*s", (int)at, sweep);
    for (const char *item = NULL; (item = config_next_item(sweep, length, item, &n));) {
        if (!config_has_item(one, item, n))
            continue;
        snprintf(out + at, CONFIG_LEN - at, "%c%.*s", items++ ? ',' : ':', (int)n, item);
        at = strlen(out);
    }
}

/* Writes the kernel's configuration in the default sweep: that of its defaults, else the first. */
static void listed(const struct grid_cells *g, const struct kernel *k, char out[CONFIG_LEN])
{
    const char *const *sweep = config_sweep("default", g->spec.device.kind);
    char defaults[CONFIG_LEN], one[CONFIG_LEN];
    out[0] = '\0';
    if (k->work == WORK_ROW_GROUP) {
        snprintf(out, CONFIG_LEN, "%s", k->name);
        return;
    }
    if (!resolved(g, k->name, defaults))
        defaults[0] = '\0';
    for (int i = 0; sweep[i]; i++) {
        if (!is_of(sweep[i], k) || !resolved(g, sweep[i], one))
            continue;
        const bool same = strcmp(one, defaults) == 0;
        if (same || !out[0])
            surviving(sweep[i], one, out);
        if (same)
            return;
    }
}

static void list_kernels(const struct grid_cells *g, char out[RECIPE_KERNELS])
{
    out[0] = '\0';
    for (int i = 0; kernel_at(i); i++) {
        const struct kernel *k = kernel_at(i);
        char config[CONFIG_LEN];
        if (k->work == WORK_PARTS || k->layout->fills || !kernel_runs_on(k, g->spec.device.kind))
            continue;
        listed(g, k, config);
        if (config[0] && !config_list_add(out, RECIPE_KERNELS, config, false))
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
        /* A row of 8 P alone gives fewer rows a greater deviation than 1.5 P. */
        const int64_t rows_min = strcmp(levels[i].kind, "like") == 0 ? 24 : 0;
        if (levels[i].longest * p > rows || rows < rows_min) {
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
