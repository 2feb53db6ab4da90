/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, fit: fits the lines of section 3.5 by unweighted least squares, as printed, to the literal benchmark grid
 * (3.2.2) of I = 1..10 strips and constant row length P. A line with too few measured cells stays unfitted. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "models/cells.h"
#include "models/guo2014/guo2014.h"

enum { COO_STEP = 10, COO_MAX = 100 };
const struct guo_form guo_literal = { .strips = 5, .p = { 4, 0 }, .x1 = 4 };

bool guo_literal_p(int64_t p)
{
    for (int64_t v = 4; v <= p; v *= v < 1024 ? 4 : 2)
        if (v == p)
            return true;
    return false;
}

static bool on_grid(const struct cell *c, const struct guo2014 *g)
{
    if (c->rows % g->strip || c->rows / g->strip > GUO_STRIPS)
        return false;
    if (g->work == WORK_ENTRIES)
        return c->rows == g->strip && c->p % COO_STEP == 0 && c->p <= COO_MAX;
    return guo_literal_p(c->p);
}

int guo_fit_config(const struct runs *runs, const struct target *t, const char *config, struct guo2014 *g,
                   struct guo_report *report, char why[ERRLEN])
{
    struct config c;
    struct cells cells;
    const struct features none = { .rows = 0 }; /* no feature is used: composites are not fitted */
    memset(report, 0, sizeof *report);
    if (config_resolve_text(config, &none, t, &c, why) != 0)
        return FAIL;
    guo_begin(g, c.kernel->work, &c, t);
    cells_find(runs, t, config, &cells, &report->unused);
    struct guo_points points = { 0, xmalloc((unsigned long)(cells.n + 1) * sizeof *points.at) };
    for (int64_t i = 0; i < cells.n; i++) {
        if (on_grid(&cells.cell[i], g))
            points.at[points.n++] =
                (struct guo_point){ cells.cell[i].rows / g->strip, cells.cell[i].p, cells.cell[i].time_s };
        else
            report->unused++;
    }
    int rc =
        guo_fit_lines(&guo_literal, &points, g)
            ? 0
            : fail(why,
                   "%s: too few cells of the guo2014 grid: %" PRId64 " measured (I = 1..10 strips of %" PRId64 " rows, "
                   "P = 4, 16, 64, ... in a band); measure them with spmv-profile -m all",
                   config, points.n, g->strip);
    if (rc == 0)
        guo_errors(&points, g, report);
    free(points.at);
    cells_free(&cells);
    return rc;
}
