/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts: layout, legend, and the order in which their parts are drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/chart.h"
#include "page/chart_inside.h"
#include "page/svg.h"

enum { PLOT_HEIGHT = 210, LANE_HEIGHT = 30, RIGHT = 458, SAMPLE = 30, MAX_LEGEND = 40 };

/* ---- range of the data ---- */

struct range {
    double min, max;
};

static void extend(struct range *r, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0))
        return;
    r->min = isnan(r->min) ? value : fmin(r->min, value);
    r->max = isnan(r->max) ? value : fmax(r->max, value);
}

static void ranges(const struct chart *c, struct range *x, struct range *y)
{
    *x = *y = (struct range){ NAN, NAN };
    for (int k = 0; k < c->nseries; k++) {
        const struct series *s = &c->series[k];
        for (long i = 0; i < s->n; i++) {
            if (isnan(s->x[i]) || isnan(s->y[i]))
                continue;
            extend(x, s->x[i], c->x.log);
            if (s->mark == MARK_SPANS) {
                extend(x, s->x2[i], c->x.log);
                extend(y, s->y[i] - 0.5, false);
                extend(y, s->y[i] + 0.5, false);
                continue;
            }
            extend(y, s->y[i], c->y.log);
            if (s->low && s->high) {
                extend(y, s->low[i], c->y.log);
                extend(y, s->high[i], c->y.log);
            }
        }
        if (s->mark == MARK_BARS && !c->y.log)
            extend(y, 0, false);
    }
    extend(y, c->level, c->y.log);
    if (c->diagonal && !c->x.category && !c->y.category && c->x.log == c->y.log) {
        extend(x, y->min, c->x.log), extend(x, y->max, c->x.log);
        *y = *x;
    }
}

static bool only_spans(const struct chart *c)
{
    for (int k = 0; k < c->nseries; k++)
        if (c->series[k].mark != MARK_SPANS)
            return false;
    return c->nseries > 0;
}

/* ---- legend ---- */

struct entry {
    const char *text;
    int series; /* -1: the level; -2: the diagonal */
    double x, y;
};
struct legend {
    int n;
    struct entry entry[MAX_LEGEND];
    double height;
};

static void add_entry(struct legend *l, const char *text, int series)
{
    if (text && *text && l->n < MAX_LEGEND)
        l->entry[l->n++] = (struct entry){ .text = text, .series = series };
}

/* Places the entries in lines from (0, 0). */
static void plan_legend(const struct chart *c, struct legend *l)
{
    double x = 0, y = 0;

    *l = (struct legend){ 0 };
    for (int k = 0; k < c->nseries; k++)
        add_entry(l, c->series[k].name, k);
    if (!isnan(c->level))
        add_entry(l, c->level_name, -1);
    if (c->diagonal)
        add_entry(l, "y = x", -2);
    for (int i = 0; i < l->n; i++) {
        const double width = SAMPLE + fmin(text_units(l->entry[i].text, FONT), CHART_WIDTH - SAMPLE - 8) + 14;
        if (x > 0 && x + width > CHART_WIDTH) {
            x = 0;
            y += LINE + 1;
        }
        l->entry[i].x = x + 4;
        l->entry[i].y = y;
        x += width;
    }
    l->height = l->n ? y + LINE + 5 : 0;
}

static void put_legend(const struct frame *f, const struct legend *l, double top)
{
    for (int i = 0; i < l->n; i++) {
        const struct entry *e = &l->entry[i];
        const double y = top + e->y + 10;
        char *text = text_cut(e->text, CHART_WIDTH - SAMPLE - 8, FONT);
        if (e->series >= 0)
            marks_sample(f, &f->chart->series[e->series], e->series, e->x, y);
        else
            PUT_AT(f->out,
                   e->series == -1 ? "<path class=\"v\" stroke-dasharray=\"6 4\" d=\"M@ @h24\"/>"
                                   : "<path class=\"v\" d=\"M@ @h24\"/>",
                   e->x, y);
        PUT_AT(f->out, "<text x=\"@\" y=\"@\">", e->x + SAMPLE, y + 4.5);
        put_escaped(f->out, text);
        fputs("</text>", f->out);
        free(text);
    }
}

/* ---- reference lines ---- */

static void put_references(const struct frame *f)
{
    const struct chart *c = f->chart;
    const double level = scale_at(&f->y, c->level);

    if (!isnan(c->level) && !isnan(level))
        for (int seam = 1; seam >= 0; seam--) /* the seam keeps the line visible on bars */
            PUT_AT(f->out,
                   seam ? "<path class=\"z\" d=\"M@ @H@\"/>"
                        : "<path class=\"v\" stroke-dasharray=\"6 4\" d=\"M@ @H@\"/>",
                   f->x.from, level, f->x.to);
    if (c->diagonal && !f->x.category && !f->y.category) {
        const double low = fmax(f->x.low, f->y.low), high = fmin(f->x.high, f->y.high);
        if (high > low && (c->x.log == c->y.log))
            PUT_AT(f->out, "<path class=\"v\" d=\"M@ @L@ @\"/>", scale_at(&f->x, low), scale_at(&f->y, low),
                   scale_at(&f->x, high), scale_at(&f->y, high));
    }
}

/* ---- layout ---- */

static double plot_height(const struct chart *c)
{
    if (!c->y.category)
        return PLOT_HEIGHT;
    return fmin(fmax((double)c->y.ncategories * LANE_HEIGHT, 60), 600);
}

/* Sets the scales and returns the y coordinate below the title of the x axis. */
static double lay_out(struct frame *f, double top)
{
    const struct chart *c = f->chart;
    const double height = plot_height(c);
    struct range x, y;

    ranges(c, &x, &y);
    if (c->y.label && text_units(c->y.label, FONT) > height + 12)
        top += LINE + 2;
    f->top = top + 10;
    f->bottom = f->top + height;
    f->y.from = c->y.category ? f->top : f->bottom; /* the first category is at the top */
    f->y.to = c->y.category ? f->bottom : f->top;
    scale_fit(&f->y, &c->y, y.min, y.max);
    if (only_spans(c) && !f->y.category) {
        f->y.nticks = 0;
        f->y.low = isnan(c->y.low) ? y.min : c->y.low;
        f->y.high = isnan(c->y.high) ? y.max : c->y.high;
    }
    f->x.across = true;
    f->x.from = (c->y.label && *c->y.label ? 24 : 8) + axes_label_units(&f->y) + 6;
    f->x.to = RIGHT;
    scale_fit(&f->x, &c->x, x.min, x.max);
    axes_plan_categories(f);
    return f->bottom + f->label_room + axes_title_height(f);
}

/* Prints the series that are faint or not, and areas (bars, spans) or not. */
static void put_layer(const struct frame *f, bool faint, bool areas)
{
    int bar = 0;

    for (int k = 0; k < f->chart->nseries; k++) {
        const struct series *s = &f->chart->series[k];
        if (s->faint == faint && (s->mark == MARK_BARS || s->mark == MARK_SPANS) == areas)
            marks_put(f, s, bar);
        bar += s->mark == MARK_BARS;
    }
}

static void put_marks(const struct frame *f)
{
    fprintf(f->out, "<clipPath id=\"%s-c\">", f->id);
    PUT_AT(f->out, "<path d=\"M@ @H@V@H@z\"/></clipPath>", f->x.from - 6, f->top - 6, f->x.to + 6, f->bottom + 6,
           f->x.from - 6);
    fprintf(f->out, "<g clip-path=\"url(#%s-c)\">", f->id);
    put_layer(f, true, false);
    put_layer(f, true, true);
    put_layer(f, false, true);
    put_references(f);
    put_layer(f, false, false);
    fputs("</g>", f->out);
}

char *chart_svg(const struct chart *c, const char *id, bool alone)
{
    struct sink sink;
    struct frame f = { .chart = c, .id = id };
    struct legend legend;
    bool any = false;

    for (int k = 0; k < c->nseries; k++) {
        f.nbars += c->series[k].mark == MARK_BARS;
        any |= c->series[k].n > 0;
    }
    sink_open(&sink);
    f.out = sink.file;
    const double below = lay_out(&f, svg_title_height(c->title));
    plan_legend(c, &legend);
    svg_begin(f.out, id, c->title, c->about, below + legend.height, alone);
    marks_patterns(&f);
    axes_put(&f);
    put_marks(&f);
    if (!any)
        PUT_AT(f.out, "<text class=\"q m\" x=\"@\" y=\"@\">no data</text>", (f.x.from + f.x.to) / 2,
               (f.top + f.bottom) / 2);
    put_legend(&f, &legend, below);
    fputs("</svg>", f.out);
    return sink_close(&sink);
}
