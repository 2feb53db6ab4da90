/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a plot: what is drawn at each dot, and the chart that shows them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "page/plot_inside.h"

int plot_group(const struct drawing *d, const char *group)
{
    for (int i = 0; i < d->ngroups; i++)
        if (strcmp(d->group[i], group) == 0)
            return i;
    return -1;
}

/* The first text column that says which row this is. */
static int naming_column(const struct drawing *d)
{
    const struct table *t = d->table;

    for (int i = 0; i < t->ncolumns; i++)
        if (!table_numeric(t, i) && strcmp(t->column[i].name, d->plot->x) != 0
            && (!d->plot->by || strcmp(t->column[i].name, d->plot->by) != 0))
            return i;
    return -1;
}

/* Returns a cell as shown (malloc'd); "": no column or no value. */
static char *text_of(const struct drawing *d, long row, const char *column)
{
    const int i = column ? table_column(d->table, column) : -1;

    return i >= 0 && table_has(d->table, row, i) ? table_shown(d->table, row, i) : xstrdup("");
}

static char *tooltip(const struct drawing *d, const struct dot *o)
{
    const struct plot *p = d->plot;
    const int i = naming_column(d);
    char *name = i >= 0 ? table_shown(d->table, o->row, i) : xstrdup(""), *y = text_of(d, o->row, p->y),
         *low = text_of(d, o->row, p->low), *high = text_of(d, o->row, p->high);
    char *all = xasprintf("%s%s%s%s%s: %s%s%s%s%s%s", o->group, *o->group ? ", " : "", name, i >= 0 ? ", " : "",
                          o->category, y, p->low ? " (" : "", low, p->low ? " to " : "", high, p->low ? ")" : "");

    free(name);
    free(y);
    free(low);
    free(high);
    return all;
}

/* Arrays of a series, which it owns. */
struct arrays {
    double *x, *y, *low, *high, *fit;
    char **label;
    long n;
};

static void arrays_make(struct arrays *a, long room)
{
    const unsigned long bytes = ((unsigned long)room + 1) * sizeof(double);

    *a = (struct arrays){ xmalloc(bytes), xmalloc(bytes), xmalloc(bytes), xmalloc(bytes), xmalloc(bytes), NULL, 0 };
    a->label = xcalloc((unsigned long)room + 1, sizeof *a->label);
}

static void arrays_free(struct arrays *a)
{
    for (long i = 0; i < a->n; i++)
        free(a->label[i]);
    free(a->x);
    free(a->y);
    free(a->low);
    free(a->high);
    free(a->fit);
    free(a->label);
}

/* The cumulative share of n values, in percent: from (least, 0) up. Equal values are one step. */
static void cumulate(struct arrays *a, long n)
{
    double *value = xmalloc((unsigned long)(n + 1) * sizeof *value);

    memcpy(value, a->x, (unsigned long)n * sizeof *value);
    stats_sort(value, n);
    a->x[0] = value[0], a->y[0] = 0;
    a->n = 1;
    for (long i = 0; i < n; i++)
        if (i + 1 == n || value[i + 1] > value[i]) {
            a->x[a->n] = value[i];
            a->y[a->n++] = 100 * (double)(i + 1) / (double)n;
        }
    free(value);
}

static void fill(const struct drawing *d, int group, struct arrays *a)
{
    const bool steps = d->plot->mark == MARK_STEPS;

    arrays_make(a, d->n + 1);
    for (long i = 0; i < d->n; i++) {
        const struct dot *o = &d->dot[i];
        if (plot_group(d, o->group) != group)
            continue;
        a->x[a->n] = o->x;
        a->y[a->n] = o->y;
        a->low[a->n] = o->low;
        a->high[a->n] = o->high;
        a->fit[a->n] = o->fit;
        if (!steps && d->n <= MAX_TOOLTIPS)
            a->label[a->n] = tooltip(d, o);
        a->n++;
    }
    if (steps)
        cumulate(a, a->n);
}

/* Returns the name of group k: its value of column `by`; of numbers, "p = 4". */
static char *group_name(const struct drawing *d, int k)
{
    const char *by = d->plot->by, *value = d->group[k];
    const int i = by ? table_column(d->table, by) : -1;

    return !by                           ? xstrdup(d->plot->fit ? "measured" : "")
           : !*value                     ? xstrdup("-")
           : !table_numeric(d->table, i) ? xstrdup(value)
                                         : xasprintf("%s = %s", by, value);
}

char *plot_draw(const struct drawing *d, const char *title, const char *xlabel, const char *ylabel, const char *id,
                bool alone)
{
    const struct plot *p = d->plot;
    struct arrays arrays[MAX_SERIES];
    char *name[MAX_SERIES];
    struct series series[2 * MAX_SERIES + 2];
    char *more = d->left_out ? xasprintf("%ld more series not drawn", d->left_out) : NULL;
    char *about = xasprintf("%s. Horizontal axis: %s; vertical axis: %s; %s%s%s.", title, xlabel, ylabel,
                            p->mark == MARK_STEPS ? counted(d->n, "value").text : counted(d->n, "point").text,
                            more ? "; " : "", more ? more : "");
    int n = d->ngroups;

    if (more) {
        free(more);
        more = xasprintf("(%ld more not drawn)", d->left_out);
    }
    for (int k = 0; k < n; k++) {
        fill(d, k, &arrays[k]);
        name[k] = group_name(d, k);
        series[k] = (struct series){ .name = *name[k] ? name[k] : NULL,
                                     .mark = p->fit ? MARK_POINTS : p->mark,
                                     .n = arrays[k].n,
                                     .x = arrays[k].x,
                                     .y = arrays[k].y,
                                     .colour = k,
                                     .low = p->low ? arrays[k].low : NULL,
                                     .high = p->low ? arrays[k].high : NULL,
                                     .label = (const char *const *)arrays[k].label };
    }
    for (int k = 0; p->fit && k < d->ngroups; k++)
        series[n++] = (struct series){ .name = p->by ? NULL : "fitted line",
                                       .mark = MARK_LINE,
                                       .n = arrays[k].n,
                                       .x = arrays[k].x,
                                       .y = arrays[k].fit,
                                       .bare = true,
                                       .colour = p->by ? k : 1 };
    if (p->fit && p->by)
        series[n++] =
            (struct series){ .name = "(points: measured; lines: fitted)", .mark = MARK_POINTS, .faint = true };
    if (more)
        series[n++] = (struct series){ .name = more, .mark = MARK_POINTS, .faint = true };
    const struct chart chart = {
        .title = title,
        .about = about,
        .nseries = n,
        .series = series,
        .diagonal = p->diagonal,
        .level = p->level,
        .level_name = p->level_name,
        .x = { .label = xlabel,
               .log = p->log_x,
               .low = NAN,
               .high = NAN,
               .category = d->categories ? d->category : NULL,
               .ncategories = d->ncategories },
        .y = { .label = ylabel,
               .log = p->log_y,
               .low = p->mark == MARK_STEPS ? 0 : NAN,
               .high = p->mark == MARK_STEPS ? 100 : NAN },
    };
    char *svg = chart_svg(&chart, id, alone);
    for (int k = 0; k < d->ngroups; k++) {
        arrays_free(&arrays[k]);
        free(name[k]);
    }
    free(about);
    free(more);
    return svg;
}
