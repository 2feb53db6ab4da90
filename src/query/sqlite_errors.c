/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of SQLite as messages: with the position in the statement, the name that was meant, and the limit that was reached. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "query/sqlite_inside.h"

char *statement_place(const struct session *s, int offset)
{
    int line = 1, column = 1;

    if (offset < 0)
        return xstrdup(s->q->name);
    for (const char *c = s->q->sql; *c && c < s->q->sql + offset; c++) {
        column += ((unsigned char)*c & 0xC0) != 0x80; /* characters, not bytes */
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    return xasprintf("%s:%d:%d", s->q->name, line, column);
}

/* Returns what follows `start` in the message, up to a blank and without quotes; NULL: the message does not begin so. */
static char *name_after(const char *message, const char *start)
{
    const size_t n = strlen(start);

    if (strncmp(message, start, n) != 0)
        return NULL;
    const size_t quote = message[n] == '"';
    return xasprintf("%.*s", (int)strcspn(message + n + quote, quote ? "\"" : " "), message + n + quote);
}

static const char *after_dot(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Returns "; did you mean WORD?" or "" (malloc'd). */
static char *did_you_mean(const char *name, const struct strlist *known)
{
    char *list = strlist_join(known, "|");
    const char *near = nearest_word(name, list);

    free(list);
    return near ? xasprintf("; did you mean %s?", near) : xstrdup("");
}

static char *about_table(const struct catalog *k, const char *name)
{
    const struct sql_table *t = catalog_table(k, name);
    struct strlist known = { 0 };

    if (t && t->there)
        return xstrdup("");
    if (t)
        return xasprintf("; %s it (archives of kind %s may have it)",
                         k->narchives == 1 ? "the archive lacks" : "all archives lack", t->kinds);
    for (int i = 0; i < k->ntables; i++)
        if (k->table[i].there)
            strlist_add(&known, k->table[i].name);
    char *text = did_you_mean(name, &known);
    strlist_free(&known);
    return text;
}

/* The tables that have the column; else, a near name among the columns of tables that the statement names, or of all. */
static char *about_column(const struct session *s, const char *name)
{
    const struct catalog *k = &s->q->catalog;
    struct strlist owners = { 0 }, named = { 0 }, known = { 0 };
    char *quoted = xasprintf("\"%s\"", name), *text;

    for (int i = 0; i < k->ntables; i++) {
        const struct sql_table *t = &k->table[i];
        if (t->there && sql_column_find(t, name))
            strlist_add(&owners, t->name);
        for (int c = 0; c < t->ncolumns && t->there; c++)
            strlist_add_once(strcasestr(s->q->sql, t->name) ? &named : &known, t->column[c].name);
    }
    char *list = strlist_join(&owners, ", ");
    if (owners.n > 0)
        text = xasprintf("; it is a column of %s", list);
    else if (strstr(s->q->sql, quoted))
        text = xasprintf("; a text is written in single quotes: '%s'", name);
    else {
        text = did_you_mean(name, &named);
        if (!*text) {
            free(text);
            text = did_you_mean(name, &known);
        }
    }
    free(list);
    free(quoted);
    strlist_free(&owners);
    strlist_free(&named);
    strlist_free(&known);
    return text;
}

static char *about_function(const char *name)
{
    const char *near = nearest_word(name, function_names);
    return near ? xasprintf("; did you mean %s?", near) : xstrdup("");
}

/* A statement that begins with another word than SELECT; a column whose name must be quoted, such as group and index. */
static char *about_word(const struct session *s, const char *name, int offset)
{
    const struct catalog *k = &s->q->catalog;
    sqlite3_stmt *statement;
    bool known = false;

    for (int i = 0; i < k->ntables; i++)
        known = known || (k->table[i].there && sql_column_find(&k->table[i], name));
    if (offset == (int)strspn(s->q->sql, " \t\r\n"))
        return xstrdup("; expected SELECT (--schema lists tables and columns)");
    char *sql = xasprintf("SELECT 1 AS %s", known ? name : "x");
    const bool may_be_one = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) == SQLITE_OK;
    if (may_be_one)
        sqlite3_finalize(statement);
    free(sql);
    return may_be_one ? xstrdup("") : xasprintf("; the column is written \"%s\"", name);
}

/* Returns advice on the message (malloc'd). */
static char *advice(const struct session *s, const char *message, int offset)
{
    char *name, *text = NULL, *more;

    if ((name = name_after(message, "no such table: ")))
        text = about_table(&s->q->catalog, after_dot(name));
    else if ((name = name_after(message, "no such column: ")))
        text = about_column(s, after_dot(name));
    if (text) {
        more = xasprintf("%s (--schema lists tables and columns)", text);
        free(text);
        text = more;
    } else if ((name = name_after(message, "no such function: ")))
        text = about_function(name);
    else if ((name = name_after(message, "near ")))
        text = about_word(s, name, offset);
    free(name);
    return text ? text : xstrdup("");
}

char *missing_table(const struct session *s)
{
    char *found = name_after(sqlite3_errmsg(s->db), "no such table: "),
         *name = found ? xstrdup(after_dot(found)) : NULL;

    free(found);
    return name;
}

const char only_select[] = "only SELECT is allowed, over the tables of the archives";

void statement_die(struct session *s)
{
    const int code = sqlite3_errcode(s->db);
#if SQLITE_VERSION_NUMBER >= 3038000
    const int offset = s->filling || s->statement ? -1 : sqlite3_error_offset(s->db);
#else
    const int offset = -1;
#endif
    char *place = statement_place(s, offset);

    if (code == SQLITE_NOMEM)
        die("%s: SQLite needs more than %" PRId64 " MB of memory (--memory-limit)", place, s->q->memory_mb);
    if (code == SQLITE_INTERRUPT)
        die("%s: stopped after %g s (--time-limit)", place, s->q->time_limit_s);
    if (s->denied)
        die_code(EXIT_USAGE, "%s: %s", place, only_select);
    char *message = xstrdup(sqlite3_errmsg(s->db)), *more = advice(s, message, offset);
    die_code(s->statement || s->filling ? EXIT_FAILED : EXIT_USAGE, "%s: %s%s", place, message, more);
}
