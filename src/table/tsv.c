/* SPDX-License-Identifier: BSD-3-Clause */
/* Tab-separated files. */
#include "table/tsv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"

static bool to_number(const char *text, double *value) { return parse_real(text, -INFINITY, INFINITY, value) == 0; }

double tsv_real(const struct table *t, long row, const char *column)
{
    double value;

    return to_number(table_text(t, row, column), &value) ? value : NAN;
}

/* A name that is there twice is found by check_columns, which tells the file. */
static void add_columns(struct strlist *names, const char *header)
{
    char *copy = xstrdup(header), *rest = copy, *name;

    while ((name = strsep(&rest, "\t")))
        strlist_add(names, name);
    free(copy);
}

static void begin(struct table *t, const struct strlist *names)
{
    for (int i = 0; i < names->n; i++)
        table_add_column(t, &(struct column)TEXT_COLUMN(names->v[i], ""));
    t->number = xmalloc((unsigned long)t->ncolumns * sizeof *t->number);
    for (int i = 0; i < t->ncolumns; i++)
        t->number[i] = true;
}

void tsv_begin(struct table *t, const char *header)
{
    struct strlist names = { 0 };

    add_columns(&names, header);
    begin(t, &names);
    strlist_free(&names);
}

/* Checks that the columns are those of the expected header. */
static int check_columns(const struct strlist *names, const char *path, const char *header, char why[ERRLEN])
{
    struct strlist expected = { 0 };
    int status = 0;

    add_columns(&expected, header);
    for (int i = 0; status == 0 && i < expected.n; i++)
        if (!strlist_has(names, expected.v[i]))
            status = fail(why, "%s:1: missing column \"%s\"", path, expected.v[i]);
    for (int i = 0; status == 0 && i < names->n; i++) {
        const struct strlist before = { i, names->v };
        if (!strlist_has(&expected, names->v[i]))
            status = fail(why, "%s:1: unknown column \"%s\"", path, names->v[i]);
        else if (strlist_has(&before, names->v[i]))
            status = fail(why, "%s:1: two columns are named \"%s\"", path, names->v[i]);
    }
    strlist_free(&expected);
    return status;
}

static int read_header(struct table *t, const char *path, const char *text, const char *header, char why[ERRLEN])
{
    struct strlist names = { 0 };

    add_columns(&names, text);
    const int status = check_columns(&names, path, header, why);
    if (status == 0)
        begin(t, &names);
    strlist_free(&names);
    return status;
}

static int read_row(struct table *t, const char *path, long line, char *text, char why[ERRLEN])
{
    const long row = table_add(t);
    char *rest = text, *cell;
    double value;
    int n = 0;

    t->line = xrealloc(t->line, (unsigned long)t->nrows * sizeof *t->line);
    t->line[row] = line;
    for (; (cell = strsep(&rest, "\t")); n++)
        if (n < t->ncolumns && *cell && strcmp(cell, "-") != 0) {
            table_set(t, row, t->column[n].name, cell);
            t->number[n] = t->number[n] && to_number(cell, &value);
        }
    if (n != t->ncolumns)
        return fail(why, "%s:%ld: %s, but the header has %s", path, line, counted(n, "cell").text,
                    counted(t->ncolumns, "column").text);
    return 0;
}

int tsv_read(struct table *t, const char *path, const char *header, char why[ERRLEN])
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    long line = 0;
    int status = 0;

    *t = (struct table){ 0 };
    snprintf(t->name, sizeof t->name, "%s", path);
    if (!file)
        return fail(why, "cannot open %s:", path);
    files_read(path);
    errno = 0;
    for (ssize_t n; status == 0 && (n = getline(&text, &room, file)) >= 0;) {
        line++;
        if (memchr(text, 0, (size_t)n))
            status = fail(why, "%s:%ld: not text: a zero byte", path, line);
        text[strcspn(text, "\r\n")] = 0;
        if (status == 0 && *text && *text != '#')
            status = t->ncolumns > 0 ? read_row(t, path, line, text, why) : read_header(t, path, text, header, why);
    }
    if (status == 0 && !feof(file)) /* or memory is short */
        status = fail(why, "cannot read %s:", path);
    if (status == 0 && t->ncolumns == 0)
        status = fail(why, "%s: empty; expected a header row", path);
    free(text);
    fclose(file);
    if (status != 0)
        table_free(t);
    return status;
}

/* Number of significant digits of a number as written; at least 1. */
static int digits_written(const char *text)
{
    int n = 0;

    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            n++;
    return n > 0 ? n : 1;
}

static int take_cell(struct table *t, long row, const struct column *c, const struct table *from, char why[ERRLEN])
{
    const char *text = table_text(from, row, c->name);
    int64_t whole;
    double real;

    if (!*text)
        return 0;
    if (c->type == COLUMN_TEXT)
        table_set(t, row, c->name, text);
    else if (c->type == COLUMN_I64 && parse_int(text, INT64_MIN, INT64_MAX, &whole) == 0)
        table_set_int(t, row, c->name, whole);
    else if (c->type != COLUMN_I64 && to_number(text, &real))
        table_set_real(t, row, c->name, real, digits_written(text));
    else
        return fail(why, "%s:%ld: column %s: \"%s\" is no number", from->name, from->line[row], c->name, text);
    return 0;
}

int tsv_read_typed(struct table *t, const char *path, const struct column *columns, char why[ERRLEN])
{
    struct strlist names = { 0 };
    struct table text;

    *t = (struct table){ 0 };
    for (const struct column *c = columns; c->name; c++)
        strlist_add(&names, c->name);
    char *header = strlist_join(&names, "\t");
    int status = tsv_read(&text, path, header, why);
    if (status == 0)
        table_begin(t, columns);
    for (long row = 0; status == 0 && row < text.nrows; row++) {
        table_add(t);
        for (const struct column *c = columns; status == 0 && c->name; c++)
            status = take_cell(t, row, c, &text, why);
    }
    if (status != 0)
        table_free(t);
    table_free(&text);
    strlist_free(&names);
    free(header);
    return status;
}
