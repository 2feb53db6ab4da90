/* SPDX-License-Identifier: BSD-3-Clause */
/* Table rows as JSON. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/schema.h"
#include "base/strings.h"
#include "base/utf8.h"

enum { NUMBER = 40 };
static const int64_t EXACT = INT64_C(1) << 53; /* largest integer that a JSON number (a double) represents exactly */

/* 17 digits of a double and 9 of a float round-trip exactly. Infinities become strings, missing values null. */
static void print_number(const struct column *c, const char *member, int i, char text[NUMBER])
{
    if (c->type == COLUMN_I64) {
        int64_t v = ((const int64_t *)(const void *)member)[i];
        snprintf(text, NUMBER, v == INT64_MIN ? "null" : v > EXACT || v < -EXACT ? "\"%" PRId64 "\"" : "%" PRId64, v);
        return;
    }
    double v = c->type == COLUMN_F64 ? ((const double *)(const void *)member)[i]
                                     : (double)((const float *)(const void *)member)[i];
    if (isnan(v))
        snprintf(text, NUMBER, "null");
    else if (isinf(v))
        snprintf(text, NUMBER, v > 0 ? "\"inf\"" : "\"-inf\"");
    else
        snprintf(text, NUMBER, "%.*g", c->type == COLUMN_F64 ? 17 : 9, v);
}

static cJSON *column_to_json(const struct column *c, const void *row)
{
    const char *member = (const char *)row + c->offset;
    char text[NUMBER];
    struct wordtext word;
    cJSON *array;

    if (column_is_text(c))
        return cJSON_CreateString(row_text(c, row, &word));
    if (c->width == 1) {
        print_number(c, member, 0, text);
        return cJSON_CreateRaw(text);
    }
    array = cJSON_CreateArray();
    for (int i = 0; i < c->width; i++) {
        print_number(c, member, i, text);
        cJSON_AddItemToArray(array, cJSON_CreateRaw(text));
    }
    return array;
}

char *row_to_json(const struct schema *schema, const void *row)
{
    cJSON *object = cJSON_CreateObject();

    for (int i = 0; i < schema->ncolumns; i++) {
        const struct column *c = &schema->columns[i];
        cJSON_AddItemToObject(object, c->name, column_to_json(c, row));
    }
    char *text = cJSON_PrintUnformatted(object);
    if (!text)
        die("out of memory while formatting a row of table %s", schema->name);
    utf8_mend(text, strlen(text));
    cJSON_Delete(object);
    return text;
}

static int number_from_json(const struct column *c, const cJSON *item, char *member, int i)
{
    if (cJSON_IsNull(item))
        return 0;
    if (!cJSON_IsNumber(item) && !cJSON_IsString(item))
        return FAIL;
    if (c->type == COLUMN_I64) {
        const double v = item->valuedouble;
        if (cJSON_IsString(item))
            return parse_int(item->valuestring, INT64_MIN + 1, INT64_MAX, &((int64_t *)(void *)member)[i]);
        if (!(fabs(v) <= (double)EXACT) || v != trunc(v))
            return FAIL;
        ((int64_t *)(void *)member)[i] = (int64_t)v;
    } else {
        double v = item->valuedouble;
        if (cJSON_IsString(item) && parse_real(item->valuestring, -INFINITY, INFINITY, &v))
            return FAIL;
        if (c->type == COLUMN_F64)
            ((double *)(void *)member)[i] = v;
        else
            ((float *)(void *)member)[i] = (float)v;
    }
    return 0;
}

static int column_from_json(const struct column *c, const cJSON *item, void *row)
{
    char *member = (char *)row + c->offset;

    if (column_is_text(c))
        return cJSON_IsString(item) ? row_set_text(c, row, item->valuestring, strlen(item->valuestring)) : FAIL;
    if (c->width == 1)
        return number_from_json(c, item, member, 0);
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != c->width)
        return FAIL;
    item = item->child;
    for (int i = 0; i < c->width; i++, item = item->next)
        if (number_from_json(c, item, member, i))
            return FAIL;
    return 0;
}

int row_from_json(const struct schema *schema, const char *json, void *row, char why[ERRLEN])
{
    cJSON *object = cJSON_ParseWithOpts(json, NULL, true);
    int status = 0;

    row_blank(schema, row);
    if (!cJSON_IsObject(object))
        status = fail(why, "table %s: expected a JSON object, found '%.40s'", schema->name, json);
    for (int i = 0; i < schema->ncolumns && !status; i++) {
        const struct column *c = &schema->columns[i];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, c->name);
        if (item && column_from_json(c, item, row))
            status = fail(why, "table %s, column %s: value has the wrong type or length", schema->name, c->name);
    }
    cJSON_Delete(object);
    return status;
}
