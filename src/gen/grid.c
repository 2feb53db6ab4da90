/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of cells (grid.h): their limits, and the configurations that share a cell. */
#include "gen/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/schema.h"

const struct grid_model grid_models[] = {
    { "guo2014",
      "the grid of the paper: I = 1..10 strips, P = 4, 16, 64, ... entries per row; each kernel has its own strip",
      (int64_t)1 << 31, F32, grid_guo2014, grid_guo2014_note, NULL },
    { "guo2014-regimes",
      "one grid of (rows, P) for all kernels, with matrices smaller and larger than the cache; also long rows, gathers and uneven rows",
      (int64_t)1 << 30, F64, grid_regimes, NULL, NULL },
    { "physics-gp", "a table of training matrices of all kinds, with 1e3 to 3e7 nonzeros, for every kernel and device",
      (int64_t)1 << 30, F64, grid_training, NULL, NULL },
    { "wang2017-constant",
      "square matrices with P entries in every row at random columns, for half a warp or one thread per row: the "
      "baseline of the paper",
      (int64_t)1 << 30, F32, grid_wang2017_constant, NULL, NULL },
    { "wang2017-normal",
      "the same with normally drawn row lengths of mean P and the deviation of a binomial distribution",
      (int64_t)1 << 30, F32, grid_wang2017_normal, NULL, NULL },
    { "wang2017-uniform", "the same with uniform row lengths of that mean and deviation", (int64_t)1 << 30, F32,
      grid_wang2017_uniform, NULL, NULL },
    { "wang2017-binomial", "the same with binomial row lengths, as if each entry were drawn by itself",
      (int64_t)1 << 30, F32, grid_wang2017_binomial, NULL, NULL },
    { "wang2017-regimes",
      "one grid of (rows, P) for all kernels, square: constant rows in a band and at random columns, and drawn ones",
      (int64_t)1 << 30, F64, grid_wang2017_regimes, NULL, NULL },
    { "choi2010",
      "dense matrices for kernels of dense blocks: N steps of 1, 2, T, T + 1 thread blocks per SM; blocks in random columns",
      (int64_t)1 << 29, F64, grid_choi2010, grid_choi2010_note, NULL },
    { "ashari2014",
      "cells of ashari2014-slots, for kernel brc: few warps with growing pieces, long rows, sizes around the cache",
      (int64_t)1 << 30, F64, grid_ashari2014, NULL,
      "its cells measure the time per step of a thread that holds a row piece, which only a GPU has" },
    { .name = NULL },
};

static const char *const drop_names[NDROPS] = { "more than 2147483647 nonzeros", "more than max_bytes",
                                                "rows as long as the square matrix is wide" };
const char *grid_drop_name(enum drop d) { return drop_names[d]; }

static struct recipe_row *find(const struct grid_cells *g, const char *recipe)
{
    for (int64_t i = 0; i < g->n; i++)
        if (strcmp(g->row[i].recipe, recipe) == 0)
            return &g->row[i];
    return NULL;
}

enum { EXACT_BYTES = 64 }; /* longer lists name kernels without their keys, to stay readable */

/* Sets row->kernels to the union of both lists; "" means all kernels. bug() if not even the names of the kernels
 * fit. */
static void join_kernels(struct recipe_row *row, const char *kernels)
{
    char exact[EXACT_BYTES] = "", bare[sizeof row->kernels] = "";
    if (row->kernels[0] == '\0' || kernels[0] == '\0')
        row->kernels[0] = '\0';
    else if (config_list_add(exact, sizeof exact, row->kernels, false)
             && config_list_add(exact, sizeof exact, kernels, false))
        TEXT_SET(row->kernels, exact);
    else if (config_list_add(bare, sizeof bare, row->kernels, true)
             && config_list_add(bare, sizeof bare, kernels, true))
        TEXT_SET(row->kernels, bare);
    else
        bug("%s: list of kernels exceeds %zu bytes: %s+%s", row->recipe, sizeof row->kernels, row->kernels, kernels);
}

static bool fits(struct grid_cells *g, const struct recipe *r, int64_t nnz)
{
    if (nnz > INT32_MAX) {
        g->dropped[DROP_NNZ]++;
        return false;
    }
    if (nnz * (4 + precision_bytes(g->spec.precision)) + 4 * (r->rows + 1) > g->spec.max_bytes) {
        g->dropped[DROP_BYTES]++;
        return false;
    }
    return true;
}

bool grid_add(struct grid_cells *g, const char *recipe, const char *role, const char *kernels, int64_t strip, int64_t p)
{
    struct recipe r;
    char text[RECIPE_LEN], why[ERRLEN];
    if (recipe_parse(recipe, &r, why) != 0)
        bug("grid: %s", why);
    recipe_print(&r, text);
    struct recipe_row *row = find(g, text);
    if (row) {
        join_kernels(row, kernels);
        return true;
    }
    const int64_t nnz = recipe_nnz(&r);
    if (!fits(g, &r, nnz))
        return false;
    if (g->n == g->room) {
        g->room = 2 * g->room + 64;
        g->row = xrealloc(g->row, (unsigned long)g->room * sizeof *g->row);
        g->nnz = xrealloc(g->nnz, (unsigned long)g->room * sizeof *g->nnz);
    }
    g->nnz[g->n] = nnz;
    row = &g->row[g->n++];
    memset(row, 0, sizeof *row);
    TEXT_SET(row->recipe, text);
    recipe_id(&r, row->recipe_id);
    TEXT_SET(row->role, role);
    TEXT_SET(row->kernels, kernels);
    row->strips_i = strip > 0 ? (double)r.rows / (double)strip : NAN;
    row->per_row_p = p;
    TEXT_SET(row->place, recipe_placement(&r));
    return true;
}

bool grid_add_constant(struct grid_cells *g, int64_t rows, int64_t p, const char *placement, const char *role,
                       const char *kernels, int64_t strip)
{
    char text[RECIPE_LEN];
    if (rows > INT32_MAX || 2 * p > INT32_MAX) {
        g->dropped[DROP_NNZ]++;
        return false;
    }
    snprintf(text, sizeof text, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",place=%s", rows,
             rows > 2 * p ? rows : 2 * p, p, placement);
    return grid_add(g, text, role, kernels, strip, p);
}

void grid_free(struct grid_cells *g)
{
    free(g->row);
    free(g->nnz);
    memset(g, 0, sizeof *g);
}
