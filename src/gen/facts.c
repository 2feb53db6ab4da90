/* SPDX-License-Identifier: BSD-3-Clause */
/* An ordered list of (key, value) and its printed forms. */
#include "gen/facts.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/printable.h"
#include "base/terminal.h"

enum { DIGITS = 10 };

static void add(struct facts *f, const char *key, enum column_type type, struct table_cell value)
{
    f->fact = xrealloc(f->fact, (size_t)(f->n + 1) * sizeof *f->fact);
    f->fact[f->n++] = (struct fact){ xstrdup(key), type, value };
}

void facts_text(struct facts *f, const char *key, const char *value)
{
    add(f, key, COLUMN_TEXT, (struct table_cell){ .known = true, .text = xstrdup(value) });
}

void facts_format(struct facts *f, const char *key, const char *fmt, ...)
{
    char *value;
    va_list args;

    va_start(args, fmt);
    const int n = vasprintf(&value, fmt, args);
    va_end(args);
    if (n < 0)
        die("out of memory for the value of %s", key);
    add(f, key, COLUMN_TEXT, (struct table_cell){ .known = true, .text = value });
}

void facts_int(struct facts *f, const char *key, int64_t value)
{
    add(f, key, COLUMN_I64, (struct table_cell){ .known = true, .integer = value });
}

void facts_real(struct facts *f, const char *key, double value)
{
    add(f, key, COLUMN_F64, (struct table_cell){ .known = isfinite(value), .real = value });
}

/* Returns the value as text (malloc'd); "": a number that is not known. */
static char *text_of(const struct fact *x)
{
    if (x->type == COLUMN_TEXT)
        return xstrdup(x->value.text);
    if (x->type == COLUMN_I64)
        return xasprintf("%" PRId64, x->value.integer);
    return x->value.known ? xasprintf("%.*g", DIGITS, x->value.real) : xstrdup("");
}

/* Prints a fact: the key padded to key_width and the value wrapped to the terminal or, if key_width is 0, both on
 * one line, separated by a tab. */
static void print_plain(const char *key, const char *value, int key_width)
{
    char *shown = printable(*value ? value : "-");
    char *first = key_width ? xasprintf("%-*s  ", key_width, key) : xasprintf("%s\t", key);
    char *next = xasprintf("%*s", key_width + 2, "");
    char *lines = key_width
                      ? text_wrapped(shown, first, next, terminal_width(STDOUT_FILENO, TERMINAL_WIDTH), WRAP_WORDS)
                      : xasprintf("%s%s\n", first, shown);

    fputs(lines, stdout);
    free(shown);
    free(first);
    free(next);
    free(lines);
}

void facts_print(const struct facts *f, bool json, bool terminal)
{
    int key_width = 0;
    for (int k = 0; k < f->n && terminal; k++) {
        const int width = text_width(f->fact[k].key);
        key_width = width > key_width ? width : key_width;
    }
    cJSON *object = json ? cJSON_CreateObject() : NULL;
    for (int k = 0; k < f->n; k++) {
        const struct fact *x = &f->fact[k];
        char *value = text_of(x);
        if (json && x->type == COLUMN_TEXT)
            cJSON_AddStringToObject(object, x->key, value);
        else if (json)
            cJSON_AddRawToObject(object, x->key, *value ? value : "null");
        else
            print_plain(x->key, value, key_width);
        free(value);
    }
    if (!json)
        return;
    char *text = printable_json(object);
    puts(text);
    free(text);
    cJSON_Delete(object);
}

struct table *facts_begin(const struct facts *f, const struct column *known, bool json)
{
    struct column *columns = xcalloc((unsigned long)f->n + 1, sizeof *columns);

    for (int k = 0; k < f->n; k++) {
        const struct column *c = known;
        while (c->name && strcmp(c->name, f->fact[k].key) != 0)
            c++;
        if (!c->name)
            bug("fact \"%s\" is not among the known columns", f->fact[k].key);
        columns[k] = *c;
    }
    columns[f->n] = (struct column)COLUMNS_END;
    struct table *out = textout_begin(json, columns);
    free(columns);
    return out;
}

void facts_row(const struct facts *f, struct table *out)
{
    for (int k = 0; k < f->n; k++) {
        const struct fact *x = &f->fact[k];
        if (x->type == COLUMN_TEXT)
            table_put_text(out, x->key, x->value.text);
        else if (x->type == COLUMN_I64)
            table_put_int(out, x->key, x->value.integer);
        else
            table_put_real(out, x->key, x->value.known ? x->value.real : NAN, -DIGITS);
    }
    table_row_end(out);
}

void facts_free(struct facts *f)
{
    for (int k = 0; k < f->n; k++) {
        free(f->fact[k].key);
        if (f->fact[k].type == COLUMN_TEXT)
            free(f->fact[k].value.text);
    }
    free(f->fact);
    memset(f, 0, sizeof *f);
}
