/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that a statement can read: those of the archives, from their schemas, and contests and summary, which are
 * computed (contest_tables.h). Text becomes TEXT, int64 INTEGER, floats REAL; an element of an array is a column NAME_0,
 * NAME_1 ... Tables of archives begin with the columns archive (as given) and archive_row (from 0). */
#ifndef SPMVCAST_QUERY_CATALOG_H
#define SPMVCAST_QUERY_CATALOG_H
#include "archive/archive.h"
#include "table/column.h"

struct sql_column {
    char name[64];
    const struct column *of; /* NULL: archive or archive_row */
    int element;             /* of an array */
    bool read;               /* by the statement */
};

struct sql_table {
    const char *name;
    const struct schema *schema; /* of a table of archives; NULL: computed */
    const char *kinds;           /* of archives that have it, for messages */
    bool there;                  /* some archive has it; computed tables: always */
    bool read;                   /* by the statement */
    int ncolumns;
    struct sql_column *column;
    int64_t nrows; /* read from archives, or computed */
};
enum { COLUMN_ARCHIVE, COLUMN_ARCHIVE_ROW, ARCHIVE_COLUMNS }; /* the first columns of tables of archives */

struct catalog {
    int ntables;
    struct sql_table *table;
    int narchives;
    char **path;
    struct archive **archive;
};

/* Opens the archives (paths: n, which must outlive it) and finds their tables; without archives all tables are there. Dies if an
 * archive cannot be opened. */
void catalog_open(struct catalog *, int n, char **path);
void catalog_close(struct catalog *);
/* Return NULL if there is none; names of SQL ignore case. */
struct sql_table *catalog_table(const struct catalog *, const char *name);
struct sql_column *sql_column_find(const struct sql_table *, const char *name);
const char *sql_type(const struct sql_column *); /* TEXT, INTEGER or REAL */
const char *sql_column_unit(const struct sql_column *);
const char *sql_column_about(const struct sql_column *);
#endif
