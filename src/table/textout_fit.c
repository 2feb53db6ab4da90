/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a table are printed, and how they fit a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "base/terminal.h"
#include "table/textout.h"
#include "table/textout_inside.h"

/* GAP: blanks between columns. Text is shortened to READABLE characters before a column is left out, to LEAST if no column
 * can be left out. */
enum { GAP = 2, READABLE = 14, LEAST = 8 };

static struct strlist asked;

struct option option_columns(void)
{
    return (struct option){ .name = "columns",
                            .type = OPTION_LIST,
                            .value = &asked,
                            .arg = "NAME,...|all",
                            .about = "columns to print; default: all in a pipe or file, a selection on a terminal" };
}

static int find(const struct table *t, const char *name, size_t length)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (strlen(t->column[i].name) == length && memcmp(t->column[i].name, name, length) == 0)
            return i;
    return -1;
}

static _Noreturn void unknown_column(const struct table *t, const char *name)
{
    struct strlist names = { 0 };
    for (int i = 0; i < t->ncolumns; i++)
        strlist_add(&names, t->column[i].name);
    char *list = strlist_join(&names, "|"), *legal = strlist_join(&names, ",");
    const char *near = nearest_word(name, list);
    static char *why; /* stays reachable until the program ends */
    why = xasprintf("--columns %s: no such column%s%s%s; expected all or a list of %s", name,
                    near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", legal);
    free(list);
    free(legal);
    strlist_free(&names);
    usage_die("%s", why);
}

void textout_choose(struct table *t)
{
    struct textout *p = t->printer;

    p->nshown = 0;
    p->asked = asked.n > 0;
    if (p->asked && p->json)
        usage_die("--columns and --json are mutually exclusive: JSON has every column");
    if (p->asked && !strlist_has(&asked, "all")) {
        p->shown = xrealloc(p->shown, (unsigned long)(asked.n + t->ncolumns) * sizeof *p->shown);
        for (int k = 0; k < asked.n; k++) {
            const int i = table_column(t, asked.v[k]);
            if (i < 0)
                unknown_column(t, asked.v[k]);
            p->shown[p->nshown++] = i;
        }
        return;
    }
    for (int i = 0; i < t->ncolumns; i++)
        p->shown[p->nshown++] = i;
}

void textout_view(struct table *t, const char *columns)
{
    struct textout *p = t->printer;

    if (!p || p->asked || !p->terminal)
        return;
    p->nshown = 0;
    for (size_t n; *columns; columns += n + (columns[n] != 0)) {
        n = strcspn(columns, " ");
        const int i = find(t, columns, n);
        if (i < 0)
            bug("textout_view: no column \"%.*s\"", (int)n, columns);
        p->shown[p->nshown++] = i;
    }
}

void textout_shorter(struct table *t, const char *column, char *(*shorter)(const char *))
{
    t->printer->shorter[table_column_of(t, column)] = shorter;
}

void textout_reserve(struct table *t, const char *column, int width)
{
    t->printer->reserved[table_column_of(t, column)] = width;
}

/* ---- widths ---- */

/* Returns the underscore at which splitting a header minimizes the longer half; NULL if there is none. */
static const char *split_at(const char *name)
{
    const char *best = NULL;
    size_t least = strlen(name);

    for (const char *u = strchr(name, '_'); u; u = strchr(u + 1, '_')) {
        const size_t left = (size_t)(u - name), right = strlen(u + 1), most = left > right ? left : right;
        if (most < least) {
            least = most;
            best = u;
        }
    }
    return best;
}

static int head_width(const struct table *t, const char *name)
{
    const struct textout *p = t->printer;
    const char *at = p->split ? split_at(name) : NULL;
    if (!at)
        return text_width(name);
    const int right = text_width(at + 1), left = (int)(at - name);
    return left > right ? left : right;
}

/* Returns a cell in the shorter form of its column (malloc'd). */
static char *shortened(const struct table *t, long row, int column)
{
    char *whole = table_shown(t, row, column), *text = t->printer->shorter[column](whole);

    free(whole);
    return text;
}

static int cell_width(const struct table *t, int column)
{
    const struct textout *p = t->printer;
    int most = p->reserved[column];

    if (most > 0)
        return table_numeric(t, column) && p->width[column] > most ? p->width[column] : most;
    if (!p->short_cells || !p->shorter[column])
        return p->width[column];
    for (long row = 0; row < t->nrows; row++) {
        char *text = shortened(t, row, column);
        const int width = text_width(text);
        most = width > most ? width : most;
        free(text);
    }
    return most;
}

/* Sets the width of every column and returns the width of a line. */
static int measure(const struct table *t)
{
    const struct textout *p = t->printer;
    int sum = 0;

    for (int k = 0; k < p->nshown; k++) {
        const int head = head_width(t, t->column[p->shown[k]].name), cell = cell_width(t, p->shown[k]);
        p->fit[k] = head > cell ? head : cell;
        sum += p->fit[k] + (k > 0 ? GAP : 0);
    }
    return sum;
}

/* Narrows the widest text columns, to no less than `least`; returns the width of a line. */
static int narrow(const struct table *t, int sum, int least)
{
    const struct textout *p = t->printer;
    while (sum > p->terminal_width) {
        int widest = -1;
        for (int k = 0; k < p->nshown; k++)
            if (!table_numeric(t, p->shown[k]) && p->fit[k] > least
                && p->fit[k] > head_width(t, t->column[p->shown[k]].name) && (widest < 0 || p->fit[k] > p->fit[widest]))
                widest = k;
        if (widest < 0)
            break;
        p->fit[widest]--;
        sum--;
    }
    return sum;
}

/* Updates the widths of the widest cells. */
static void widen(struct table *t)
{
    for (long row = 0; row < t->nrows; row++)
        for (int i = 0; i < t->ncolumns; i++) {
            char *text = table_shown(t, row, i);
            const int width = text_width(text);
            if (width > t->printer->width[i])
                t->printer->width[i] = width;
            free(text);
        }
}

void textout_fit(struct table *t)
{
    struct textout *p = t->printer;

    widen(t);
    p->fit = xrealloc(p->fit, (unsigned long)(p->nshown + 1) * sizeof *p->fit);
    if (measure(t) > p->terminal_width && !p->headed)
        p->split = true;
    if (measure(t) > p->terminal_width)
        p->short_cells = true;
    while (narrow(t, measure(t), READABLE) > p->terminal_width && p->nshown > 1 && !p->headed && !p->asked) {
        p->nshown--;
        p->dropped++;
    }
    if (p->asked && narrow(t, measure(t), READABLE) > p->terminal_width)
        p->short_cells = false; /* cutting would not make the requested columns fit */
    else
        narrow(t, measure(t), LEAST);
    if (p->asked && !p->short_cells)
        measure(t);
}

/* ---- text ---- */

static void put_padded(FILE *out, const char *text, int width, bool right, bool last)
{
    const int gap = width - text_width(text);
    fprintf(out, "%*s%s%*s", right && gap > 0 ? gap : 0, "", text, !right && !last && gap > 0 ? gap : 0, "");
}

static FILE *open_text(char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    if (!out)
        die("out of memory while formatting a table");
    return out;
}

static void close_text(FILE *out)
{
    if (fclose(out) != 0)
        die("out of memory while formatting a table");
}

char *textout_fitted_line(const struct table *t, long row)
{
    const struct textout *p = t->printer;
    const int last = p->nshown - 1;
    char *line, *lines;
    size_t bytes;
    int width = 0;
    FILE *out = open_text(&line, &bytes);

    for (int k = 0; k < p->nshown; k++) {
        const int column = p->shown[k];
        const bool number = table_numeric(t, column), brief = p->short_cells && p->shorter[column];
        if (k == last && !number && !p->shorter[column])
            break; /* wrapped below */
        char *text = brief ? shortened(t, row, column) : table_shown(t, row, column);
        char *cut = number ? xstrdup(text) : text_shortened(text, p->fit[k]);
        put_padded(out, cut, p->fit[k], number, k == last);
        fputs(k == last ? "\n" : "  ", out);
        width += p->fit[k] + GAP;
        free(text);
        free(cut);
    }
    close_text(out);
    if (table_numeric(t, p->shown[last]) || p->shorter[p->shown[last]])
        return line;
    char *indent = xasprintf("%*s", width, ""), *text = table_shown(t, row, p->shown[last]);
    lines = text_wrapped(text, line, indent, width + p->fit[last], WRAP_WORDS);
    free(text);
    free(indent);
    free(line);
    return lines;
}

char *textout_fitted_head(const struct table *t)
{
    const struct textout *p = t->printer;
    char *lines;
    size_t bytes;
    FILE *out = open_text(&lines, &bytes);
    bool any = false;

    for (int k = 0; k < p->nshown; k++)
        any = any || (p->split && split_at(t->column[p->shown[k]].name));
    for (int line = any ? 0 : 1; line < 2; line++) {
        int last = p->nshown - 1; /* the last column with a word on this line */
        while (line == 0 && last > 0 && !(p->split && split_at(t->column[p->shown[last]].name)))
            last--;
        for (int k = 0; k <= last; k++) {
            const char *name = t->column[p->shown[k]].name, *at = p->split ? split_at(name) : NULL;
            char *part = line == 0 ? xasprintf("%.*s", at ? (int)(at - name) : 0, name) : xstrdup(at ? at + 1 : name);
            put_padded(out, part, p->fit[k], table_numeric(t, p->shown[k]), k == last);
            fputs(k == last ? "\n" : "  ", out);
            free(part);
        }
    }
    close_text(out);
    return lines;
}

char *textout_dropped(const struct table *t)
{
    const struct textout *p = t->printer;
    struct strlist names = { 0 };
    for (int k = 0; k < p->dropped; k++)
        strlist_add(&names, t->column[p->shown[p->nshown + k]].name);
    char *list = strlist_join(&names, ", "), *note = xasprintf("columns that do not fit this terminal: %s", list);
    free(list);
    strlist_free(&names);
    return note;
}
