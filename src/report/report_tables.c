/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of tables, points of figures (report_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_parts.h"

/* ---- tables */

enum { PAIRS = 8 };
struct pairs {
    int n;
    const char *column[PAIRS], *value[PAIRS];
};

static void take_pairs(struct pairs *p, va_list args)
{
    p->n = 0;
    for (const char *column; (column = va_arg(args, const char *));) {
        if (p->n == PAIRS)
            bug("more than %d columns to compare", PAIRS);
        p->column[p->n] = column;
        p->value[p->n++] = va_arg(args, const char *);
    }
}

static bool matches(const struct table *s, long row, const struct pairs *p)
{
    for (int i = 0; i < p->n; i++)
        if (!table_is(s, row, p->column[i], p->value[i]))
            return false;
    return true;
}

long report_row(const struct table *s, ...)
{
    struct pairs pairs;
    va_list args;

    va_start(args, s);
    take_pairs(&pairs, args);
    va_end(args);
    for (long row = 0; row < s->nrows; row++)
        if (matches(s, row, &pairs))
            return row;
    return -1;
}

void report_part(struct table *to, const struct table *from, long most, const char *more, ...)
{
    struct pairs pairs;
    va_list args;
    long there = 0;

    va_start(args, more);
    take_pairs(&pairs, args);
    va_end(args);
    const bool more_rows = to->ncolumns > 0;
    if (!more_rows)
        table_begin_like(to, from);
    for (long row = 0; row < from->nrows; row++) {
        if (!matches(from, row, &pairs) || there++ >= most)
            continue;
        table_copy_row(to, from, row);
    }
    if (there > most)
        table_note(to, "the first %ld of %s; the others: %s", most, counted(there, "row").text, more);
    if (!more_rows)
        table_copy_notes(to, from);
}

bool report_sampled(int64_t k, int64_t n, int64_t most)
{
    return n <= most || k == 0 || k * most / n != (k - 1) * most / n;
}

/* ---- points */

long points_add(struct points *p, double x, double y, const char *label)
{
    const long i = p->n++;

    if (!(i & (i - 1))) { /* room doubles at powers of two */
        const unsigned long room = i ? 2 * (unsigned long)i : 1;
        double **const column[] = { &p->x, &p->y, &p->x2, &p->low, &p->high };
        for (int k = 0; k < 5; k++)
            *column[k] = xrealloc(*column[k], room * sizeof **column[k]);
        p->label = xrealloc(p->label, room * sizeof *p->label);
    }
    p->x[i] = x;
    p->y[i] = y;
    p->x2[i] = p->low[i] = p->high[i] = NAN;
    p->label[i] = label ? xstrdup(label) : NULL;
    p->labels = p->labels || label;
    return i;
}

void points_interval(struct points *p, double low, double high)
{
    p->low[p->n - 1] = low;
    p->high[p->n - 1] = high;
    p->intervals = true;
}

struct series points_series(const struct points *p, const char *name, enum mark mark, int colour)
{
    return (struct series){ .name = name,
                            .mark = mark,
                            .n = p->n,
                            .x = p->x,
                            .y = p->y,
                            .x2 = mark == MARK_SPANS ? p->x2 : NULL,
                            .low = p->intervals ? p->low : NULL,
                            .high = p->intervals ? p->high : NULL,
                            .label = p->labels ? (const char *const *)p->label : NULL,
                            .colour = colour };
}

void points_free(struct points *p)
{
    for (long i = 0; i < p->n; i++)
        free(p->label[i]);
    free(p->label);
    free(p->x);
    free(p->y);
    free(p->x2);
    free(p->low);
    free(p->high);
    *p = (struct points){ 0 };
}

/* ---- figures */

void report_figure(struct report *r, const struct chart *c, const char *caption, const struct table *behind,
                   const char *columns)
{
    page_figure(r->page, chart_svg(c, page_id(r->page), false), caption, behind, columns);
}

void report_plot(struct report *r, const struct table *s, const char *words, const char *title, const char *xlabel,
                 const char *ylabel, const char *caption, const char *columns)
{
    char why[ERRLEN];
    char *svg = plot_svg(s, words, title, xlabel, ylabel, page_id(r->page), false, why);

    if (svg)
        page_figure(r->page, svg, caption, s, columns);
    else
        page_text(r->page, "%s: nothing to draw (%s).", title, why);
}
