/* SPDX-License-Identifier: BSD-3-Clause */
/* A table as JSON: {"columns": [...], "rows": [{...}], "notes": [...]} and further lists of objects. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/printable.h"
#include "base/textout.h"
#include "base/textout_inside.h"

struct digits textout_json_number(double value)
{
    struct digits d;

    snprintf(d.text, sizeof d.text, isfinite(value) ? "%.15g" : "null", value);
    if (isfinite(value) && strtod(d.text, NULL) != value)
        snprintf(d.text, sizeof d.text, "%.17g", value);
    return d;
}

/* ---- objects beside the rows ---- */

void textout_object(struct textout *t, const char *list)
{
    if (t->within || t->filled)
        bug("list \"%s\": an object within a row or another object", list);
    t->within = true;
    if (!t->json)
        return;
    t->lists = t->lists ? t->lists : cJSON_CreateObject();
    cJSON *array = cJSON_GetObjectItemCaseSensitive(t->lists, list);
    array = array ? array : cJSON_AddArrayToObject(t->lists, list);
    t->object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, t->object))
        die("out of memory while formatting JSON");
}

static void field(struct textout *t, const char *name, const char *value, bool number)
{
    if (!t->within)
        bug("field \"%s\" outside an object", name);
    if (t->json
        && !(number ? cJSON_AddRawToObject(t->object, name, value) : cJSON_AddStringToObject(t->object, name, value)))
        die("out of memory while formatting JSON");
}

void textout_field_text(struct textout *t, const char *name, const char *value)
{
    field(t, name, value ? value : "null", !value);
}

void textout_field_int(struct textout *t, const char *name, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    field(t, name, text, true);
}

void textout_field_real(struct textout *t, const char *name, double value)
{
    field(t, name, textout_json_number(value).text, true);
}

void textout_object_end(struct textout *t)
{
    if (!t->within)
        bug("textout_object_end without textout_object");
    t->within = false;
    t->object = NULL;
}

/* ---- the whole ---- */

char *textout_to_json(struct textout *t)
{
    cJSON *object = cJSON_CreateObject(), *columns = cJSON_AddArrayToObject(object, "columns");
    cJSON *rows = cJSON_AddArrayToObject(object, "rows"), *notes = cJSON_AddArrayToObject(object, "notes");

    for (int i = 0; i < t->ncolumns; i++)
        cJSON_AddItemToArray(columns, cJSON_CreateString(t->columns[i]));
    for (long k = 0; k < t->nlines; k++) {
        struct line *l = &t->lines[k];
        if (l->note) {
            cJSON_AddItemToArray(notes, cJSON_CreateString(l->note));
            free(l->note);
            continue;
        }
        cJSON *row = cJSON_CreateObject();
        for (int i = 0; i < t->ncolumns; i++)
            cJSON_AddItemToObject(row, t->columns[i],
                                  l->cells[i].number ? cJSON_CreateRaw(l->cells[i].text)
                                                     : cJSON_CreateString(l->cells[i].text));
        cJSON_AddItemToArray(rows, row);
        textout_cells_free(t, l->cells);
    }
    for (cJSON *list; t->lists && (list = t->lists->child);)
        cJSON_AddItemToObject(object, list->string, cJSON_DetachItemViaPointer(t->lists, list));
    cJSON_Delete(t->lists);
    t->lists = NULL;
    t->nlines = 0;
    char *text = printable_json(object);
    cJSON_Delete(object);
    return text;
}
