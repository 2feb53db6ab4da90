/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of (key, value) in order and its two forms on stdout. */
#include "gen/facts.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"

static void add(struct facts *f, const char *key, char *value, bool text)
{
    f->fact = xrealloc(f->fact, (size_t)(f->n + 1) * sizeof *f->fact);
    f->fact[f->n++] = (struct fact){ xstrdup(key), value, text };
}

void facts_text(struct facts *f, const char *key, const char *value) { add(f, key, xstrdup(value), true); }

void facts_int(struct facts *f, const char *key, int64_t value) { add(f, key, xasprintf("%" PRId64, value), false); }

void facts_real(struct facts *f, const char *key, double value)
{
    add(f, key, isfinite(value) ? xasprintf("%.10g", value) : xstrdup(""), false);
}

static void print_plain(const char *value)
{
    char *shown = printable(value);

    fputs(shown, stdout);
    free(shown);
}

void facts_print(const struct facts *f, bool json)
{
    cJSON *object = json ? cJSON_CreateObject() : NULL;
    for (int k = 0; k < f->n; k++) {
        const struct fact *x = &f->fact[k];
        if (json && x->text)
            cJSON_AddStringToObject(object, x->key, x->value);
        else if (json)
            cJSON_AddRawToObject(object, x->key, x->value[0] ? x->value : "null");
        else {
            printf("%s\t", x->key);
            print_plain(x->value[0] ? x->value : "-");
            putchar('\n');
        }
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
