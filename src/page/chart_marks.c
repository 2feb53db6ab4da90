/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks of a chart: lines, points, bars, steps and spans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/chart_inside.h"
#include "page/svg.h"

enum { FEW = 30, MANY = 300, NSHAPES = 7, NFILLS = 4 };

static const char *const dashes[NCOLOURS] = { "",    "7 3",      "2 3", "8 3 2 3", "12 4", "5 2 1 2 1 2",
                                              "4 4", "10 2 2 2", "1 4", "14 3 3 3" };

static int colour_of(const struct series *s) { return (s->colour % NCOLOURS + NCOLOURS) % NCOLOURS; }

/* Prints the start of an element with the colour of the series: <NAME class="... cN". */
static void begin(const struct frame *f, const char *name, const char *class, const struct series *s)
{
    if (s->faint)
        fprintf(f->out, "<%s class=\"f %s\"", name, class);
    else
        fprintf(f->out, "<%s class=\"%s c%d\"", name, class, colour_of(s));
}

static void end(const struct frame *f, const char *name, const char *tooltip)
{
    if (!tooltip || !*tooltip) {
        fputs("/>", f->out);
        return;
    }
    fputs("><title>", f->out);
    put_escaped(f->out, tooltip);
    fprintf(f->out, "</title></%s>", name);
}

static const char *tooltip(const struct series *s, long i) { return s->label ? s->label[i] : NULL; }

static void dash(const struct frame *f, const struct series *s)
{
    if (!s->faint && *dashes[colour_of(s)])
        fprintf(f->out, " stroke-dasharray=\"%s\"", dashes[colour_of(s)]);
}

static bool within(const struct scale *s, double at)
{
    return at >= fmin(s->from, s->to) - 0.5 && at <= fmax(s->from, s->to) + 0.5;
}

static double clamped(const struct scale *s, double at)
{
    return fmin(fmax(at, fmin(s->from, s->to)), fmax(s->from, s->to));
}

/* ---- points ---- */

/* Outline of a marker of radius r at (x, y). */
static void put_shape(FILE *out, int shape, double x, double y, double r)
{
    const double q = 0.87 * r, t = 1.15 * r, u = 0.4 * r;

    switch (shape % NSHAPES) {
    case 0: PUT_AT(out, "M@ @a@ @ 0 1 0 @ 0a@ @ 0 1 0 @ 0z", x - r, y, r, r, 2 * r, r, r, -2 * r); break;
    case 1: PUT_AT(out, "M@ @h@v@h@z", x - q, y - q, 2 * q, 2 * q, -2 * q); break;
    case 2: PUT_AT(out, "M@ @l@ @h@z", x, y - t, t, 1.85 * t, -2 * t); break;
    case 3: PUT_AT(out, "M@ @l@ @l@ @l@ @z", x, y - 1.3 * r, t, 1.3 * r, -t, 1.3 * r, -t, -1.3 * r); break;
    case 4: PUT_AT(out, "M@ @h@l@ @z", x - t, y - t * 0.85, 2 * t, -t, 1.85 * t); break;
    case 5:
        PUT_AT(out, "M@ @h@v@h@v@h@v@h@v@h@v@h@z", x - u, y - t, 2 * u, t - u, t - u, 2 * u, u - t, t - u, -2 * u,
               u - t, u - t, -2 * u, t - u);
        break;
    default: PUT_AT(out, "M@ @h@v@h@z", x - t, y - u, 2 * t, 2 * u, -2 * t);
    }
}

static double radius(const struct series *s) { return s->faint ? 2.5 : s->n > MANY ? 2.6 : 4; }

static void put_whiskers(const struct frame *f, const struct series *s, double shift)
{
    bool any = false;

    if (!s->low || !s->high)
        return;
    for (long i = 0; i < s->n; i++) {
        const double x = scale_at(&f->x, s->x[i]) + shift;
        double low = scale_at(&f->y, s->low[i]), high = scale_at(&f->y, s->high[i]);
        if (isnan(low) && s->low[i] <= 0)
            low = f->y.from;
        if (isnan(x) || isnan(low) || isnan(high) || !within(&f->x, x))
            continue;
        if (!any)
            begin(f, "path", "w", s), fputs(" d=\"", f->out);
        any = true;
        low = clamped(&f->y, low), high = clamped(&f->y, high);
        PUT_AT(f->out, "M@ @V@M@ @h6M@ @h6", x, low, high, x - 3, low, x - 3, high);
    }
    if (any)
        fputs("\"/>", f->out);
}

static void put_points(const struct frame *f, const struct series *s)
{
    const double r = radius(s);
    bool open = false;

    for (long i = 0; i < s->n; i++) {
        const double x = scale_at(&f->x, s->x[i]), y = scale_at(&f->y, s->y[i]);
        const char *tip = tooltip(s, i);
        if (isnan(x) || isnan(y) || !within(&f->x, x) || !within(&f->y, y))
            continue;
        if (!open)
            begin(f, "path", "p", s), fputs(" d=\"", f->out);
        open = true;
        put_shape(f->out, s->faint ? 0 : colour_of(s), x, y, r);
        if (tip && *tip) { /* an element of its own */
            fputs("\"", f->out);
            end(f, "path", tip);
            open = false;
        }
    }
    if (open)
        fputs("\"/>", f->out);
}

/* ---- lines and steps ---- */

static void put_band(const struct frame *f, const struct series *s)
{
    bool any = false;

    for (int back = 0; back < 2; back++)
        for (long k = 0; k < s->n; k++) {
            const long i = back ? s->n - 1 - k : k;
            const double x = scale_at(&f->x, s->x[i]), y = scale_at(&f->y, back ? s->low[i] : s->high[i]);
            if (isnan(x) || isnan(y))
                continue;
            if (!any)
                begin(f, "path", "b", s), fputs(" d=\"", f->out);
            PUT_AT(f->out, any ? "L@ @" : "M@ @", x, y);
            any = true;
        }
    if (any)
        fputs("z\"/>", f->out);
}

static void put_line(const struct frame *f, const struct series *s)
{
    const bool steps = s->mark == MARK_STEPS;
    bool any = false, gap = true;
    double last_x = 0, last_y = 0;

    if (!steps && s->low && s->high)
        put_band(f, s);
    for (long i = 0; i < s->n; i++) {
        const double x = scale_at(&f->x, s->x[i]), y = scale_at(&f->y, s->y[i]);
        if (isnan(x) || isnan(y)) {
            gap = true;
            continue;
        }
        if (!gap && i + 1 < s->n && fabs(x - last_x) < 0.25 && fabs(y - last_y) < 0.25)
            continue; /* thousands of points would draw the same line */
        if (!any)
            begin(f, "path", "l", s), dash(f, s), fputs(" d=\"", f->out);
        any = true;
        if (gap)
            PUT_AT(f->out, "M@ @", x, y);
        else if (steps)
            PUT_AT(f->out, "H@V@", x, y);
        else
            PUT_AT(f->out, "L@ @", x, y);
        gap = false;
        last_x = x, last_y = y;
    }
    if (any && steps)
        PUT_AT(f->out, "H@", f->x.to);
    if (any)
        fputs("\"/>", f->out);
    if (!steps && !s->faint && !s->bare && s->n <= FEW)
        put_points(f, s);
}

/* ---- bars ---- */

/* The first of several series of bars is solid, others are hatched. */
static void put_fill(const struct frame *f, const struct series *s, int bar)
{
    if (!s->faint && bar % NFILLS > 0)
        fprintf(f->out, " style=\"fill:url(#%s-p%d)\" stroke=\"currentColor\"", f->id, bar);
}

static void put_bars(const struct frame *f, const struct series *s, int bar)
{
    const double band = scale_band(&f->x, s->n), width = 0.8 * band / f->nbars;
    const double base =
        f->y.log ? (f->y.low <= 1 && f->y.high >= 1 ? 1 : f->y.low) : fmin(fmax(0, f->y.low), f->y.high);
    const double zero = scale_at(&f->y, base), shift = (bar - 0.5 * (f->nbars - 1)) * width;
    const double gap = width > 6 ? 1 : 0;

    for (long i = 0; i < s->n; i++) {
        const double x = scale_at(&f->x, s->x[i]) + shift;
        double y = scale_at(&f->y, s->y[i]);
        if (isnan(x) || isnan(y))
            continue;
        y = clamped(&f->y, y);
        begin(f, "rect", "p", s);
        put_fill(f, s, bar);
        PUT_AT(f->out, " x=\"@\" y=\"@\" width=\"@\" height=\"@\"", x - width / 2 + gap / 2, fmin(y, zero),
               fmax(width - gap, 0.5), fabs(y - zero));
        end(f, "rect", tooltip(s, i));
    }
    put_whiskers(f, s, shift);
}

void marks_patterns(const struct frame *f)
{
    int bar = 0;
    static const char *const lines[NFILLS] = { "", "M0 6L6 0M-1 1L1-1M5 7L7 5", "M3 0V6M0 3H6",
                                               "M0 0L6 6M-1 5L1 7M5-1L7 1" };

    if (f->nbars < 2)
        return;
    fputs("<defs>", f->out);
    for (int i = 0; i < f->chart->nseries; i++) {
        const struct series *s = &f->chart->series[i];
        if (s->mark != MARK_BARS)
            continue;
        if (bar % NFILLS > 0) {
            fprintf(f->out, "<pattern id=\"%s-p%d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">", f->id,
                    bar);
            begin(f, "path", "b", s);
            fputs(" d=\"M0 0h6v6h-6z\"/>", f->out);
            begin(f, "path", "w", s);
            fprintf(f->out, " d=\"%s\"/></pattern>", lines[bar % NFILLS]);
        }
        bar++;
    }
    fputs("</defs>", f->out);
}

/* ---- spans ---- */

static void put_spans(const struct frame *f, const struct series *s)
{
    for (long i = 0; i < s->n; i++) {
        const double from = scale_at(&f->x, s->x[i]), to = scale_at(&f->x, s->x2[i]);
        const double middle = scale_at(&f->y, s->y[i]);
        const double lane = fabs(scale_at(&f->y, s->y[i] + 1) - middle), height = fmin(0.76 * lane, 40);
        const char *label = tooltip(s, i);
        if (isnan(from) || isnan(to) || isnan(middle))
            continue;
        begin(f, "rect", "s", s);
        const double left = clamped(&f->x, fmin(from, to)), right = clamped(&f->x, fmax(from, to));
        PUT_AT(f->out, " x=\"@\" y=\"@\" width=\"@\" height=\"@\"", left, middle - height / 2, right - left, height);
        end(f, "rect", label);
        if (label && *label && !s->faint && height >= 14 && text_units(label, 11) <= right - left - 4) {
            PUT_AT(f->out, "<text class=\"i m\" x=\"@\" y=\"@\">", (left + right) / 2, middle + 4);
            put_escaped(f->out, label);
            fputs("</text>", f->out);
        }
    }
}

void marks_put(const struct frame *f, const struct series *s, int bar)
{
    if (s->mark == MARK_POINTS) {
        put_whiskers(f, s, 0);
        put_points(f, s);
    } else if (s->mark == MARK_BARS)
        put_bars(f, s, bar);
    else if (s->mark == MARK_SPANS)
        put_spans(f, s);
    else
        put_line(f, s);
}

void marks_sample(const struct frame *f, const struct series *s, int index, double x, double y)
{
    const bool area = s->mark == MARK_BARS || s->mark == MARK_SPANS;
    int bar = 0;

    for (int i = 0; i < index; i++)
        bar += f->chart->series[i].mark == MARK_BARS;
    if (area) {
        begin(f, "rect", "p", s);
        put_fill(f, s, s->mark == MARK_BARS ? bar : 0);
        PUT_AT(f->out, " x=\"@\" y=\"@\" width=\"16\" height=\"10\"/>", x + 4, y - 5);
        return;
    }
    if (s->mark != MARK_POINTS) {
        begin(f, "path", "l", s);
        dash(f, s);
        PUT_AT(f->out, " d=\"M@ @h24\"/>", x, y);
    }
    if (s->mark == MARK_POINTS || (s->mark == MARK_LINE && !s->faint && !s->bare && s->n <= FEW)) {
        begin(f, "path", "p", s);
        fputs(" d=\"", f->out);
        put_shape(f->out, s->faint ? 0 : colour_of(s), x + 12, y, 4);
        fputs("\"/>", f->out);
    }
}
