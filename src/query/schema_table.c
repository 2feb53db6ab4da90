/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of all tables, one per row; the elements of an array are one row. */
#include "query/schema_table.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "table/textout.h"

static const struct column columns[] = {
    TEXT_COLUMN("table", "name of the table"),
    TEXT_COLUMN("column", "name of the column; of an array: those of its elements"),
    TEXT_COLUMN("type", "TEXT, INTEGER or REAL"),
    TEXT_COLUMN("unit", "unit of its values"),
    TEXT_COLUMN("about", "what they mean"),
    COLUMNS_END,
};

static void put_column(struct table *out, const struct sql_table *t, const struct sql_column *c, int elements)
{
    char *name =
        elements > 1 ? xasprintf("%s ... %s", c[0].name, strrchr(c[elements - 1].name, '_')) : xstrdup(c->name);

    table_put_text(out, "table", t->name);
    table_put_text(out, "column", name);
    table_put_text(out, "type", sql_type(c));
    table_put_text(out, "unit", sql_column_unit(c));
    table_put_text(out, "about", sql_column_about(c));
    table_row_end(out);
    free(name);
}

/* Prints the rows of each table of an archive: "a.h5: kind run; rows 45153, matrices 138". */
static void note_archive(const struct catalog *k, int i, struct table *out)
{
    struct archive *a = k->archive[i];
    struct strlist tables = { 0 };
    char name[64], why[ERRLEN];
    int64_t rows;

    for (int t = 0; archive_table(a, t, name, &rows, why) == 0; t++) {
        char *one = xasprintf("%s %" PRId64, name, rows);
        strlist_add(&tables, one);
        free(one);
    }
    char *list = strlist_join(&tables, ", ");
    table_note(out, "%s: kind %s; rows of %s", k->path[i], archive_kind(a), list);
    free(list);
    strlist_free(&tables);
}

void schema_print(const struct catalog *k, bool json)
{
    struct table *out = textout_begin(json, columns);

    for (int i = 0; i < k->ntables; i++) {
        const struct sql_table *t = &k->table[i];
        for (int c = 0, n; c < t->ncolumns && t->there; c += n) {
            for (n = 1; c + n < t->ncolumns && t->column[c].of && t->column[c + n].of == t->column[c].of;)
                n++;
            put_column(out, t, &t->column[c], n);
        }
    }
    for (int i = 0; i < k->narchives; i++)
        note_archive(k, i, out);
    table_note(
        out,
        "functions besides SQLite's: geomean(x), quantile(x, q), median(x), matches(kernel, config, asked, selection)");
    table_note(
        out,
        "names that are words of SQL, such as \"group\" and \"index\", are written in double quotes, texts in single quotes");
    textout_end(out);
}
