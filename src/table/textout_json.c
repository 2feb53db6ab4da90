/* SPDX-License-Identifier: BSD-3-Clause */
/* A table as JSON: {"columns": [...], "rows": [{...}], "notes": [...]} and further lists of objects. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/printable.h"
#include "table/textout.h"
#include "table/textout_inside.h"

/* Formats with 15 digits, or 17 if needed to restore the value; "null" if it is not finite. */
static struct digits json_number(double value)
{
    struct digits d;

    snprintf(d.text, sizeof d.text, isfinite(value) ? "%.15g" : "null", value);
    if (isfinite(value) && strtod(d.text, NULL) != value)
        snprintf(d.text, sizeof d.text, "%.17g", value);
    return d;
}

/* ---- objects beside the rows ---- */

void textout_object(struct table *t, const char *list)
{
    struct textout *p = t->printer;

    if (!p)
        return;
    if (p->within || t->filled)
        bug("list \"%s\": an object within a row or another object", list);
    p->within = true;
    if (!p->json)
        return;
    p->lists = p->lists ? p->lists : cJSON_CreateObject();
    cJSON *array = cJSON_GetObjectItemCaseSensitive(p->lists, list);
    array = array ? array : cJSON_AddArrayToObject(p->lists, list);
    p->object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, p->object))
        die("out of memory while formatting JSON");
}

static void field(struct table *t, const char *name, const char *value, bool number)
{
    struct textout *p = t->printer;

    if (!p)
        return;
    if (!p->within)
        bug("field \"%s\" outside an object", name);
    if (p->json
        && !(number ? cJSON_AddRawToObject(p->object, name, value) : cJSON_AddStringToObject(p->object, name, value)))
        die("out of memory while formatting JSON");
}

void textout_field_text(struct table *t, const char *name, const char *value)
{
    field(t, name, value ? value : "null", !value);
}

void textout_field_target(struct table *t, const struct target *target)
{
    textout_field_text(t, "precision", precision_name(target->precision));
    textout_field_text(t, "cache", cache_name(target->cache));
    textout_field_text(t, "launch", launch_name(target->launch));
}

void textout_field_int(struct table *t, const char *name, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    field(t, name, text, true);
}

void textout_field_real(struct table *t, const char *name, double value)
{
    field(t, name, json_number(value).text, true);
}

void textout_object_end(struct table *t)
{
    struct textout *p = t->printer;

    if (!p)
        return;
    if (!p->within)
        bug("textout_object_end without textout_object");
    p->within = false;
    p->object = NULL;
}

/* ---- the whole ---- */

static cJSON *json_cell(const struct table_cell *c, enum column_type type, bool null_texts)
{
    char whole[32];

    if (type == COLUMN_TEXT && (c->known || !null_texts))
        return cJSON_CreateString(c->known ? c->text : "");
    if (!c->known)
        return cJSON_CreateNull();
    if (type != COLUMN_I64)
        return cJSON_CreateRaw(json_number(c->real).text);
    snprintf(whole, sizeof whole, "%" PRId64, c->integer);
    return cJSON_CreateRaw(whole);
}

void textout_null_texts(struct table *t) { t->printer->null_texts = true; }

char *textout_to_json(struct table *t)
{
    cJSON *object = cJSON_CreateObject(), *columns = cJSON_AddArrayToObject(object, "columns");
    cJSON *rows = cJSON_AddArrayToObject(object, "rows"), *notes = cJSON_AddArrayToObject(object, "notes");
    struct textout *p = t->printer;

    for (int i = 0; i < t->ncolumns; i++)
        cJSON_AddItemToArray(columns, cJSON_CreateString(t->column[i].name));
    for (long row = 0; row < t->nrows; row++) {
        cJSON *one = cJSON_CreateObject();
        for (int i = 0; i < t->ncolumns; i++)
            cJSON_AddItemToObject(one, t->column[i].name,
                                  json_cell(&t->cell[row][i], t->column[i].type, p->null_texts));
        cJSON_AddItemToArray(rows, one);
    }
    for (int k = 0; k < t->nnotes; k++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(t->note[k].text));
    for (cJSON *list; p->lists && (list = p->lists->child);)
        cJSON_AddItemToObject(object, list->string, cJSON_DetachItemViaPointer(p->lists, list));
    cJSON_Delete(p->lists);
    p->lists = NULL;
    char *text = printable_json(object);
    cJSON_Delete(object);
    return text;
}
