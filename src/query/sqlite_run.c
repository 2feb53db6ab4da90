/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a statement: a database in memory, its one statement, and the result as a table. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/printable.h"
#include "query/sqlite_inside.h"

void query_check(void) {}

static void database_open(struct session *s)
{
    const char *const settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY";

    if (sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK
        || sqlite3_exec(s->db, settings, NULL, NULL, NULL) != SQLITE_OK)
        die("SQLite: %s", s->db ? sqlite3_errmsg(s->db) : "out of memory");
    functions_add(s->db);
    guard_begin(s);
}

/* Prepares the statement again and again and creates the tables that SQLite misses: so only those that it reads exist. */
static sqlite3_stmt *prepare_first(struct session *s, const char **rest)
{
    sqlite3_stmt *first;

    while (sqlite3_prepare_v2(s->db, s->q->sql, -1, &first, rest) != SQLITE_OK) {
        char *name = missing_table(s);
        struct sql_table *t = name ? catalog_table(&s->q->catalog, name) : NULL;
        if (!t || !t->there || t->read)
            statement_die(s);
        table_create(s, t);
        free(name);
    }
    guard_mark_named(s);
    return first;
}

/* A second statement is an error. */
static void prepare(struct session *s)
{
    const char *rest;
    sqlite3_stmt *first = prepare_first(s, &rest), *second;

    if (!first)
        die_code(EXIT_USAGE, "%s: no statement, only blanks and comments", s->q->name);
    rest += strspn(rest, "; \t\r\n");
    const int status = sqlite3_prepare_v2(s->db, rest, -1, &second, NULL);
    if (status != SQLITE_OK || second)
        die_code(EXIT_USAGE, "%s: a second statement; expected one", statement_place(s, (int)(rest - s->q->sql)));
    if (sqlite3_column_count(first) == 0 || !sqlite3_stmt_readonly(first))
        die_code(EXIT_USAGE, "%s: %s", s->q->name, only_select);
    s->statement = first;
}

/* Returns the name of a column, of printable characters on one line; if an earlier column has it, with a number: "n", "n_2". */
static char *column_name(const struct strlist *before, const char *name)
{
    char *line = xstrdup(*name ? name : "column"), *to = line;

    for (const char *c = line; *c; c++)
        if (!isspace((unsigned char)*c) || (to > line && to[-1] != ' '))
            *to++ = isspace((unsigned char)*c) ? ' ' : *c;
    *to = 0;
    char *shown = printable(line), *unique = xstrdup(shown);
    for (int i = 2; strlist_has(before, unique); i++) {
        free(unique);
        unique = xasprintf("%s_%d", shown, i);
    }
    free(line);
    free(shown);
    return unique;
}

/* Returns the digits to print, at most `most`, without zeros at the end: how many digits of a result count is unknown. */
static int digits_needed(double value, int most)
{
    const struct digits d = textout_digits(value, most);
    const size_t whole = strcspn(d.text, "e");
    int n = 0, zeros = 0;

    for (size_t i = 0; i < whole; i++)
        if (d.text[i] >= '0' && d.text[i] <= '9' && (n > 0 || d.text[i] != '0')) {
            n++;
            zeros = d.text[i] == '0' && strchr(d.text, '.') && i > strcspn(d.text, ".") ? zeros + 1 : 0;
        }
    return n > zeros ? n - zeros : 1;
}

/* The rows of the result, which are kept because their types, which may differ between rows, decide those of the columns. */
struct result {
    int ncolumns;
    int64_t n;
    sqlite3_value **value; /* [n * ncolumns] */
};

static void take_rows(struct session *s, struct result *r)
{
    int status;

    r->ncolumns = sqlite3_column_count(s->statement);
    while ((status = sqlite3_step(s->statement)) == SQLITE_ROW) {
        const int64_t at = r->n++ * r->ncolumns;
        if (!((r->n - 1) & (r->n - 2))) /* room doubles at powers of two */
            r->value = xrealloc(r->value, (unsigned long)(2 * r->n * r->ncolumns) * sizeof(sqlite3_value *));
        for (int k = 0; k < r->ncolumns; k++) {
            r->value[at + k] = sqlite3_value_dup(sqlite3_column_value(s->statement, k));
            if (!r->value[at + k])
                die("out of memory for the result (--memory-limit)");
        }
    }
    if (status != SQLITE_DONE)
        statement_die(s);
    guard_stop_clock();
}

/* Text if any row has text, else real if any has a real. */
static enum column_type type_of(const struct session *s, const struct result *r, int k, const char *name)
{
    enum column_type type = COLUMN_I64;

    for (int64_t i = 0; i < r->n; i++)
        switch (sqlite3_value_type(r->value[i * r->ncolumns + k])) {
        case SQLITE_BLOB: die("%s: column %s holds bytes; hex(...) makes them text", s->q->name, name);
        case SQLITE_TEXT: type = COLUMN_TEXT; break;
        case SQLITE_FLOAT: type = type == COLUMN_TEXT ? COLUMN_TEXT : COLUMN_F64; break;
        default: break;
        }
    return type;
}

static void put_value(const struct session *s, struct table *out, const struct column *c, sqlite3_value *v)
{
    const double real = sqlite3_value_double(v);

    if (sqlite3_value_type(v) == SQLITE_NULL)
        table_put_none(out, c->name);
    else if (c->type == COLUMN_TEXT && sqlite3_value_type(v) == SQLITE_FLOAT)
        table_put_text(out, c->name, textout_digits(real, digits_needed(real, s->q->digits)).text);
    else if (c->type == COLUMN_TEXT)
        table_put_text(out, c->name, (const char *)sqlite3_value_text(v));
    else if (c->type == COLUMN_I64)
        table_put_int(out, c->name, sqlite3_value_int64(v));
    else
        table_put_real(out, c->name, real, digits_needed(real, s->q->digits));
}

/* "20 rows; read 45153 rows, 138 matrices of a.h5, b.h5" */
static void note_read(const struct session *s, struct table *out, int64_t n)
{
    enum { NAMED = 4 };
    const struct catalog *k = &s->q->catalog;
    struct strlist tables = { 0 }, archives = { 0 };

    for (int i = 0; i < k->ntables; i++)
        if (k->table[i].read)
            strlist_add_count(&tables, k->table[i].nrows, k->table[i].name);
    for (int i = 0; i < k->narchives; i++)
        strlist_add(&archives, k->path[i]);
    char *of = strlist_join(&tables, ", "), *from = strlist_join(&archives, ", ");
    table_note(out, "%s; read %s of %s", counted(n, "row").text, *of ? of : "nothing",
               k->narchives > NAMED ? counted(k->narchives, "archive").text : from);
    if (s->contests.contests.n > 0)
        contests_note(&s->contests.contests, out);
    strlist_free(&tables);
    strlist_free(&archives);
    free(of);
    free(from);
}

static bool is_config(const char *name)
{
    const size_t n = strlen(name), length = strlen("config");
    return n >= length && strcmp(name + n - length, "config") == 0;
}

/* Sets the columns of the result (malloc'd, with their names, which `names` owns). */
static struct column *columns_of(struct session *s, const struct result *r, struct strlist *names)
{
    struct column *columns = xcalloc((unsigned long)r->ncolumns + 1, sizeof *columns);

    for (int k = 0; k < r->ncolumns; k++) {
        const char *name = sqlite3_column_name(s->statement, k);
        char *unique = column_name(names, name ? name : "");
        strlist_add(names, unique);
        free(unique);
    }
    for (int k = 0; k < r->ncolumns; k++)
        columns[k] =
            (struct column){ .name = names->v[k], .unit = "", .about = "", .type = type_of(s, r, k, names->v[k]) };
    return columns;
}

static void print_result(struct session *s)
{
    struct strlist names = { 0 };
    struct result r = { 0 };

    take_rows(s, &r);
    struct column *columns = columns_of(s, &r, &names);
    struct table *out = textout_begin(s->q->json, columns);
    textout_null_texts(out);
    for (int k = 0; k < r.ncolumns; k++)
        if (is_config(names.v[k]))
            textout_shorter(out, names.v[k], config_brief);
    for (int64_t i = 0; i < r.n; i++) {
        for (int k = 0; k < r.ncolumns; k++) {
            put_value(s, out, &columns[k], r.value[i * r.ncolumns + k]);
            sqlite3_value_free(r.value[i * r.ncolumns + k]);
        }
        table_row_end(out);
    }
    textout_head(out);
    note_read(s, out, r.n);
    textout_end(out);
    free(r.value);
    free(columns);
    strlist_free(&names);
}

void query_run(struct query *q)
{
    struct session s = { .q = q };

    database_open(&s);
    prepare(&s);
    tables_fill(&s);
    guard_start_clock(&s);
    print_result(&s);
    sqlite3_finalize(s.statement);
    sqlite3_close(s.db);
    contest_tables_free(&s.contests);
}
