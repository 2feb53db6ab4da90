/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in memory. */
#include "table/table.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/output.h"
#include "base/printable.h"
#include "base/target.h"
#include "table/table_inside.h"

static const char none[] = "-";

/* ---- columns */

void table_add_column(struct table *t, const struct column *c)
{
    if (t->nrows || t->filled)
        bug("column \"%s\" is added after rows", c->name);
    if (table_column(t, c->name) >= 0)
        bug("two columns are named \"%s\"", c->name);
    t->column = xrealloc(t->column, (unsigned long)(t->ncolumns + 1) * sizeof *t->column);
    t->column[t->ncolumns++] = (struct column){
        .name = xstrdup(c->name), .unit = xstrdup(c->unit), .about = xstrdup(c->about), .type = c->type
    };
}

void table_begin(struct table *t, const struct column *c)
{
    if (t->ncolumns)
        bug("the table has columns already");
    for (; c->name; c++)
        table_add_column(t, c);
    if (t->printer)
        textout_columns_set(t);
}

void table_begin_like(struct table *t, const struct table *other)
{
    if (t->ncolumns)
        bug("the table has columns already");
    for (int i = 0; i < other->ncolumns; i++)
        table_add_column(t, &other->column[i]);
    if (other->number) {
        t->number = xmalloc((unsigned long)t->ncolumns * sizeof *t->number);
        memcpy(t->number, other->number, (unsigned long)t->ncolumns * sizeof *t->number);
    }
}

struct column *columns_joined(const struct column *a, const struct column *b, const struct column *c)
{
    const struct column *const lists[] = { a, b, c };
    struct column *all = NULL;
    unsigned long n = 0;

    for (int i = 0; i < 3; i++)
        for (const struct column *one = lists[i]; one && one->name; one++) {
            all = xrealloc(all, (n + 2) * sizeof *all);
            all[n++] = *one;
        }
    if (n > 0)
        all[n] = (struct column)COLUMNS_END;
    return all;
}

struct column *columns_renamed(const struct column *columns, int i, const char *name)
{
    struct column *copy = columns_joined(columns, NULL, NULL);

    copy[i].name = name;
    return copy;
}

int table_column(const struct table *t, const char *name)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return i;
    return -1;
}

int table_column_of(const struct table *t, const char *name)
{
    const int i = table_column(t, name);

    if (i < 0)
        bug("the table%s%s has no column \"%s\"", *t->name ? " " : "", t->name, name);
    return i;
}

static void expect(const struct table *t, int column, enum column_type type)
{
    static const char *const names[] = { "a whole number", "a number", "a number", "text" };

    if (t->column[column].type != type)
        bug("column \"%s\" holds %s, not %s", t->column[column].name, names[t->column[column].type], names[type]);
}

/* Returns the index of a column of this type. */
static int column_of_type(const struct table *t, const char *name, enum column_type type)
{
    const int i = table_column_of(t, name);

    expect(t, i, type);
    return i;
}

bool table_numeric(const struct table *t, int column)
{
    return t->column[column].type != COLUMN_TEXT || (t->number && t->number[column]);
}

/* ---- rows */

long table_add(struct table *t)
{
    const long row = t->nrows++;

    if (!(row & (row - 1))) /* room doubles at powers of two */
        t->cell = xrealloc(t->cell, (row ? 2 * (unsigned long)row : 1) * sizeof *t->cell);
    t->cell[row] = xcalloc((unsigned long)t->ncolumns, sizeof *t->cell[row]);
    return row;
}

static void set(struct table *t, long row, int column, struct table_cell value)
{
    struct table_cell *c = &t->cell[row][column];

    if (t->column[column].type == COLUMN_TEXT) {
        if (c->known)
            free(c->text);
        value.text = value.known ? xstrdup(value.text) : NULL;
    }
    *c = value;
}

static struct table_cell of_text(const char *text)
{
    return (struct table_cell){ .known = text != NULL, .text = (char *)text };
}
static struct table_cell of_int(int64_t value) { return (struct table_cell){ .known = true, .integer = value }; }
static struct table_cell of_real(double value, int digits)
{
    return (struct table_cell){ .known = !isnan(value), .digits = digits, .real = value };
}

void table_set(struct table *t, long row, const char *column, const char *text)
{
    set(t, row, column_of_type(t, column, COLUMN_TEXT), of_text(text));
}

void table_set_target(struct table *t, long row, int64_t precision, int64_t cache, int64_t launch)
{
    table_set(t, row, "precision", precision_name(precision));
    table_set(t, row, "cache", cache_name(cache));
    table_set(t, row, "launch", launch_name(launch));
}

void table_set_real(struct table *t, long row, const char *column, double value, int digits)
{
    set(t, row, column_of_type(t, column, COLUMN_F64), of_real(value, digits));
}

void table_set_int(struct table *t, long row, const char *column, int64_t value)
{
    set(t, row, column_of_type(t, column, COLUMN_I64), of_int(value));
}

void table_unset(struct table *t, long row, const char *column)
{
    set(t, row, table_column_of(t, column), (struct table_cell){ .known = false });
}

void table_copy_cell(struct table *t, long row, const char *column, const struct table *from, long from_row,
                     const char *from_column)
{
    const int i = table_column_of(from, from_column);

    set(t, row, column_of_type(t, column, from->column[i].type), from->cell[from_row][i]);
}

long table_copy_row(struct table *t, const struct table *from, long row)
{
    const long at = table_add(t);

    for (int i = 0; i < t->ncolumns; i++)
        set(t, at, i, from->cell[row][i]);
    return at;
}

/* ---- rows in the order of the columns */

void table_prefix(struct table *t, const char *prefix) { t->prefix = prefix; }

static void put(struct table *t, const char *column, enum column_type type, struct table_cell value)
{
    const char *prefix = t->prefix ? t->prefix : "";
    const size_t n = strlen(prefix);

    if (t->filled == t->ncolumns)
        bug("column \"%s%s\": the row is complete, \"%s\" was its last column", prefix, column,
            t->column[t->ncolumns - 1].name);
    const int i = t->filled;
    const char *name = t->column[i].name;
    if (strncmp(name, prefix, n) != 0 || strcmp(name + n, column) != 0)
        bug("column \"%s%s\": the next column of the header is \"%s\"", prefix, column, name);
    if (value.known || type == COLUMN_TEXT)
        expect(t, i, type);
    if (i == 0)
        table_add(t);
    t->filled++;
    set(t, t->nrows - 1, i, value);
}

void table_put_text(struct table *t, const char *column, const char *value)
{
    put(t, column, COLUMN_TEXT, of_text(value));
}

void table_put_target(struct table *t, int64_t precision, int64_t cache)
{
    table_put_text(t, "precision", precision_name(precision));
    table_put_text(t, "cache", cache_name(cache));
}

void table_put_int(struct table *t, const char *column, int64_t value) { put(t, column, COLUMN_I64, of_int(value)); }

void table_put_real(struct table *t, const char *column, double value, int digits)
{
    put(t, column, COLUMN_F64, of_real(value, digits));
}

void table_put_us(struct table *t, const char *column, double value, int digits)
{
    table_put_real(t, column, value < 0 ? NAN : value, digits);
}

void table_put_none(struct table *t, const char *column)
{
    put(t, column, COLUMN_F64, (struct table_cell){ .known = false });
}

void table_row_end(struct table *t)
{
    if (t->filled != t->ncolumns)
        bug("a row ends before its column \"%s\"", t->column[t->filled].name);
    t->filled = 0;
    t->prefix = NULL;
    if (t->printer)
        textout_row(t);
}

/* ---- notes */

static void PRINTF_LIKE(3, 0) add_note(struct table *t, enum note_kind kind, const char *fmt, va_list args)
{
    char *text;

    if (t->filled)
        bug("a note within a row");
    if (vasprintf(&text, fmt, args) < 0)
        die("out of memory while formatting a note");
    t->note = xrealloc(t->note, (unsigned long)(t->nnotes + 1) * sizeof *t->note);
    t->note[t->nnotes++] = (struct note){ t->nrows, kind, text };
    if (t->printer)
        textout_row(t);
}

void table_note(struct table *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_note(t, NOTE_PLAIN, fmt, args);
    va_end(args);
}

void table_note_list(struct table *t, const char *what, const struct strlist *items)
{
    enum { NAMED = 10 };

    for (int i = 0; i < items->n && i < NAMED; i++)
        table_note(t, "%s: %s", what, items->v[i]);
    if (items->n > NAMED)
        table_note(t, "%s: %d more", what, items->n - NAMED);
}

void table_answer(struct table *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_note(t, NOTE_ANSWER, fmt, args);
    va_end(args);
}

void table_legend(struct table *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_note(t, NOTE_LEGEND, fmt, args);
    va_end(args);
}

void table_copy_notes(struct table *t, const struct table *from)
{
    for (int i = 0; i < from->nnotes; i++)
        if (from->note[i].kind != NOTE_LEGEND)
            table_note(t, "%s", from->note[i].text);
}

/* ---- reading */

const char *table_text(const struct table *t, long row, const char *column)
{
    const struct table_cell *c = &t->cell[row][column_of_type(t, column, COLUMN_TEXT)];

    return c->known ? c->text : "";
}

double table_real(const struct table *t, long row, const char *column)
{
    const int i = table_column_of(t, column);
    const struct table_cell *c = &t->cell[row][i];

    if (t->column[i].type == COLUMN_I64)
        return c->known ? (double)c->integer : NAN;
    expect(t, i, COLUMN_F64);
    return c->known ? c->real : NAN;
}

/* The digits of a known number. */
static struct digits digits_of(const struct table_cell *c, enum column_type type)
{
    struct digits d;

    if (type == COLUMN_I64)
        snprintf(d.text, sizeof d.text, "%" PRId64, c->integer);
    else if (c->digits < 0)
        snprintf(d.text, sizeof d.text, "%.*g", -c->digits, c->real);
    else
        d = textout_digits(c->real, c->digits);
    return d;
}

struct digits table_number(const struct table *t, long row, const char *column)
{
    const int i = table_column_of(t, column);

    if (t->column[i].type == COLUMN_TEXT)
        bug("column \"%s\" holds text", column);
    return t->cell[row][i].known ? digits_of(&t->cell[row][i], t->column[i].type) : (struct digits){ "" };
}

bool table_is(const struct table *t, long row, const char *column, const char *text)
{
    const bool word = t->column[table_column_of(t, column)].type == COLUMN_TEXT;

    return strcmp(word ? table_text(t, row, column) : table_number(t, row, column).text, text) == 0;
}

bool table_has(const struct table *t, long row, int column)
{
    const struct table_cell *c = &t->cell[row][column];

    return c->known && (t->column[column].type != COLUMN_TEXT || *c->text);
}

char *table_shown(const struct table *t, long row, int column)
{
    const struct table_cell *c = &t->cell[row][column];

    if (!table_has(t, row, column))
        return xstrdup(none);
    return t->column[column].type == COLUMN_TEXT ? printable(c->text)
                                                 : xstrdup(digits_of(c, t->column[column].type).text);
}

/* ---- ends */

void table_drop_rows(struct table *t)
{
    for (long row = 0; row < t->nrows; row++) {
        for (int i = 0; i < t->ncolumns; i++)
            if (t->column[i].type == COLUMN_TEXT && t->cell[row][i].known)
                free(t->cell[row][i].text);
        free(t->cell[row]);
    }
    for (int i = 0; i < t->nnotes; i++)
        free(t->note[i].text);
    t->nrows = 0;
    t->nnotes = 0;
}

void table_free(struct table *t)
{
    table_drop_rows(t);
    for (int i = 0; i < t->ncolumns; i++) {
        free((char *)t->column[i].name);
        free((char *)t->column[i].unit);
        free((char *)t->column[i].about);
    }
    free(t->column);
    free(t->cell);
    free(t->note);
    free(t->line);
    free(t->number);
    *t = (struct table){ 0 };
}

int table_write(const struct table *t, const char *path, char why[ERRLEN])
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        die("out of memory while writing a table");
    for (int i = 0; i < t->ncolumns; i++)
        fprintf(file, "%s%c", t->column[i].name, i + 1 < t->ncolumns ? '\t' : '\n');
    for (long row = 0; row < t->nrows; row++)
        for (int i = 0; i < t->ncolumns; i++) {
            char *shown = table_shown(t, row, i);
            fprintf(file, "%s%c", shown, i + 1 < t->ncolumns ? '\t' : '\n');
            free(shown);
        }
    for (int i = 0; i < t->nnotes; i++)
        fprintf(file, "# %s\n", t->note[i].text);
    fputs("# " OUTPUT_MARK "\n", file);
    if (fclose(file) != 0)
        die("out of memory while writing a table");
    const int status = output_write(path, &output_marked, text, why);
    free(text);
    return status;
}
