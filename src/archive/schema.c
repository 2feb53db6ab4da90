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

void row_blank(const struct schema *schema, void *row)
{
    memset(row, 0, schema->row_bytes);
    for (const struct column *c = schema->columns; c < schema->columns + schema->ncolumns; c++) {
        char *member = (char *)row + c->offset;
        for (int i = 0; i < c->width && c->type != COLUMN_TEXT; i++)
            if (c->type == COLUMN_I64)
                ((int64_t *)(void *)member)[i] = INT64_MIN;
            else if (c->type == COLUMN_F64)
                ((double *)(void *)member)[i] = NAN;
            else
                ((float *)(void *)member)[i] = NAN;
    }
}
