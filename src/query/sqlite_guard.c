/* SPDX-License-Identifier: BSD-3-Clause */
/* What a statement may do and use: it reads, within limits of time and memory. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/clock.h"
#include "query/sqlite_inside.h"

/* INSTRUCTIONS of SQLite's machine between two looks at the clock. GRACE: seconds after which an instruction is ended, too. */
enum { INSTRUCTIONS = 10000, GRACE = 2 };

/* Limits of SQLite below its own. LENGTH: bytes of a value and of a row. */
static const struct {
    int id, value;
} limits[] = {
    { SQLITE_LIMIT_LENGTH, 64 << 20 },     { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
    { SQLITE_LIMIT_EXPR_DEPTH, 500 },      { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },     { SQLITE_LIMIT_WORKER_THREADS, 0 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 100 }, { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
};

static void mark_read(const struct catalog *k, const char *table, const char *column)
{
    const struct sql_table *t = catalog_table(k, table);
    struct sql_column *c = t ? sql_column_find(t, column) : NULL;

    if (c)
        c->read = true;
}

void guard_mark_named(struct session *s)
{
    const bool natural = strcasestr(s->q->sql, "natural") != NULL;

    for (int i = 0; i < s->q->catalog.ntables; i++)
        for (int c = 0; c < s->q->catalog.table[i].ncolumns; c++) {
            struct sql_column *column = &s->q->catalog.table[i].column[c];
            column->read = column->read || natural || strcasestr(s->q->sql, column->name);
        }
}

static int authorize(void *session, int action, const char *a, const char *b, const char *database, const char *inner)
{
    struct session *s = session;

    (void)database;
    (void)inner;
    if (s->filling || action == SQLITE_SELECT || action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    if (action == SQLITE_READ) {
        mark_read(&s->q->catalog, a, b);
        return SQLITE_OK;
    }
    if (action == SQLITE_FUNCTION)
        return strcasecmp(b, "load_extension") == 0
                       || strcasecmp(b, "fts3_tokenizer") == 0 /* makes a pointer of bytes */
                   ? SQLITE_DENY
                   : SQLITE_OK;
    s->denied = true;
    return SQLITE_DENY;
}

static int is_late(void *session)
{
    const struct session *s = session;
    return s->deadline_s > 0 && now_s() > s->deadline_s;
}

void guard_begin(struct session *s)
{
    sqlite3_hard_heap_limit64(s->q->memory_mb * 1000000);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(s->db, limits[i].id, limits[i].value);
    /* "x" is a column, never a text: a mistyped column must not become a constant. */
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_set_authorizer(s->db, authorize, s);
}

static char late[128];

static void end(int number)
{
    (void)number;
    const ssize_t unused = write(STDERR_FILENO, late, strlen(late));
    (void)unused;
    _exit(EXIT_FAILED);
}

void guard_start_clock(struct session *s)
{
    if (s->q->time_limit_s > 0) {
        s->deadline_s = now_s() + s->q->time_limit_s;
        snprintf(late, sizeof late, "spmv-query: %.40s: stopped after %g s (--time-limit)\n", s->q->name,
                 s->q->time_limit_s);
        signal(SIGALRM, end); /* of a function that takes long, the handler below knows nothing */
        alarm((unsigned)s->q->time_limit_s + GRACE);
    }
    sqlite3_progress_handler(s->db, INSTRUCTIONS, is_late, s);
}

void guard_stop_clock(void) { alarm(0); }
