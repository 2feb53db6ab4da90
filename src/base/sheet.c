/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in memory. */
#include "base/sheet.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/output.h"
#include "base/textout_digits.h"

static const char none[] = "-";

void sheet_begin(struct sheet *s, const char *header)
{
    char *copy = xstrdup(header), *rest = copy, *name;

    if (s->ncolumns)
        bug("the sheet has columns already");
    while ((name = strsep(&rest, "\t"))) {
        s->column = xrealloc(s->column, (unsigned long)(s->ncolumns + 1) * sizeof *s->column);
        s->column[s->ncolumns++] = xstrdup(name);
    }
    s->number = xmalloc((unsigned long)s->ncolumns * sizeof *s->number);
    for (int i = 0; i < s->ncolumns; i++)
        s->number[i] = true;
    free(copy);
}

long sheet_add(struct sheet *s)
{
    const long row = s->nrows++;

    if (!(row & (row - 1))) { /* room doubles at powers of two */
        const unsigned long room = row ? 2 * (unsigned long)row : 1;
        s->cell = xrealloc(s->cell, room * sizeof *s->cell);
        s->line = xrealloc(s->line, room * sizeof *s->line);
    }
    s->line[row] = 0;
    s->cell[row] = xmalloc((unsigned long)s->ncolumns * sizeof *s->cell[row]);
    for (int i = 0; i < s->ncolumns; i++)
        s->cell[row][i] = xstrdup(none);
    return row;
}

int sheet_column(const struct sheet *s, const char *name)
{
    for (int i = 0; i < s->ncolumns; i++)
        if (strcmp(s->column[i], name) == 0)
            return i;
    return -1;
}

static int column_of(const struct sheet *s, const char *name)
{
    const int i = sheet_column(s, name);

    if (i < 0)
        bug("the sheet%s%s has no column \"%s\"", *s->name ? " " : "", s->name, name);
    return i;
}

static bool is_number(const char *text)
{
    double value;

    return strcmp(text, none) == 0 || parse_real(text, -INFINITY, INFINITY, &value) == 0;
}

static void put(struct sheet *s, long row, int column, const char *text)
{
    free(s->cell[row][column]);
    s->cell[row][column] = xstrdup(*text ? text : none);
    if (!is_number(s->cell[row][column]))
        s->number[column] = false;
}

void sheet_begin_like(struct sheet *s, const struct sheet *other)
{
    struct strlist names = { other->ncolumns, other->column };
    char *header = strlist_join(&names, "\t");

    sheet_begin(s, header);
    free(header);
}

void sheet_copy_row(struct sheet *s, const struct sheet *from, long row)
{
    const long at = sheet_add(s);

    for (int i = 0; i < s->ncolumns; i++)
        put(s, at, i, from->cell[row][i]);
}

void sheet_set(struct sheet *s, long row, const char *column, const char *text)
{
    put(s, row, column_of(s, column), text);
}

void sheet_set_real(struct sheet *s, long row, const char *column, double value, int significant)
{
    put(s, row, column_of(s, column), textout_digits(value, significant).text);
}

void sheet_set_int(struct sheet *s, long row, const char *column, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    put(s, row, column_of(s, column), text);
}

const char *sheet_text(const struct sheet *s, long row, const char *column)
{
    const char *text = s->cell[row][column_of(s, column)];

    return strcmp(text, none) == 0 ? "" : text;
}

double sheet_real(const struct sheet *s, long row, const char *column)
{
    double value;

    return parse_real(sheet_text(s, row, column), -INFINITY, INFINITY, &value) == 0 ? value : NAN;
}

void sheet_free(struct sheet *s)
{
    for (long row = 0; row < s->nrows; row++) {
        for (int i = 0; i < s->ncolumns; i++)
            free(s->cell[row][i]);
        free(s->cell[row]);
    }
    for (int i = 0; i < s->ncolumns; i++)
        free(s->column[i]);
    free(s->column);
    free(s->number);
    free(s->cell);
    free(s->line);
    strlist_free(&s->notes);
    *s = (struct sheet){ 0 };
}

/* ---- files ---- */

/* Checks that the columns are those of the expected header. */
static int check_columns(const struct sheet *s, const char *path, const char *header, char why[ERRLEN])
{
    struct sheet expected = { 0 };
    int status = 0;

    sheet_begin(&expected, header);
    for (int i = 0; status == 0 && i < expected.ncolumns; i++)
        if (sheet_column(s, expected.column[i]) < 0)
            status = fail(why, "%s:1: missing column \"%s\"", path, expected.column[i]);
    for (int i = 0; status == 0 && i < s->ncolumns; i++) {
        if (sheet_column(&expected, s->column[i]) < 0)
            status = fail(why, "%s:1: unknown column \"%s\"", path, s->column[i]);
        else if (sheet_column(s, s->column[i]) != i)
            status = fail(why, "%s:1: two columns are named \"%s\"", path, s->column[i]);
    }
    sheet_free(&expected);
    return status;
}

static int read_row(struct sheet *s, const char *path, long line, char *text, char why[ERRLEN])
{
    const long row = sheet_add(s);
    char *rest = text, *cell;
    int n = 0;

    s->line[row] = line;
    for (; (cell = strsep(&rest, "\t")); n++)
        if (n < s->ncolumns)
            put(s, row, n, cell);
    if (n != s->ncolumns)
        return fail(why, "%s:%ld: %s, but the header has %s", path, line, counted(n, "cell").text,
                    counted(s->ncolumns, "column").text);
    return 0;
}

int sheet_read(struct sheet *s, const char *path, const char *header, char why[ERRLEN])
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    long line = 0;
    int status = 0;

    *s = (struct sheet){ 0 };
    snprintf(s->name, sizeof s->name, "%s", path);
    if (!file)
        return fail(why, "cannot open %s:", path);
    errno = 0;
    for (ssize_t n; status == 0 && (n = getline(&text, &room, file)) >= 0;) {
        line++;
        if (memchr(text, 0, (size_t)n))
            status = fail(why, "%s:%ld: not text: a zero byte", path, line);
        text[strcspn(text, "\r\n")] = 0;
        if (status != 0 || !*text || *text == '#')
            continue;
        if (s->ncolumns > 0)
            status = read_row(s, path, line, text, why);
        else {
            sheet_begin(s, text);
            status = check_columns(s, path, header, why);
        }
    }
    if (status == 0 && ferror(file))
        status = fail(why, "cannot read %s:", path);
    if (status == 0 && s->ncolumns == 0)
        status = fail(why, "%s: empty; expected a header row", path);
    free(text);
    fclose(file);
    if (status != 0)
        sheet_free(s);
    return status;
}

/* Returns the sheet as tab-separated text (malloc'd). */
static char *text_of(const struct sheet *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        die("out of memory while writing a table");
    for (int i = 0; i < s->ncolumns; i++)
        fprintf(file, "%s%c", s->column[i], i + 1 < s->ncolumns ? '\t' : '\n');
    for (long row = 0; row < s->nrows; row++)
        for (int i = 0; i < s->ncolumns; i++)
            fprintf(file, "%s%c", s->cell[row][i], i + 1 < s->ncolumns ? '\t' : '\n');
    for (int i = 0; i < s->notes.n; i++)
        fprintf(file, "# %s\n", s->notes.v[i]);
    if (fclose(file) != 0)
        die("out of memory while writing a table");
    return text;
}

int sheet_write(const struct sheet *s, const char *path, char why[ERRLEN])
{
    char *text = text_of(s);
    const int status = output_write(path, text, why);

    free(text);
    return status;
}
