/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a table are printed, and how they fit a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "base/terminal.h"
#include "base/textout.h"
#include "base/textout_inside.h"

/* GAP: blanks between columns. Text is shortened to READABLE characters before a column is left out, to LEAST if no column
 * can be left out. */
enum { GAP = 2, READABLE = 14, LEAST = 8 };

static struct strlist asked;

struct strlist *textout_columns(void) { return &asked; }

static int find(const struct textout *t, const char *name, size_t length)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (strlen(t->columns[i]) == length && memcmp(t->columns[i], name, length) == 0)
            return i;
    return -1;
}

static _Noreturn void unknown_column(const struct textout *t, const char *name)
{
    struct strlist names = { 0 };
    for (int i = 0; i < t->ncolumns; i++)
        strlist_add(&names, t->columns[i]);
    char *list = strlist_join(&names, "|"), *legal = strlist_join(&names, ",");
    const char *near = nearest_word(name, list);
    usage_die("--columns %s: no such column%s%s%s; expected all or a list of %s", name, near ? " (did you mean '" : "",
              near ? near : "", near ? "'?)" : "", legal);
}

void textout_choose(struct textout *t)
{
    t->nshown = 0;
    t->asked = asked.n > 0;
    if (t->asked && t->json)
        usage_die("--columns and --json are mutually exclusive: JSON has every column");
    if (t->asked && !strlist_has(&asked, "all")) {
        t->shown = xrealloc(t->shown, (unsigned long)(asked.n + t->ncolumns) * sizeof *t->shown);
        for (int k = 0; k < asked.n; k++) {
            const int i = find(t, asked.v[k], strlen(asked.v[k]));
            if (i < 0)
                unknown_column(t, asked.v[k]);
            t->shown[t->nshown++] = i;
        }
        return;
    }
    for (int i = 0; i < t->ncolumns; i++)
        t->shown[t->nshown++] = i;
}

void textout_view(struct textout *t, const char *columns)
{
    if (t->asked || !t->terminal)
        return;
    t->nshown = 0;
    for (size_t n; *columns; columns += n + (columns[n] != 0)) {
        n = strcspn(columns, " ");
        const int i = find(t, columns, n);
        if (i < 0)
            bug("textout_view: no column \"%.*s\"", (int)n, columns);
        t->shown[t->nshown++] = i;
    }
}

static int column_of(const struct textout *t, const char *column)
{
    const int i = find(t, column, strlen(column));
    if (i < 0)
        bug("no column \"%s\"", column);
    return i;
}

void textout_shorter(struct textout *t, const char *column, char *(*shorter)(const char *))
{
    t->shorter[column_of(t, column)] = shorter;
}

void textout_reserve(struct textout *t, const char *column, int width) { t->reserved[column_of(t, column)] = width; }

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

static int head_width(const struct textout *t, const char *name)
{
    const char *at = t->split ? split_at(name) : NULL;
    if (!at)
        return text_width(name);
    const int right = text_width(at + 1), left = (int)(at - name);
    return left > right ? left : right;
}

static int cell_width(const struct textout *t, int column)
{
    int most = t->reserved[column];

    if (most > 0)
        return t->number[column] && t->width[column] > most ? t->width[column] : most;
    if (!t->short_cells || !t->shorter[column])
        return t->width[column];
    for (long l = 0; l < t->nlines; l++)
        if (t->lines[l].cells) {
            char *text = t->shorter[column](t->lines[l].cells[column].text);
            const int width = text_width(text);
            most = width > most ? width : most;
            free(text);
        }
    return most;
}

/* Sets the width of every column and returns the width of a line. */
static int measure(struct textout *t)
{
    int sum = 0;

    for (int k = 0; k < t->nshown; k++) {
        const int head = head_width(t, t->columns[t->shown[k]]), cell = cell_width(t, t->shown[k]);
        t->fit[k] = head > cell ? head : cell;
        sum += t->fit[k] + (k > 0 ? GAP : 0);
    }
    return sum;
}

/* Narrows the widest text columns, to no less than `least`; returns the width of a line. */
static int narrow(struct textout *t, int sum, int least)
{
    while (sum > t->terminal_width) {
        int widest = -1;
        for (int k = 0; k < t->nshown; k++)
            if (!t->number[t->shown[k]] && t->fit[k] > least && t->fit[k] > head_width(t, t->columns[t->shown[k]])
                && (widest < 0 || t->fit[k] > t->fit[widest]))
                widest = k;
        if (widest < 0)
            break;
        t->fit[widest]--;
        sum--;
    }
    return sum;
}

void textout_fit(struct textout *t)
{
    t->fit = xrealloc(t->fit, (unsigned long)(t->nshown + 1) * sizeof *t->fit);
    if (measure(t) > t->terminal_width && !t->headed)
        t->split = true;
    if (measure(t) > t->terminal_width)
        t->short_cells = true;
    while (narrow(t, measure(t), READABLE) > t->terminal_width && t->nshown > 1 && !t->headed && !t->asked) {
        t->nshown--;
        t->dropped++;
    }
    if (t->asked && narrow(t, measure(t), READABLE) > t->terminal_width)
        t->short_cells = false; /* cutting would not make the requested columns fit */
    else
        narrow(t, measure(t), LEAST);
    if (t->asked && !t->short_cells)
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

char *textout_fitted_line(const struct textout *t, const struct cell *cells)
{
    const int last = t->nshown - 1;
    char *line, *lines;
    size_t bytes;
    int width = 0;
    FILE *out = open_text(&line, &bytes);

    for (int k = 0; k < t->nshown; k++) {
        const int column = t->shown[k];
        const bool brief = t->short_cells && t->shorter[column];
        if (k == last && !t->number[column] && !t->shorter[column])
            break; /* wrapped below */
        char *text = brief ? t->shorter[column](cells[column].text) : xstrdup(cells[column].text);
        char *cut = t->number[column] ? xstrdup(text) : text_shortened(text, t->fit[k]);
        put_padded(out, cut, t->fit[k], t->number[column], k == last);
        fputs(k == last ? "\n" : "  ", out);
        width += t->fit[k] + GAP;
        free(text);
        free(cut);
    }
    close_text(out);
    if (t->number[t->shown[last]] || t->shorter[t->shown[last]])
        return line;
    char *indent = xasprintf("%*s", width, "");
    lines = text_wrapped(cells[t->shown[last]].text, line, indent, width + t->fit[last], WRAP_WORDS);
    free(indent);
    free(line);
    return lines;
}

char *textout_fitted_head(const struct textout *t)
{
    char *lines;
    size_t bytes;
    FILE *out = open_text(&lines, &bytes);
    bool any = false;

    for (int k = 0; k < t->nshown; k++)
        any = any || (t->split && split_at(t->columns[t->shown[k]]));
    for (int line = any ? 0 : 1; line < 2; line++) {
        int last = t->nshown - 1; /* the last column with a word on this line */
        while (line == 0 && last > 0 && !(t->split && split_at(t->columns[t->shown[last]])))
            last--;
        for (int k = 0; k <= last; k++) {
            const char *name = t->columns[t->shown[k]], *at = t->split ? split_at(name) : NULL;
            char *part = line == 0 ? xasprintf("%.*s", at ? (int)(at - name) : 0, name) : xstrdup(at ? at + 1 : name);
            put_padded(out, part, t->fit[k], t->number[t->shown[k]], k == last);
            fputs(k == last ? "\n" : "  ", out);
            free(part);
        }
    }
    close_text(out);
    return lines;
}

char *textout_dropped(const struct textout *t)
{
    struct strlist names = { 0 };
    for (int k = 0; k < t->dropped; k++)
        strlist_add(&names, t->columns[t->shown[t->nshown + k]]);
    char *list = strlist_join(&names, ", "), *note = xasprintf("columns that do not fit this terminal: %s", list);
    free(list);
    strlist_free(&names);
    return note;
}
