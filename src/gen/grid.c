/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of cells (grid.h): their limits, and the configurations that share a cell. */
#include "gen/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/schema.h"

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
