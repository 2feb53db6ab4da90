/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds the marks of a chart: title, grid, ticks, labels of the axes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/output.h"
#include "page/chart_inside.h"
#include "page/svg.h"

enum { TITLE_FONT = 14, TITLE_LINE = 18, TITLE_LINES = 3, LONGEST = 150, SMALL = 12, NAMED = 40, APART = 14 };

double svg_title_height(const char *title)
{
    char *line[TITLE_LINES];
    const int n = text_lines(title, CHART_WIDTH - 8, 1.04 * TITLE_FONT, TITLE_LINES, line);

    for (int i = 0; i < n; i++)
        free(line[i]);
    return n * TITLE_LINE + 4;
}

double svg_begin(FILE *out, const char *id, const char *title, const char *about, double height, bool alone)
{
    char *line[TITLE_LINES];
    const int n = text_lines(title, CHART_WIDTH - 8, 1.04 * TITLE_FONT, TITLE_LINES, line);

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d ", CHART_WIDTH);
    put_coordinate(out, height);
    if (alone) {
        fprintf(out, "\" width=\"%d\" height=\"", 3 * CHART_WIDTH / 2);
        put_coordinate(out, 1.5 * height);
    }
    fprintf(out, "\" role=\"img\" aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">", id, id, id);
    put_escaped(out, title);
    fprintf(out, "</title><desc id=\"%s-d\">", id);
    put_escaped(out, about ? about : title);
    fputs("</desc>", out);
    if (alone) {
        fputs("<!-- " OUTPUT_MARK " --><style>", out);
        put_chart_style(out);
        fputs("</style><rect class=\"k\" width=\"100%\" height=\"100%\"/>", out);
    }
    for (int i = 0; i < n; i++) {
        fprintf(out, "<text class=\"h\" x=\"4\" y=\"%d\">", 15 + i * TITLE_LINE);
        put_escaped(out, line[i]);
        fputs("</text>", out);
        free(line[i]);
    }
    return n * TITLE_LINE + 4;
}

/* ---- categories ---- */

static double longest_label(const struct scale *s)
{
    double longest = 0;

    for (long i = 0; i < s->ncategories; i++)
        longest = fmax(longest, text_units(s->category[i], SMALL));
    return longest;
}

/* A label that is too long loses its directory or group first, then its end. */
static char *short_label(const char *label, double units)
{
    const char *slash = strrchr(label, '/');

    return text_cut(slash && slash[1] && text_units(label, SMALL) > units ? slash + 1 : label, units, SMALL);
}

/* Room for the label at `at`: turned by 45 degrees, it must not leave the picture on the left. */
static double label_units(const struct frame *f, double at)
{
    return f->turned == 45 ? fmin(LONGEST, (at - 2) / 0.71) : LONGEST;
}

void axes_plan_categories(struct frame *f)
{
    const struct scale *s = &f->x;
    const double band = s->ncategories ? scale_band(s, 1) : 1;
    double longest = 0;

    f->every = 1;
    f->turned = 0;
    f->label_room = LINE;
    if (!s->category || longest_label(s) <= band - 6)
        return;
    f->turned = band >= 21 ? 45 : 90;
    while (f->turned == 90 && (double)f->every * band < APART)
        f->every++;
    if (s->ncategories > NAMED) { /* names of some would tell little: the tooltips name all */
        f->every = 0;
        f->label_room = 4;
        return;
    }
    for (long i = 0; i < s->ncategories; i += f->every) {
        char *label = short_label(s->category[i], label_units(f, scale_at(s, (double)i)));
        longest = fmax(longest, text_units(label, SMALL));
        free(label);
    }
    f->label_room = f->turned == 45 ? 0.71 * longest + 14 : longest + 8;
}

double axes_label_units(const struct scale *s)
{
    double widest = 0;

    if (s->category)
        return fmin(longest_label(s), LONGEST);
    for (int i = 0; i < s->nticks; i++)
        widest = fmax(widest, text_units(s->tick[i].text, FONT));
    return widest;
}

static void put_label(FILE *out, const char *label, double units)
{
    char *cut = short_label(label, units);

    if (strcmp(cut, label) != 0) {
        fputs("<title>", out);
        put_escaped(out, label);
        fputs("</title>", out);
    }
    put_escaped(out, cut);
    free(cut);
}

static void put_x_categories(const struct frame *f)
{
    const struct scale *s = &f->x;
    const double below = f->bottom;

    for (long i = 0; f->every && i < s->ncategories; i += f->every) {
        const double at = scale_at(s, (double)i);
        if (f->turned == 0)
            PUT_AT(f->out, "<text class=\"q m\" font-size=\"12\" x=\"@\" y=\"@\">", at, below + 18);
        else if (f->turned == 45)
            PUT_AT(f->out, "<text class=\"q e\" font-size=\"12\" transform=\"translate(@ @)rotate(-45)\">", at + 4,
                   below + 13);
        else
            PUT_AT(f->out, "<text class=\"q e\" font-size=\"12\" transform=\"translate(@ @)rotate(-90)\">", at + 4,
                   below + 6);
        put_label(f->out, s->category[i], label_units(f, at));
        fputs("</text>", f->out);
    }
}

static void put_y_categories(const struct frame *f)
{
    const struct scale *s = &f->y;
    const double band = scale_band(s, 1);
    const long every = band >= APART ? 1 : (long)ceil(APART / band);

    for (long i = 0; i < s->ncategories; i += every) {
        PUT_AT(f->out, "<text class=\"q e\" font-size=\"12\" x=\"@\" y=\"@\">", f->x.from - 6,
               scale_at(s, (double)i) + 4);
        put_label(f->out, s->category[i], LONGEST);
        fputs("</text>", f->out);
    }
}

/* ---- grid and ticks ---- */

static void put_grid(const struct frame *f, const struct scale *s, bool minor)
{
    bool any = false;

    for (int i = 0; i < s->nticks; i++) {
        const double at = scale_at(s, s->tick[i].at);
        if (s->tick[i].minor != minor)
            continue;
        if (!any)
            fprintf(f->out, "<path class=\"%s\" d=\"", minor ? "n" : "g");
        any = true;
        if (s->across)
            PUT_AT(f->out, "M@ @V@", at, f->bottom, f->top);
        else
            PUT_AT(f->out, "M@ @H@", f->x.from, at, f->x.to);
    }
    if (any)
        fputs("\"/>", f->out);
}

static void put_tick_labels(const struct frame *f, const struct scale *s)
{
    for (int i = 0; i < s->nticks; i++) {
        const double at = label_at(s, &s->tick[i]);
        if (!*s->tick[i].text)
            continue;
        if (s->across)
            PUT_AT(f->out, "<text class=\"q m\" x=\"@\" y=\"@\">", at, f->bottom + 20);
        else
            PUT_AT(f->out, "<text class=\"q e\" x=\"@\" y=\"@\">", f->x.from - 6, at + 4.5);
        fprintf(f->out, "%s</text>", s->tick[i].text);
    }
}

/* Lines of the title of x (the caller frees them); categories that are not named are counted. */
static int x_title(const struct frame *f, char *line[TITLE_LINES])
{
    const char *label = f->chart->x.label ? f->chart->x.label : "";
    char *text = f->every ? xstrdup(label) : xasprintf("%s (%ld)", label, f->x.ncategories);
    const int n = text_lines(text, CHART_WIDTH - 8, FONT, 2, line);

    free(text);
    return n;
}

double axes_title_height(const struct frame *f)
{
    char *line[TITLE_LINES];
    const int n = x_title(f, line);

    for (int i = 0; i < n; i++)
        free(line[i]);
    return n ? n * LINE + 12 : 8;
}

static void put_x_title(const struct frame *f)
{
    char *line[TITLE_LINES];
    const int n = x_title(f, line);

    for (int i = 0; i < n; i++) {
        const double half = text_units(line[i], FONT) / 2;
        const double at = fmin((f->x.from + f->x.to) / 2, CHART_WIDTH - 4 - half);
        PUT_AT(f->out, "<text class=\"m\" x=\"@\" y=\"@\">", fmax(at, 4 + half),
               f->bottom + f->label_room + 20 + i * LINE);
        put_escaped(f->out, line[i]);
        fputs("</text>", f->out);
        free(line[i]);
    }
}

static void put_y_title(const struct frame *f)
{
    const char *label = f->chart->y.label;

    if (!label || !*label)
        return;
    if (text_units(label, FONT) <= f->bottom - f->top + 12)
        PUT_AT(f->out, "<text class=\"m\" transform=\"translate(14 @)rotate(-90)\">", (f->top + f->bottom) / 2);
    else
        PUT_AT(f->out, "<text x=\"4\" y=\"@\">", f->top - 12);
    char *cut = text_cut(label, CHART_WIDTH - 8, FONT);
    put_escaped(f->out, cut);
    fputs("</text>", f->out);
    free(cut);
}

void axes_put(const struct frame *f)
{
    put_grid(f, &f->x, true);
    put_grid(f, &f->y, true);
    put_grid(f, &f->x, false);
    put_grid(f, &f->y, false);
    PUT_AT(f->out, "<path class=\"a\" fill=\"none\" d=\"M@ @V@H@\"/>", f->x.from, f->top, f->bottom, f->x.to);
    put_tick_labels(f, &f->x);
    put_tick_labels(f, &f->y);
    if (f->x.category)
        put_x_categories(f);
    if (f->y.category)
        put_y_categories(f);
    put_x_title(f);
    put_y_title(f);
}
