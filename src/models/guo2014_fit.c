/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, fit: fits the lines of section 3.5 by unweighted least squares, as printed, to the literal benchmark grid
 * (3.2.2) of I = 1..10 strips and constant row length P. A line with too few measured cells stays unfitted. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "models/cells.h"
#include "models/guo2014.h"

enum { ANCHOR_I = 5, ANCHOR_P = 4, STRIPS_MAX = 10, COO_STEP = 10, COO_MAX = 100 };

struct point {
    int64_t strips, p;
    double time_s;
};
struct points {
    int64_t n;
    struct point *at;
};

/* Returns whether p is on the grid: 4, 16, 64, 256, 1024, 2048, then doubling. */
static bool literal_p(int64_t p)
{
    for (int64_t v = 4; v <= p; v *= v < 1024 ? 4 : 2)
        if (v == p)
            return true;
    return false;
}

static bool on_grid(const struct cell *c, const struct guo2014 *g)
{
    if (c->rows % g->strip || c->rows / g->strip > STRIPS_MAX)
        return false;
    if (g->work == WORK_ENTRIES)
        return c->rows == g->strip && c->p % COO_STEP == 0 && c->p <= COO_MAX;
    return literal_p(c->p);
}

/* The coordinate along which a line runs. The other coordinate is fixed. */
enum along { ALONG_P, ALONG_I };
static int64_t moving(const struct point *c, enum along a) { return a == ALONG_P ? c->p : c->strips; }
static int64_t held(const struct point *c, enum along a) { return a == ALONG_P ? c->strips : c->p; }

static int64_t count_at(const struct points *c, enum along a, int64_t at)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        n += held(&c->at[i], a) == at;
    return n;
}

/* Returns the value at which to fix the other coordinate: the preferred one, from the paper, if it has enough cells for
 * a line, else the one with the most cells (the smallest of equals); 0: none has two cells. */
static int64_t anchor(const struct points *c, enum along a, int64_t preferred)
{
    int64_t best = 0, most = 1;
    if (count_at(c, a, preferred) >= 2)
        return preferred;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t at = held(&c->at[i], a), n = count_at(c, a, at);
        if (n > most || (n == most && best && at < best)) {
            best = at;
            most = n;
        }
    }
    return best;
}

static bool draw(const double *x, const double *y, int64_t n, struct guo_line *line)
{
    if (n < 2 || stats_line(x, y, NULL, n, &line->a, &line->b) != 0)
        return false;
    line->low = INFINITY;
    line->high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        line->low = fmin(line->low, x[i]);
        line->high = fmax(line->high, x[i]);
    }
    return true;
}

static bool draw_at(const struct points *c, enum along a, int64_t at, struct guo_line *line)
{
    double *x = xmalloc(2 * (unsigned long)(c->n + 1) * sizeof *x), *y = x + c->n + 1;
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        if (held(&c->at[i], a) == at) {
            x[n] = (double)moving(&c->at[i], a);
            y[n++] = c->at[i].time_s;
        }
    bool drawn = draw(x, y, n, line);
    free(x);
    return drawn;
}

static const struct point *point_at(const struct points *c, int64_t strips, int64_t p)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->at[i].strips == strips && c->at[i].p == p)
            return &c->at[i];
    return NULL;
}

/* Fits one side of the break: E, E' and T2, the time of the cell where they meet. Returns false if cells are
 * missing. */
static bool fit_side(const struct points *all, struct guo2014 *g, enum guo_side side)
{
    struct points c = { 0, xmalloc((unsigned long)(all->n + 1) * sizeof *c.at) };
    struct points through = { 0, xmalloc((unsigned long)(all->n + 1) * sizeof *c.at) };
    bool done = false;
    for (int64_t i = 0; i < all->n; i++)
        if (side == BELOW ? all->at[i].p <= g->threshold : all->at[i].p >= g->threshold)
            c.at[c.n++] = all->at[i];
    int64_t strips = anchor(&c, ALONG_P, ANCHOR_I);
    /* E' uses only lengths measured at E's number of strips: otherwise T2 does not exist. */
    for (int64_t i = 0; i < c.n; i++)
        if (point_at(&c, strips, c.at[i].p))
            through.at[through.n++] = c.at[i];
    int64_t p = anchor(&through, ALONG_I, side == BELOW ? ANCHOR_P : g->threshold);
    struct guo_line e, ey;
    if (strips && p && draw_at(&c, ALONG_P, strips, &e) && draw_at(&c, ALONG_I, p, &ey)) {
        g->line[GUO_E_BELOW + side] = e;
        g->line[GUO_EY_BELOW + side] = ey;
        g->t2[side] = point_at(&c, strips, p)->time_s;
        done = true;
    }
    free(c.at);
    free(through.at);
    return done;
}

/* Fits f(I), a line in I through the slopes of the lines in P, and e(I), a line through the times at P = x1. Returns
 * false if there are too few cells. */
static bool fit_padded(const struct points *c, struct guo2014 *g)
{
    double strips[STRIPS_MAX], slope[STRIPS_MAX];
    int64_t n = 0;
    for (int64_t i = 1; i <= STRIPS_MAX; i++) {
        struct guo_line l;
        if (!draw_at(c, ALONG_P, i, &l))
            continue;
        strips[n] = (double)i;
        slope[n++] = l.b;
        g->p_low = fmin(g->p_low, l.low);
        g->p_high = fmax(g->p_high, l.high);
    }
    int64_t x1 = anchor(c, ALONG_I, ANCHOR_P);
    struct guo_line f, e;
    if (!x1 || !draw(strips, slope, n, &f) || !draw_at(c, ALONG_I, x1, &e))
        return false;
    g->line[GUO_F] = f;
    g->line[GUO_SMALL_E] = e;
    g->x1 = (double)x1;
    return true;
}

static bool fit_lines(const struct points *c, struct guo2014 *g)
{
    switch (g->work) {
    case WORK_ROW_GROUP: fit_side(c, g, ABOVE); return fit_side(c, g, BELOW);
    case WORK_ROW_THREAD:
    case WORK_PADDED: return fit_padded(c, g);
    case WORK_ENTRIES: return draw_at(c, ALONG_P, 1, &g->line[GUO_COO]); /* one strip of rows is P strips of entries */
    case WORK_UNSTATED:
    case WORK_PARTS:
    case WORK_LIBRARY:
    case WORK_OTHER: break;
    }
    return false;
}

static void measure_errors(const struct points *c, const struct guo2014 *g, struct guo_report *report)
{
    report->errors = xmalloc((unsigned long)(c->n + 1) * sizeof *report->errors);
    report->used = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const struct point *at = &c->at[i];
        struct features f = {
            .rows = at->strips * g->strip, .nnz = at->strips * g->strip * at->p, .row_mode = at->p, .row_max = at->p
        };
        struct forecast forecast;
        guo_time(g, &f, &forecast);
        if (forecast.status == FORECAST_REFUSED)
            report->unused++;
        else
            report->errors[report->used++] = fabs(forecast.time_s / at->time_s - 1.0);
    }
}

static void begin(struct guo2014 *g, const struct config *c, const struct target *t)
{
    memset(g, 0, sizeof *g);
    g->work = c->kernel->work;
    g->strip = cells_strip(c, &t->device);
    g->threshold = kind_facts(t->device.kind)->blocks && t->device.threads_block > 0 ? t->device.threads_block : 1024;
    for (int i = 0; i < GUO_NLINES; i++)
        g->line[i] = (struct guo_line){ NAN, NAN, NAN, NAN };
    g->t2[BELOW] = g->t2[ABOVE] = g->x1 = g->p_low = g->p_high = NAN;
}

int guo_fit_config(const struct runs *runs, const struct target *t, const char *config, struct guo2014 *g,
                   struct guo_report *report, char why[ERRLEN])
{
    struct config asked, c;
    struct cells cells;
    const struct features none = { .rows = 0 }; /* no feature is used: composites are not fitted */
    memset(report, 0, sizeof *report);
    if (config_parse(config, &asked, why) != 0 || config_resolve(&asked, &none, t, &c, why) != 0)
        return FAIL;
    begin(g, &c, t);
    cells_find(runs, t, config, &cells, &report->unused);
    struct points points = { 0, xmalloc((unsigned long)(cells.n + 1) * sizeof *points.at) };
    for (int64_t i = 0; i < cells.n; i++) {
        if (on_grid(&cells.cell[i], g))
            points.at[points.n++] =
                (struct point){ cells.cell[i].rows / g->strip, cells.cell[i].p, cells.cell[i].time_s };
        else
            report->unused++;
    }
    int rc = fit_lines(&points, g) ? 0
                                   : fail(why,
                                          "%s: too few cells of the guo2014 grid: %" PRId64
                                          " measured (I = 1..10 strips of %" PRId64 " rows, "
                                          "P = 4, 16, 64, ... in a band); generate them with spmv-gen guo2014",
                                          config, points.n, g->strip);
    if (rc == 0)
        measure_errors(&points, g, report);
    free(points.at);
    cells_free(&cells);
    return rc;
}
