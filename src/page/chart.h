/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as SVG: lines, points, bars, steps and spans on linear, logarithmic or categorical axes. No fonts, scripts or files are
 * fetched. Colours follow the page (light or dark) through CSS classes. */
#ifndef SPMVCAST_PAGE_CHART_H
#define SPMVCAST_PAGE_CHART_H
#include <stdbool.h>
#include "table/table.h"

enum mark {
    MARK_LINE,   /* points (x, y) joined in order */
    MARK_POINTS, /* a dot at each (x, y), with a whisker low..high if given */
    MARK_BARS, /* a bar from 0 (logarithmic axis: from 1 if the axis holds 1, else from its end) to y at each category */
    MARK_STEPS, /* a step function, for cumulative distributions */
    MARK_SPANS  /* a rectangle from x to x2 in lane y (0, 1, ...), with its label inside if it fits */
};

struct series {
    const char *name; /* in the legend; NULL: not in it */
    enum mark mark;
    long n;
    const double *x, *y;      /* NaN: a gap */
    const double *x2;         /* MARK_SPANS */
    const double *low, *high; /* intervals of y; NULL: none */
    const char *const *label; /* [n]: tooltip (title element) of each point; NULL: none */
    int colour;               /* 0, 1, ...: the colours of the palette in order; the dash or shape differs, too */
    bool faint;               /* in the background: thin and grey */
    bool bare;                /* MARK_LINE: no dots on it: a fitted line */
};

struct axis {
    const char *label; /* with its unit: "time (us)" */
    bool log;
    double low, high;            /* range; NaN: from the data, rounded to whole ticks */
    const char *const *category; /* names of the positions 0, 1, ...; NULL: numbers */
    long ncategories;
};

struct chart {
    const char *title;
    const char *about; /* one sentence for screen readers: what is shown and what it says; NULL: the title */
    struct axis x, y;
    int nseries;
    const struct series *series;
    bool diagonal;          /* the line y = x */
    double level;           /* a horizontal line at this y; NaN: none */
    const char *level_name; /* NULL: none */
};

/* Returns the <svg> element (malloc'd). alone: a whole file with its own style (light and dark); else for a page with the style of
 * page_begin. id: unique on the page, of letters, digits and '-'; the svg's title and desc have ids made from it. */
char *chart_svg(const struct chart *, const char *id, bool alone);

/* A picture of densities: nrows x ncolumns cells, row by row, of 0..1 (NaN: outside), drawn in shades; the axes say what rows and
 * columns are. */
struct picture {
    const char *title, *about;
    int nrows, ncolumns;
    const double *share;
    const char *xlabel, *ylabel;
    double xlow, xhigh, ylow, yhigh; /* labels of the ends of the axes; y grows downwards */
};
char *picture_svg(const struct picture *, const char *id, bool alone);

/* A chart of a table, described in words, so that data files can say how a table is drawn:
 *   MARK x=COLUMN y=COLUMN [by=COLUMN] [low=COLUMN high=COLUMN] [fit=COLUMN] [log=x|y|xy] [sort=up|down] [diagonal] [level=VALUE]
 * MARK: lines, points, bars or steps (cumulative share of rows with at most x, in percent: `steps x=COLUMN [by=COLUMN]`, y is not
 * given). fit, for lines: y is drawn as points, this column as the line. by: a series for each value of this column (at most 10; the rest is left out and counted in the legend). A text column x, and
 * any x of bars, gives categories: at most 40 are named, more have tooltips only. sort: bars and points of categories by height.
 * low, high: whiskers of points and bars, a band along lines. level: a horizontal line. In names of columns, '~' is a blank.
 * Rows without a number are skipped. xlabel, ylabel: with units.
 * Returns the SVG (malloc'd), or NULL (why): the words are wrong, a column is missing, two bars have one place, or nothing can be drawn. */
char *plot_svg(const struct table *, const char *words, const char *title, const char *xlabel, const char *ylabel,
               const char *id, bool alone, char why[ERRLEN]);
/* Checks the words alone. columns: of the table, ending with COLUMNS_END; NULL: not checked. */
int plot_check(const char *words, const struct column *columns, char why[ERRLEN]);
#endif
