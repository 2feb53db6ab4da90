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

static void add(struct facts *f, const char *key, char *value, bool text)
{
    f->fact = xrealloc(f->fact, (size_t)(f->n + 1) * sizeof *f->fact);
    f->fact[f->n++] = (struct fact){ xstrdup(key), value, text };
}

void facts_text(struct facts *f, const char *key, const char *value) { add(f, key, xstrdup(value), true); }

void facts_format(struct facts *f, const char *key, const char *fmt, ...)
{
    char *value;
    va_list args;

    va_start(args, fmt);
    const int n = vasprintf(&value, fmt, args);
    va_end(args);
    if (n < 0)
        die("out of memory for the value of %s", key);
    add(f, key, value, true);
}

void facts_int(struct facts *f, const char *key, int64_t value) { add(f, key, xasprintf("%" PRId64, value), false); }

void facts_real(struct facts *f, const char *key, double value)
{
    add(f, key, isfinite(value) ? xasprintf("%.10g", value) : xstrdup(""), false);
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
        if (json && x->text)
            cJSON_AddStringToObject(object, x->key, x->value);
        else if (json)
            cJSON_AddRawToObject(object, x->key, x->value[0] ? x->value : "null");
        else
            print_plain(x->key, x->value, key_width);
    }
    if (!json)
        return;
    char *text = printable_json(object);
    puts(text);
    free(text);
    cJSON_Delete(object);
}

struct textout *facts_begin(const struct facts *f, bool json)
{
    char *header = xstrdup("");
    for (int k = 0; k < f->n; k++) {
        char *longer = xasprintf("%s%s%s", header, k ? "\t" : "", f->fact[k].key);
        free(header);
        header = longer;
    }
    struct textout *out = textout_begin(json, header);
    free(header);
    return out;
}

void facts_row(const struct facts *f, struct textout *out)
{
    for (int k = 0; k < f->n; k++) {
        const struct fact *x = &f->fact[k];
        if (x->text)
            textout_text(out, x->key, x->value);
        else if (x->value[0])
            textout_number(out, x->key, x->value);
        else
            textout_none(out, x->key);
    }
    textout_row_end(out);
}

void facts_free(struct facts *f)
{
    for (int k = 0; k < f->n; k++) {
        free(f->fact[k].key);
        free(f->fact[k].value);
    }
    free(f->fact);
    memset(f, 0, sizeof *f);
}
