/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to plot*.c: the words that say how a table is drawn. */
#ifndef SPMVCAST_PAGE_PLOT_INSIDE_H
#define SPMVCAST_PAGE_PLOT_INSIDE_H
#include "page/chart.h"

struct plot {
    enum mark mark;
    char *x, *y, *by, *low, *high, *fit; /* columns; NULL: not given */
    bool log_x, log_y, diagonal;
    int sort; /* 1: up, -1: down, 0: as in the table */
    double level;
    char *level_name;
};
/* FAIL: why; the plot need not be freed then. */
int plot_parse(struct plot *, const char *words, char why[ERRLEN]);
void plot_free(struct plot *);

enum { MAX_SERIES = 10, MAX_TOOLTIPS = 1500 };

struct dot {
    long row;
    char *category, *group; /* text of x and of by */
    double x, y, low, high, fit;
};

struct drawing {
    const struct table *table;
    const struct plot *plot;
    bool categories;
    long n;
    struct dot *dot;
    const char **category; /* in the order of the axis */
    long ncategories;
    const char *group[MAX_SERIES]; /* in the order of the table */
    int ngroups;
    long left_out; /* values of by that are not drawn */
};

/* Returns the number of a group in drawing.group; -1: it is not drawn. */
int plot_group(const struct drawing *, const char *group);
/* Returns the chart of the dots (malloc'd). */
char *plot_draw(const struct drawing *, const char *title, const char *xlabel, const char *ylabel, const char *id,
                bool alone);
#endif
