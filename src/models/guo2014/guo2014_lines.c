/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of guo2014's form through benchmark times, by unweighted least squares as printed (section 3.5), their
 * coefficients, what they forecast, and their errors. A line with too few cells stays unfitted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "models/cells.h"
#include "models/guo2014/guo2014.h"

/* Keys of the stored lines. Under each key, index 0 is a and index 1 is b of struct guo_line. */
static const char *const guo_lines[GUO_NLINES] = { "E_below", "E_above", "E'_below", "E'_above", "f", "e", "coo" };
static const char *const guo_t2[GUO_SIDES] = { "T2_below", "T2_above" };
static const char *const guo_meet[GUO_SIDES] = { "meet_below", "meet_above" }; /* index 0: I, index 1: P of T2 */

void guo_begin(struct guo2014 *g, enum work work, const struct config *c, const struct target *t)
{
    memset(g, 0, sizeof *g);
    g->work = work;
    g->strip = cells_strip(c, &t->device);
    g->threshold = kind_facts(t->device.kind)->blocks && t->device.threads_block > 0 ? t->device.threads_block : 1024;
    for (int i = 0; i < GUO_NLINES; i++)
        g->line[i] = (struct guo_line){ NAN, NAN, NAN, NAN };
    g->t2[BELOW] = g->t2[ABOVE] = g->x1 = g->p_low = g->p_high = NAN;
}

/* The coordinate that a line runs along; the other one is fixed. */
enum along { ALONG_P, ALONG_I };
static int64_t moving(const struct guo_point *c, enum along a) { return a == ALONG_P ? c->p : c->strips; }
static int64_t held(const struct guo_point *c, enum along a) { return a == ALONG_P ? c->strips : c->p; }

static int64_t count_at(const struct guo_points *c, enum along a, int64_t at)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        n += held(&c->at[i], a) == at;
    return n;
}

/* Returns the value at which to fix the other coordinate: the paper's if a line can be drawn there, else the one with
 * most cells (the smallest of equals); 0: none. */
static int64_t anchor(const struct guo_points *c, enum along a, int64_t preferred)
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

static bool draw_at(const struct guo_points *c, enum along a, int64_t at, struct guo_line *line)
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

static const struct guo_point *point_at(const struct guo_points *c, int64_t strips, int64_t p)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->at[i].strips == strips && c->at[i].p == p)
            return &c->at[i];
    return NULL;
}

/* Fits one side of the break: E, E' and T2, the time of the cell where they meet. */
static bool fit_side(const struct guo_form *form, const struct guo_points *all, struct guo2014 *g, enum guo_side side)
{
    struct guo_points c = { 0, xmalloc((unsigned long)(all->n + 1) * sizeof *c.at) };
    struct guo_points through = { 0, xmalloc((unsigned long)(all->n + 1) * sizeof *c.at) };
    bool done = false;
    for (int64_t i = 0; i < all->n; i++)
        if (side == BELOW ? all->at[i].p <= g->threshold : all->at[i].p >= g->threshold)
            c.at[c.n++] = all->at[i];
    int64_t strips = anchor(&c, ALONG_P, form->strips);
    /* E' uses only lengths measured at E's number of strips: otherwise T2 does not exist. */
    for (int64_t i = 0; i < c.n; i++)
        if (point_at(&c, strips, c.at[i].p))
            through.at[through.n++] = c.at[i];
    int64_t p = anchor(&through, ALONG_I, form->p[side] ? form->p[side] : g->threshold);
    struct guo_line e, ey;
    if (strips && p && draw_at(&c, ALONG_P, strips, &e) && draw_at(&c, ALONG_I, p, &ey)) {
        g->line[GUO_E_BELOW + side] = e;
        g->line[GUO_EY_BELOW + side] = ey;
        g->t2[side] = point_at(&c, strips, p)->time_s;
        g->at_strips[side] = strips;
        g->at_p[side] = p;
        done = true;
    }
    free(c.at);
    free(through.at);
    return done;
}

/* Fits f(I), a line in I through the slopes of the lines in P, and e(I), a line through the times at P = x1. */
static bool fit_padded(const struct guo_form *form, const struct guo_points *c, struct guo2014 *g)
{
    double strips[GUO_STRIPS], slope[GUO_STRIPS];
    int64_t n = 0;
    for (int64_t i = 1; i <= GUO_STRIPS; i++) {
        struct guo_line l;
        if (!draw_at(c, ALONG_P, i, &l))
            continue;
        strips[n] = (double)i;
        slope[n++] = l.b;
        g->p_low = fmin(g->p_low, l.low);
        g->p_high = fmax(g->p_high, l.high);
    }
    int64_t x1 = anchor(c, ALONG_I, form->x1);
    struct guo_line f, e;
    if (!x1 || !draw(strips, slope, n, &f) || !draw_at(c, ALONG_I, x1, &e))
        return false;
    g->line[GUO_F] = f;
    g->line[GUO_SMALL_E] = e;
    g->x1 = (double)x1;
    return true;
}

bool guo_fit_lines(const struct guo_form *form, const struct guo_points *c, struct guo2014 *g)
{
    switch (g->work) {
    case WORK_ROW_GROUP: fit_side(form, c, g, ABOVE); return fit_side(form, c, g, BELOW);
    case WORK_ROW_THREAD:
    case WORK_PADDED: return fit_padded(form, c, g);
    case WORK_ENTRIES:
        return draw_at(c, ALONG_P, 1, &g->line[GUO_COO]); /* at one strip of rows, strips of entries = P */
    case WORK_UNSTATED:
    case WORK_PARTS:
    case WORK_LIBRARY:
    case WORK_OTHER: break;
    }
    return false;
}

void guo_store(const struct guo2014 *g, const char *model, const char *config, const struct target *t, struct coefs *c)
{
    for (int i = 0; i < GUO_NLINES; i++) {
        const struct guo_line *l = &g->line[i];
        if (isnan(l->a))
            continue;
        coefs_add(c, model, config, t, guo_lines[i], 0, l->a, "s", l->low, l->high);
        coefs_add(c, model, config, t, guo_lines[i], 1, l->b, "s", l->low, l->high);
    }
    for (int i = 0; i < GUO_SIDES; i++)
        if (!isnan(g->t2[i])) {
            coefs_add(c, model, config, t, guo_t2[i], 0, g->t2[i], "s", NAN, NAN);
            coefs_add(c, model, config, t, guo_meet[i], 0, (double)g->at_strips[i], "strips", NAN, NAN);
            coefs_add(c, model, config, t, guo_meet[i], 1, (double)g->at_p[i], "entries", NAN, NAN);
        }
    if (!isnan(g->x1))
        coefs_add(c, model, config, t, "x1", 0, g->x1, "", g->p_low, g->p_high);
    coefs_add(c, model, config, t, "threshold", 0, (double)g->threshold, "", NAN, NAN);
}

void guo_read(const struct profile *p, const char *model, const char *config, const struct target *t, struct guo2014 *g)
{
    int64_t n;
    for (int i = 0; i < GUO_NLINES; i++) {
        const struct coef_row *r = coefs_find(&p->coefs, model, config, t, guo_lines[i], &n);
        g->line[i] = n == 2 ? (struct guo_line){ r[0].value, r[1].value, r[0].low, r[0].high }
                            : (struct guo_line){ NAN, NAN, NAN, NAN };
    }
    for (int i = 0; i < GUO_SIDES; i++) {
        const struct coef_row *meet = coefs_find(&p->coefs, model, config, t, guo_meet[i], &n);
        g->t2[i] = coefs_value(&p->coefs, model, config, t, guo_t2[i], 0);
        if (meet && n == 2) {
            g->at_strips[i] = coefs_whole(meet[0].value);
            g->at_p[i] = coefs_whole(meet[1].value);
        }
    }
    const struct coef_row *x1 = coefs_find(&p->coefs, model, config, t, "x1", &n);
    g->x1 = x1 ? x1->value : NAN;
    g->p_low = x1 ? x1->low : NAN;
    g->p_high = x1 ? x1->high : NAN;
    double threshold = coefs_value(&p->coefs, model, config, t, "threshold", 0);
    g->threshold = isnan(threshold) ? 1024 : coefs_whole(threshold);
}

static double at(const struct guo_line *l, double v) { return l->a + l->b * v; }

/* P of a matrix, and what it is. */
static int64_t length_of(const struct guo2014 *g, const struct features *m, const char **what)
{
    if (g->mean) {
        *what = "mean of the row lengths";
        return llround(m->row_mean);
    }
    *what = g->work == WORK_ROW_GROUP ? "mode of the row lengths" : "longest row";
    return g->work == WORK_ROW_GROUP ? m->row_mode : m->row_max;
}

static double strips_of(int64_t n, int64_t strip) { return (double)((n + strip - 1) / strip); }

static void row_group(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const char *what;
    const int64_t length = length_of(g, m, &what);
    enum guo_side side = length <= g->threshold ? BELOW : ABOVE;
    const struct guo_line *e = &g->line[GUO_E_BELOW + side], *ey = &g->line[GUO_EY_BELOW + side];
    double p = (double)length, i = strips_of(m->rows, g->strip);
    if (isnan(e->a) || isnan(g->t2[side])) {
        forecast_refuse(f, "no line was fitted for row lengths %s %" PRId64 " (%s of this matrix: %" PRId64 ")",
                        side == BELOW ? "up to" : "above", g->threshold, g->mean ? "mean" : "mode", length);
        return;
    }
    double t1 = at(e, p), t3 = at(ey, i);
    if (!(t1 > 0.0) || !(t3 > 0.0)) {
        forecast_refuse(f, "a fitted line is not positive: E(%.0f) = %.3g us, E'(%.0f) = %.3g us", p, t1 * 1e6, i,
                        t3 * 1e6);
        return;
    }
    f->time_s = t1 / g->t2[side] * t3;
    forecast_add_term(f, "E(P) (multiplied, not added)", t1);
    forecast_add_term(f, "T2 (divides, not added)", g->t2[side]);
    forecast_add_term(f, "E'(I) (multiplied, not added)", t3);
    forecast_box(f, what, p, e->low, e->high);
    forecast_box(f, "number of strips", i, ey->low, ey->high);
}

static void row_thread(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const char *what;
    double p = (double)length_of(g, m, &what), i = strips_of(m->rows, g->strip);
    double slope = at(&g->line[GUO_F], i), intercept = at(&g->line[GUO_SMALL_E], i) - slope * g->x1;
    f->time_s = slope * p + intercept;
    forecast_add_term(f, "f(I) P", slope * p);
    forecast_add_term(f, "g(I)", intercept);
    forecast_box(f, what, p, g->p_low, g->p_high);
    forecast_box(f, "number of strips", i, g->line[GUO_F].low, g->line[GUO_F].high);
}

static void entries(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const struct guo_line *l = &g->line[GUO_COO];
    double x = strips_of(m->nnz, g->strip);
    f->time_s = at(l, x);
    forecast_add_term(f, "constant", l->a);
    forecast_add_term(f, "strips of entries", l->b * x);
    forecast_box(f, "number of strips of entries", x, l->low, l->high);
}

void guo_time(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    forecast_begin(f);
    if (g->work == WORK_ROW_GROUP)
        row_group(g, m, f);
    else if (g->work == WORK_ENTRIES)
        entries(g, m, f);
    else
        row_thread(g, m, f);
    if (f->status != FORECAST_REFUSED && !(f->time_s > 0.0))
        forecast_refuse(f, "the fitted line gives %.4g us, not a positive time", f->time_s * 1e6);
}

void guo_explain(const struct guo2014 *g, const struct features *m, struct forecast *f)
{
    const size_t used = strlen(f->note), room = sizeof f->note - used;
    const char *what;
    const int64_t n = g->work == WORK_ENTRIES ? m->nnz : m->rows, strips = (n + g->strip - 1) / g->strip,
                  length = length_of(g, m, &what);
    char of[48];
    snprintf(of, sizeof of, "%" PRId64 " %s", g->strip, g->work == WORK_ENTRIES ? "entries" : "rows");
    if (g->work == WORK_ENTRIES)
        snprintf(f->note + used, room, "%s of %s", counted(strips, "strip").text, of);
    else
        snprintf(f->note + used, room, "%sP = %" PRId64 " (%s), I = %s of %s",
                 g->work == WORK_ROW_GROUP ? "E(P) / T2 x E'(I), " : "", length, what, counted(strips, "strip").text,
                 of);
}

void guo_errors(const struct guo_points *c, const struct guo2014 *g, struct guo_report *report)
{
    report->errors = xmalloc((unsigned long)(c->n + 1) * sizeof *report->errors);
    report->used = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const struct guo_point *at = &c->at[i];
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
