/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables in SQLite: created from the schemas, and filled with what the statement reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "query/sqlite_inside.h"

static void execute(struct session *s, const char *sql)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        statement_die(s);
}

void table_create(struct session *s, struct sql_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(s->db);

    sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"", t->name);
    for (int c = 0; c < t->ncolumns; c++)
        sqlite3_str_appendf(sql, "%s \"%w\" %s", c ? "," : "(", t->column[c].name, sql_type(&t->column[c]));
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    s->filling = true;
    execute(s, text);
    s->filling = false;
    sqlite3_free(text);
    t->read = true;
}

/* Prepares an insert of the columns that are read, in their order; at least one column. */
static sqlite3_stmt *prepare_insert(struct session *s, const struct sql_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(s->db);
    sqlite3_stmt *insert;
    int n = 0;

    sqlite3_str_appendf(sql, "INSERT INTO \"%w\"", t->name);
    for (int c = 0; c < t->ncolumns; c++)
        if (t->column[c].read)
            sqlite3_str_appendf(sql, "%s\"%w\"", n++ ? "," : "(", t->column[c].name);
    for (int i = 0; i < n; i++)
        sqlite3_str_appendall(sql, i ? ",?" : ") VALUES (?");
    sqlite3_str_appendall(sql, n ? ")" : " DEFAULT VALUES");
    char *text = sqlite3_str_finish(sql);
    if (sqlite3_prepare_v2(s->db, text, -1, &insert, NULL) != SQLITE_OK)
        statement_die(s);
    sqlite3_free(text);
    return insert;
}

/* Configurations of older archives gain the keys that their kernels have gained since, as all programs read them; `completed` holds such a
 * text. */
static const char *text_of(const struct sql_column *c, const char *text, char completed[CONFIG_LEN])
{
    if (strcmp(c->name, "config") != 0)
        return text;
    snprintf(completed, CONFIG_LEN, "%s", text);
    config_complete(completed);
    return completed;
}

/* Missing values become NULL: "", INT64_MIN, and NaN, for which SQLite does that itself. */
static void bind_value(sqlite3_stmt *insert, int k, const struct sql_column *c, const char *row)
{
    const char *member = row + c->of->offset;
    char completed[CONFIG_LEN];
    struct wordtext word;
    int64_t i;

    switch (c->of->type) {
    case COLUMN_TEXT:
    case COLUMN_WORD:
        member = text_of(c, row_text(c->of, row, &word), completed);
        if (*member)
            sqlite3_bind_text(insert, k, member, -1, SQLITE_TRANSIENT);
        else
            sqlite3_bind_null(insert, k);
        break;
    case COLUMN_I64:
        i = ((const int64_t *)(const void *)member)[c->element];
        if (i != INT64_MIN)
            sqlite3_bind_int64(insert, k, i);
        else
            sqlite3_bind_null(insert, k);
        break;
    case COLUMN_F64: sqlite3_bind_double(insert, k, ((const double *)(const void *)member)[c->element]); break;
    case COLUMN_F32: sqlite3_bind_double(insert, k, (double)((const float *)(const void *)member)[c->element]); break;
    }
}

static void insert_row(struct session *s, sqlite3_stmt *insert)
{
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
        statement_die(s);
}

static void insert_rows(struct session *s, struct sql_table *t, const char *archive, const char *rows, int64_t n)
{
    sqlite3_stmt *insert = prepare_insert(s, t);

    for (int64_t i = 0; i < n; i++) {
        int k = 0;
        for (int c = 0; c < t->ncolumns; c++) {
            const struct sql_column *column = &t->column[c];
            if (!column->read)
                continue;
            k++;
            if (column->of)
                bind_value(insert, k, column, rows + (size_t)i * t->schema->row_bytes);
            else if (column->element == COLUMN_ARCHIVE)
                sqlite3_bind_text(insert, k, archive, -1, SQLITE_STATIC);
            else
                sqlite3_bind_int64(insert, k, i);
        }
        insert_row(s, insert);
    }
    sqlite3_finalize(insert);
    t->nrows += n;
}

/* Reads the columns that the statement reads, and inserts them. The first column of a table is in all archives and always read: it tells
 * that columns which an older archive lacks are missing, and how many rows there are. */
static void fill_from_archives(struct session *s, struct sql_table *t)
{
    struct column *columns = xcalloc((unsigned long)t->schema->ncolumns, sizeof *columns);
    struct schema part = *t->schema;
    char why[ERRLEN];
    void *rows;
    int64_t n;

    part.columns = columns;
    part.ncolumns = 1;
    columns[0] = t->schema->columns[0];
    for (int c = 0; c < t->ncolumns; c++)
        if (t->column[c].read && t->column[c].of && strcmp(columns[part.ncolumns - 1].name, t->column[c].of->name) != 0)
            columns[part.ncolumns++] = *t->column[c].of;
    for (int i = 0; i < s->q->catalog.narchives; i++) {
        const int status = archive_get_any(s->q->catalog.archive[i], &part, &rows, &n, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        insert_rows(s, t, s->q->catalog.path[i], rows, n);
        free(rows);
    }
    free(columns);
}

static void bind_cell(sqlite3_stmt *insert, int k, const struct table_cell *cell, enum column_type type)
{
    if (!cell->known || (type == COLUMN_TEXT && !*cell->text))
        sqlite3_bind_null(insert, k);
    else if (type == COLUMN_TEXT)
        sqlite3_bind_text(insert, k, cell->text, -1, SQLITE_STATIC);
    else if (type == COLUMN_I64)
        sqlite3_bind_int64(insert, k, cell->integer);
    else
        sqlite3_bind_double(insert, k, cell->real);
}

static void fill_computed(struct session *s, struct sql_table *t)
{
    struct table computed = { 0 };

    contest_tables_fill(&s->contests, t->name, s->q->catalog.narchives, s->q->catalog.archive, &s->q->choice,
                        &computed);
    sqlite3_stmt *insert = prepare_insert(s, t);
    for (long row = 0; row < computed.nrows; row++) {
        for (int c = 0, k = 0; c < t->ncolumns; c++)
            if (t->column[c].read)
                bind_cell(insert, ++k, &computed.cell[row][c], computed.column[c].type);
        insert_row(s, insert);
    }
    sqlite3_finalize(insert);
    t->nrows = computed.nrows;
    table_free(&computed);
}

void tables_fill(struct session *s)
{
    s->filling = true;
    execute(s, "BEGIN");
    for (int i = 0; i < s->q->catalog.ntables; i++) {
        struct sql_table *t = &s->q->catalog.table[i];
        if (t->read && !t->schema)
            fill_computed(s, t);
        else if (t->read)
            fill_from_archives(s, t);
    }
    execute(s, "COMMIT");
    s->filling = false;
}
