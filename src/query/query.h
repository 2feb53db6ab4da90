/* SPDX-License-Identifier: BSD-3-Clause */
/* A statement over the tables of archives, run by SQLite: sqlite_*.c; no_sqlite.c replaces them in builds without it. */
#ifndef SPMVCAST_QUERY_QUERY_H
#define SPMVCAST_QUERY_QUERY_H
#include "query/catalog.h"
#include "speed/speed.h"

struct query {
    const char *sql, *name; /* name: for messages, "statement" or the file */
    struct catalog catalog;
    struct speed_choice choice; /* of the contests */
    double time_limit_s;        /* 0: none */
    int64_t memory_mb;          /* of SQLite; 0: no limit */
    int digits;
    bool json;
};

/* Dies if this build has no SQLite, with how to get it. */
void query_check(void);
/* Fills the tables that the statement reads, runs it and prints its rows. Dies with EXIT_USAGE if the statement is not a single valid
 * SELECT, with EXIT_FAILED if it fails or exceeds a limit. */
void query_run(struct query *);
#endif
