/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to chart*.c and picture.c: scales, ticks and the frame of a chart. Lengths are in user units of the SVG. */
#ifndef SPMVCAST_PAGE_CHART_INSIDE_H
#define SPMVCAST_PAGE_CHART_INSIDE_H
#include <stdbool.h>
#include <stdio.h>
#include "page/chart.h"

enum { CHART_WIDTH = 480, FONT = 13, LINE = 18, NTICKS = 64 };

struct tick {
    double at;
    char text[24]; /* "": without a label */
    bool minor;
};

/* From values to user units. */
struct scale {
    bool log;
    const char *const *category;
    long ncategories;
    double low, high; /* range of values */
    double from, to;  /* where they lie */
    bool across;      /* x */
    int nticks;
    struct tick tick[NTICKS];
};

struct frame {
    const struct chart *chart;
    const char *id;
    FILE *out;
    struct scale x, y;
    double top, bottom; /* of the plot */
    int nbars;          /* series of bars, side by side */
    double label_room;  /* height of the labels of the x axis */
    int turned;         /* degrees by which categories of x are turned: 0, 45 or 90 */
    long every;         /* every how many categories are named; 0: none is */
};

/* Where a value lies; NaN: nowhere (not a number, or not positive on a logarithmic scale). */
double scale_at(const struct scale *, double value);
/* Where the label of a tick is centred: below or beside it, but within the picture. */
double label_at(const struct scale *, const struct tick *);
/* Width of a category; without categories, of a bar among `n` evenly spaced ones. */
double scale_band(const struct scale *, long n);
/* Sets range and ticks for data from `least` to `most` (NaN: no data); from and to must be set. */
void scale_fit(struct scale *, const struct axis *, double least, double most);
/* Prints grid, ticks, labels and titles of both axes. */
void axes_put(const struct frame *);
/* Sets turned, every and label_room for the categories of x. */
void axes_plan_categories(struct frame *);
/* Height of the title of x, after axes_plan_categories. */
double axes_title_height(const struct frame *);
/* Width of the widest label of y. */
double axes_label_units(const struct scale *);

/* Prints a series; `bar`: its place among the series of bars. */
void marks_put(const struct frame *, const struct series *, int bar);
/* Prints the sample of a series for a legend at (x, y), 24 wide. */
void marks_sample(const struct frame *, const struct series *, int index, double x, double y);
/* Prints the patterns of bars that this chart needs. */
void marks_patterns(const struct frame *);

/* Prints the <svg> element up to its style; visible: the title. Returns the height that the title takes. */
double svg_begin(FILE *, const char *id, const char *title, const char *about, double height, bool alone);
double svg_title_height(const char *title);
#endif
