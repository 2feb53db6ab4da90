/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of table rows: texts, and the values of missing columns. */
#include "archive/schema.h"
#include <math.h>
#include <string.h>

void text_set(char *to, size_t bytes, const char *text, const char *what)
{
    size_t length = strlen(text);

    if (length >= bytes)
        bug("%s: '%s' does not fit into %zu bytes", what, text, bytes);
    memcpy(to, text, length + 1);
}

void row_blank_column(const struct column *c, void *row)
{
    char *member = (char *)row + c->offset;

    if (c->type == COLUMN_WORD)
        *(int64_t *)(void *)member = WORD_NONE;
    for (int i = 0; i < c->width && !column_is_text(c); i++)
        if (c->type == COLUMN_I64)
            ((int64_t *)(void *)member)[i] = INT64_MIN;
        else if (c->type == COLUMN_F64)
            ((double *)(void *)member)[i] = NAN;
        else
            ((float *)(void *)member)[i] = NAN;
}

void row_blank(const struct schema *schema, void *row)
{
    memset(row, 0, schema->row_bytes);
    for (int i = 0; i < schema->ncolumns; i++)
        row_blank_column(&schema->columns[i], row);
}

const char *row_text(const struct column *c, const void *row, struct wordtext *word)
{
    const char *member = (const char *)row + c->offset;

    if (c->type == COLUMN_TEXT)
        return member;
    *word = word_text(c->words, *(const int64_t *)(const void *)member);
    return word->text;
}

int row_set_text(const struct column *c, void *row, const char *text, size_t n)
{
    char *member = (char *)row + c->offset;
    struct wordtext word = { "" };

    if (n >= (size_t)c->width)
        return -1;
    memcpy(c->type == COLUMN_WORD ? word.text : member, text, n);
    if (c->type == COLUMN_WORD)
        *(int64_t *)(void *)member = word_number(c->words, word.text);
    else
        member[n] = 0;
    return 0;
}
