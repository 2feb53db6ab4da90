/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of densities: cells in eight shades, half a decade each below the largest share. Cells of a row with equal shades are one
 * rectangle. */
#include <math.h>
#include <stdlib.h>
#include "base/error.h"
#include "page/chart_inside.h"
#include "page/svg.h"

enum { NSHADES = 8, LEFT = 86, WIDEST = 340, TALLEST = 340, LEAST = 40 };

/* 0: empty; 1..NSHADES: shade; -1: outside */
static int shade(double share, double most)
{
    if (isnan(share))
        return -1;
    if (!(share > 0))
        return 0;
    return (int)fmax(1, fmin(NSHADES, NSHADES - floor(2 * log10(most / share) + 1e-9)));
}

/* Shares must be told apart from the background: the palest shade is clearly visible. */
static void put_opacity(FILE *out, int level)
{
    const int percent = 30 + 70 * (level - 1) / (NSHADES - 1);

    fprintf(out, percent == 100 ? "1" : ".%d", percent);
}

static void put_cells(FILE *out, const struct picture *p, int level, double most)
{
    bool any = false;

    for (int r = 0; r < p->nrows; r++)
        for (int c = 0, end; c < p->ncolumns; c = end) {
            const double *row = p->share + (long)r * p->ncolumns;
            for (end = c + 1; end < p->ncolumns && shade(row[end], most) == shade(row[c], most);)
                end++;
            if (shade(row[c], most) != level)
                continue;
            if (!any && level < 0)
                fputs("<path class=\"u\" d=\"", out);
            else if (!any) {
                fputs("<path class=\"p c0\" fill-opacity=\"", out);
                put_opacity(out, level);
                fputs("\" d=\"", out);
            }
            any = true;
            fprintf(out, "M%d %dh%dv1h-%dz", c, r, end - c, end - c);
        }
    if (any)
        fputs("\"/>", out);
}

/* The end of an axis: whole numbers in full. */
static void put_end(FILE *out, double value)
{
    char text[40];

    if (value == floor(value) && fabs(value) < 1e9)
        snprintf(text, sizeof text, "%.0f", value);
    else
        brief_number(value, 4, text, sizeof text);
    fprintf(out, "%s</text>", text);
}

static void put_legend(FILE *out, double most, double y)
{
    char low[40], high[40];

    brief_number(100 * most * pow(10, -0.5 * (NSHADES - 1)), 2, low, sizeof low);
    brief_number(100 * most, 3, high, sizeof high);
    PUT_AT(out, "<text class=\"q e\" x=\"@\" y=\"@\">", 190, y + 11);
    fprintf(out, "filled up to %s %%</text>", low);
    for (int level = 1; level <= NSHADES; level++) {
        fputs("<path class=\"p c0\" fill-opacity=\"", out);
        put_opacity(out, level);
        PUT_AT(out, "\" d=\"M@ @h16v12h-16z\"/>", 196 + 16 * (level - 1), y);
    }
    PUT_AT(out, "<text class=\"q\" x=\"@\" y=\"@\">", 202 + 16 * NSHADES, y + 11);
    fprintf(out, "%s %%</text>", high);
}

static double largest(const struct picture *p)
{
    double most = 0;

    for (long i = 0; i < (long)p->nrows * p->ncolumns; i++)
        if (p->share[i] > most)
            most = p->share[i];
    return most;
}

char *picture_svg(const struct picture *p, const char *id, bool alone)
{
    struct sink sink;
    const double most = largest(p), top = svg_title_height(p->title) + 36;
    double cell = fmin((double)WIDEST / p->ncolumns, (double)TALLEST / p->nrows);
    const double width = fmax(cell * p->ncolumns, LEAST), height = fmax(cell * p->nrows, LEAST);
    const double left = LEFT + (WIDEST - width) / 2, right = left + width, bottom = top + height;

    sink_open(&sink);
    FILE *out = sink.file;
    svg_begin(out, id, p->title, p->about, bottom + 12 + (most > 0 ? 26 : 0), alone);
    PUT_AT(out, "<text class=\"q\" x=\"@\" y=\"@\">", left, top - 6);
    put_end(out, p->xlow);
    PUT_AT(out, "<text class=\"q e\" x=\"@\" y=\"@\">", right, top - 6);
    put_end(out, p->xhigh);
    PUT_AT(out, "<text class=\"m\" x=\"@\" y=\"@\">", (left + right) / 2, top - 23);
    put_escaped(out, p->xlabel);
    PUT_AT(out, "</text><text class=\"q e\" x=\"@\" y=\"@\">", left - 6, top + 11);
    put_end(out, p->ylow);
    PUT_AT(out, "<text class=\"q e\" x=\"@\" y=\"@\">", left - 6, bottom - 1);
    put_end(out, p->yhigh);
    PUT_AT(out, "<text class=\"m\" transform=\"translate(@ @)rotate(-90)\">", left - 64, (top + bottom) / 2);
    put_escaped(out, p->ylabel);
    PUT_AT(out, "</text><g shape-rendering=\"crispEdges\" transform=\"translate(@ @)", left, top);
    fprintf(out, "scale(%.5g %.5g)\">", width / p->ncolumns, height / p->nrows);
    for (int level = -1; level <= NSHADES; level++)
        if (level != 0)
            put_cells(out, p, level, most);
    PUT_AT(out, "</g><path class=\"a\" fill=\"none\" d=\"M@ @H@V@H@z\"/>", left, top, right, bottom, left);
    if (most > 0)
        put_legend(out, most, bottom + 14);
    fputs("</svg>", out);
    return sink_close(&sink);
}
