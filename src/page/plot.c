/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts of tables. Rows become points (struct dot); points become series by the value of column `by`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/plot_inside.h"
#include "table/tsv.h"

/* ---- rows ---- */

/* A number of a computed table, or of a file (table/tsv.h); NaN: a word. */
static double real_at(const struct table *s, long row, const char *column)
{
    return s->column[table_column(s, column)].type == COLUMN_TEXT ? tsv_real(s, row, column)
                                                                  : table_real(s, row, column);
}

static double number_at(const struct table *s, long row, const char *column, bool log)
{
    const double value = column ? real_at(s, row, column) : 0;

    return isfinite(value) && (!log || value > 0) ? value : NAN;
}

/* Returns a cell as shown (malloc'd); "": no value. */
static char *text_at(const struct table *s, long row, const char *column)
{
    const int i = table_column(s, column);

    return table_has(s, row, i) ? table_shown(s, row, i) : xstrdup("");
}

static void dot_free(struct dot *o)
{
    free(o->category);
    free(o->group);
}

static void take_rows(struct drawing *d)
{
    const struct plot *p = d->plot;
    const struct table *s = d->table;

    d->dot = xmalloc((unsigned long)(s->nrows + 1) * sizeof *d->dot);
    for (long row = 0; row < s->nrows; row++) {
        struct dot *o = &d->dot[d->n];
        o->row = row;
        o->category = text_at(s, row, p->x);
        o->group = p->by ? text_at(s, row, p->by) : xstrdup("");
        o->x = d->categories ? (*o->category ? 0 : NAN) : number_at(s, row, p->x, p->log_x);
        o->y = number_at(s, row, p->y, p->log_y);
        o->fit = p->fit ? number_at(s, row, p->fit, p->log_y) : NAN;
        o->low = p->low ? real_at(s, row, p->low) : NAN;
        o->high = p->high ? real_at(s, row, p->high) : NAN;
        if (!isnan(o->x) && !isnan(o->y))
            d->n++;
        else
            dot_free(o);
    }
}

static int nothing(const struct drawing *d, char why[ERRLEN])
{
    const struct plot *p = d->plot;
    const char *where = *d->table->name ? d->table->name : "the table";

    if (d->table->nrows == 0)
        return fail(why, "nothing to draw: %s has no rows", where);
    return fail(why, "nothing to draw: no row of %s has %s in column%s \"%s\"%s%s%s", where,
                p->log_x || p->log_y ? "numbers, positive ones on a logarithmic axis," : "numbers", p->y ? "s" : "",
                p->x, p->y ? " and \"" : "", p->y ? p->y : "", p->y ? "\"" : "");
}

/* ---- groups and categories ---- */

static void take_groups(struct drawing *d)
{
    struct strlist more = { 0 };

    for (long i = 0; i < d->n; i++) {
        const char *group = d->dot[i].group;
        if (plot_group(d, group) >= 0)
            continue;
        if (d->ngroups < MAX_SERIES)
            d->group[d->ngroups++] = group;
        else
            strlist_add_once(&more, group);
    }
    d->left_out = more.n;
    strlist_free(&more);
}

static void drop_left_out(struct drawing *d)
{
    long kept = 0;

    for (long i = 0; i < d->n; i++)
        if (plot_group(d, d->dot[i].group) >= 0)
            d->dot[kept++] = d->dot[i];
        else
            dot_free(&d->dot[i]);
    d->n = kept;
}

/* A category with what it is sorted by: its largest y. */
struct sorted {
    const char *text;
    double height;
    long first;
};

static int by_name(const void *a, const void *b)
{
    const struct sorted *s = a, *t = b;
    const int order = strcmp(s->text, t->text);

    return order ? order : s->first < t->first ? -1 : s->first > t->first;
}
static int by_first(const void *a, const void *b)
{
    const struct sorted *s = a, *t = b;

    return s->first < t->first ? -1 : s->first > t->first;
}
static int by_height(const void *a, const void *b)
{
    const struct sorted *s = a, *t = b;

    return s->height < t->height ? -1 : s->height > t->height ? 1 : by_first(a, b);
}

static int find_name(const void *key, const void *element)
{
    return strcmp(((const struct sorted *)key)->text, ((const struct sorted *)element)->text);
}

/* Sets category[] and the x of each dot. */
static void take_categories(struct drawing *d)
{
    struct sorted *s = xmalloc((unsigned long)(d->n + 1) * sizeof *s);
    long n = 0;

    for (long i = 0; i < d->n; i++)
        s[i] = (struct sorted){ d->dot[i].category, d->dot[i].y, i };
    qsort(s, (size_t)d->n, sizeof *s, by_name);
    for (long i = 0; i < d->n; i++)
        if (n > 0 && strcmp(s[n - 1].text, s[i].text) == 0)
            s[n - 1].height = fmax(s[n - 1].height, s[i].height);
        else
            s[n++] = s[i];
    qsort(s, (size_t)n, sizeof *s, d->plot->sort ? by_height : by_first);
    d->category = xmalloc((unsigned long)(n + 1) * sizeof *d->category);
    d->ncategories = n;
    for (long i = 0; i < n; i++) {
        const long place = d->plot->sort < 0 ? n - 1 - i : i;
        d->category[place] = s[i].text;
        s[i].first = place;
    }
    qsort(s, (size_t)n, sizeof *s, by_name);
    for (long i = 0; i < d->n; i++) {
        const struct sorted key = { d->dot[i].category, 0, 0 };
        const struct sorted *found = bsearch(&key, s, (size_t)n, sizeof *s, find_name);
        d->dot[i].x = found ? (double)found->first : NAN;
    }
    free(s);
}

/* Two bars at one place would hide each other. */
static int bars_are_apart(const struct drawing *d, char why[ERRLEN])
{
    const long n = d->ncategories * d->ngroups;
    long *at = xcalloc((unsigned long)n + 1, sizeof *at);
    int status = 0;

    for (long i = 0; status == 0 && i < d->n; i++) {
        const struct dot *o = &d->dot[i];
        long *place = &at[(long)o->x * d->ngroups + plot_group(d, o->group)];
        if (*place)
            status = fail(why, "two bars at %s=%s%s%s%s%s: rows %ld and %ld of the table", d->plot->x, o->category,
                          d->plot->by ? ", " : "", d->plot->by ? d->plot->by : "", d->plot->by ? "=" : "", o->group,
                          *place, o->row + 1);
        *place = o->row + 1;
    }
    free(at);
    return status;
}

/* Lines join the dots from left to right. */
static int by_place(const void *a, const void *b)
{
    const struct dot *s = a, *t = b;

    return s->x < t->x ? -1 : s->x > t->x ? 1 : s->row < t->row ? -1 : s->row > t->row;
}

static int columns_exist(const struct table *s, const struct plot *p, char why[ERRLEN])
{
    const char *const columns[] = { p->x, p->y, p->by, p->low, p->high, p->fit };

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i] && table_column(s, columns[i]) < 0)
            return fail(why, "%s%sno column \"%s\" to draw", s->name, *s->name ? ": " : "", columns[i]);
    return 0;
}

/* Words that contradict the kind of the column of x. */
static int fits_axis(const struct drawing *d, char why[ERRLEN])
{
    const struct plot *p = d->plot;

    if (d->categories && (p->mark == MARK_STEPS || p->diagonal || p->log_x))
        return fail(why, "column \"%s\" holds text, but %s needs numbers", p->x,
                    p->mark == MARK_STEPS ? "steps"
                    : p->diagonal         ? "diagonal"
                                          : "log=x");
    if (!d->categories && p->sort)
        return fail(why, "sort= needs categories, but column \"%s\" holds numbers", p->x);
    return 0;
}

char *plot_svg(const struct table *s, const char *words, const char *title, const char *xlabel, const char *ylabel,
               const char *id, bool alone, char why[ERRLEN])
{
    struct plot p;
    struct drawing d = { .table = s, .plot = &p };
    char *svg = NULL;

    if (plot_parse(&p, words, why) != 0)
        return NULL;
    if (columns_exist(s, &p, why) != 0)
        goto out;
    d.categories = p.mark == MARK_BARS || !table_numeric(s, table_column(s, p.x));
    if (fits_axis(&d, why) != 0)
        goto out;
    take_rows(&d);
    if (d.n == 0) {
        nothing(&d, why);
        goto out;
    }
    take_groups(&d);
    drop_left_out(&d);
    if (d.categories)
        take_categories(&d);
    else if (p.mark == MARK_LINE)
        qsort(d.dot, (size_t)d.n, sizeof *d.dot, by_place);
    if (p.mark != MARK_BARS || bars_are_apart(&d, why) == 0)
        svg = plot_draw(&d, title, xlabel, ylabel, id, alone);
out:
    for (long i = 0; i < d.n; i++)
        dot_free(&d.dot[i]);
    free(d.dot);
    free(d.category);
    plot_free(&p);
    return svg;
}
