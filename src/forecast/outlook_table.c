/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of an outlook in tables (outlook_table.h). */
#include "forecast/outlook_table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/terminal.h"
#include "formats/format.h"

const struct column outlook_table_columns[] = {
#define OF_TARGET(line) line
#define DERIVED(line) line
#define RANKING_TEXT(name, about, value) TEXT_COLUMN(#name, about),
#define RANKING_WHOLE(name, about, value) INT_COLUMN(#name, "", about),
#define RANKING_US(name, about, value) REAL_COLUMN(#name "_us", "us", about),
#define RANKING_REAL(name, member, unit, digits, about, value) REAL_COLUMN(#name, unit, about),
#define RANKING_COUNT(name, member, about, value) INT_COLUMN(#name, "", about),
#define RANKING_NAME(name, names, type, about, value) TEXT_COLUMN(#name, about),
#include "forecast/ranking_row.def"
    COLUMNS_END,
};

static void put_count(struct table *out, const char *column, double n)
{
    if (isnan(n))
        table_put_none(out, column);
    else
        table_put_int(out, column, (int64_t)fmin(n, 9e18));
}

static void put_whole(struct table *out, const char *column, int n) { put_count(out, column, n ? (double)n : NAN); }

void outlook_table_cells(struct table *out, const struct outlook *o, const struct outlook_row *r)
{
#define OF_TARGET(line) line
#define DERIVED(line) line
#define RANKING_TEXT(name, about, value) table_put_text(out, #name, value);
#define RANKING_WHOLE(name, about, value) put_whole(out, #name, value);
#define RANKING_US(name, about, value) table_put_us(out, #name "_us", (value)*1e6, 4);
#define RANKING_REAL(name, member, unit, digits, about, value) table_put_real(out, #name, value, digits);
#define RANKING_COUNT(name, member, about, value) put_count(out, #name, value);
#define RANKING_NAME(name, names, type, about, value) table_put_text(out, #name, names(value));
#include "forecast/ranking_row.def"
}

static void put_cell(struct table *out, const char *column, const struct outlook *o, const struct outlook_row *r)
{
#define CELL(name, put)              \
    if (strcmp(column, name) == 0) { \
        put;                         \
        return;                      \
    }
#define RANKING_TEXT(name, about, value) CELL(#name, table_put_text(out, column, value))
#define RANKING_WHOLE(name, about, value) CELL(#name, put_whole(out, column, value))
#define RANKING_US(name, about, value) CELL(#name "_us", table_put_us(out, column, (value)*1e6, 4))
#define RANKING_REAL(name, member, unit, digits, about, value) CELL(#name, table_put_real(out, column, value, digits))
#define RANKING_COUNT(name, member, about, value) CELL(#name, put_count(out, column, value))
#define RANKING_NAME(name, names, type, about, value) CELL(#name, table_put_text(out, column, names(value)))
#include "forecast/ranking_row.def"
#undef CELL
    bug("a ranking has no column \"%s\" that can be a cell", column);
}

void outlook_table_some(struct table *out, const struct outlook *o, const struct outlook_row *r, const char *columns)
{
    char *copy = xstrdup(columns), *rest = copy, *column;
    while ((column = strsep(&rest, " ")))
        put_cell(out, column, o, r);
    free(copy);
}

/* Adds the field `column` to the JSON object; r NULL: it has no value. */
static void put_field(struct table *out, const char *column, const struct outlook *o, const struct outlook_row *r)
{
#define NOT_PRINTED(line) line
#define FIELD(name, put)             \
    if (strcmp(column, name) == 0) { \
        put;                         \
        return;                      \
    }
#define RANKING_TEXT(name, about, value) FIELD(#name, textout_field_text(out, column, r ? value : NULL))
#define RANKING_WHOLE(name, about, value) \
    FIELD(#name, r ? textout_field_int(out, column, value) : textout_field_real(out, column, NAN))
#define RANKING_US(name, about, value) FIELD(#name "_us", textout_field_real(out, column, r ? (value)*1e6 : NAN))
#define RANKING_REAL(name, member, unit, digits, about, value) RANKING_COUNT(name, member, about, value)
#define RANKING_COUNT(name, member, about, value) FIELD(#name, textout_field_real(out, column, r ? value : NAN))
#define RANKING_NAME(name, names, type, about, value) RANKING_TEXT(name, about, names(value))
#include "forecast/ranking_row.def"
#undef FIELD
    bug("a ranking has no column \"%s\" that can be a field", column);
}

void outlook_table_fields(struct table *out, const struct outlook *o, const struct outlook_row *r, const char *columns)
{
    char *copy = xstrdup(columns), *rest = copy, *column;
    while ((column = strsep(&rest, " ")))
        put_field(out, column, o, r);
    free(copy);
}

char *outlook_table_help(void)
{
    char *text = xstrdup("");
    for (const struct column *c = outlook_table_columns; c->name; c++) {
        if (c->type == COLUMN_TEXT)
            continue;
        char *first = xasprintf("  %-24s ", c->name),
             *lines = text_wrapped(c->about, first, "                           ", 80, WRAP_WORDS),
             *longer = xasprintf("%s%s", text, lines);
        free(first);
        free(lines);
        free(text);
        text = longer;
    }
    return text;
}
