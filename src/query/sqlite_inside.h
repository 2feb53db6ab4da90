/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to sqlite_*.c: a statement in its database. */
#ifndef SPMVCAST_QUERY_SQLITE_INSIDE_H
#define SPMVCAST_QUERY_SQLITE_INSIDE_H
#include <sqlite3.h>
#include "query/contest_tables.h"
#include "query/query.h"

#if SQLITE_VERSION_NUMBER < 3031000
#error "SQLite 3.31 or newer is required; make SQLITE= builds without it"
#endif

struct session {
    struct query *q;
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct contest_tables contests;
    bool filling;      /* our own inserts: everything is allowed */
    bool denied;       /* the authorizer refused something else than a function */
    double deadline_s; /* of now_s; 0: none */
};

/* sqlite_guard.c: sets the limits, and the authorizer, which allows nothing but SELECT and marks columns that are read. */
void guard_begin(struct session *);
/* Marks the columns that the statement names, too. The authorizer sees those of * but not those of joins by USING and NATURAL. */
void guard_mark_named(struct session *);
void guard_start_clock(struct session *);
void guard_stop_clock(void);
/* sqlite_functions.c: adds geomean, quantile, median and matches. */
void functions_add(sqlite3 *);
extern const char function_names[]; /* "a|b", with the usual ones of SQLite, for suggestions */
/* sqlite_fill.c: creates a table, empty, and marks it as read; fills those that are read with the columns that are read. */
void table_create(struct session *, struct sql_table *);
void tables_fill(struct session *);
/* sqlite_errors.c: dies of the last error of SQLite, with position, suggestion and limits. */
NORETURN void statement_die(struct session *);
/* Returns the name of a table that the statement reads, but the database does not have; NULL: that is not the last error
 * (malloc'd). */
char *missing_table(const struct session *);
extern const char only_select[]; /* message */
/* Formats "NAME:line:column" of a byte of the statement; -1: NAME (malloc'd). */
char *statement_place(const struct session *, int offset);
#endif
