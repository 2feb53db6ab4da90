/* SPDX-License-Identifier: BSD-3-Clause */
/* A table in memory: typed columns, rows of values, notes. Computed by programs or read from a tab-separated file (table/tsv.h);
 * printed by table/textout.h, drawn and shown by room page. A value keeps all its digits; how many are printed is kept beside it.
 * To add a column: add it to the array of columns, and a call with its name and value at the same position in the row. A value whose
 * name is not the next column, or whose type is not that of its column, and a row with a missing or surplus value, are internal errors
 * (bug()). */
#ifndef SPMVCAST_TABLE_TABLE_H
#define SPMVCAST_TABLE_TABLE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/strings.h"
#include "base/textout_digits.h"
#include "table/column.h"

struct table_cell {
    bool known; /* false: no value */
    int digits; /* significant digits of a real, as printed; negative: at most so many, without zeros at the end */
    union {
        int64_t integer;
        double real;
        char *text;
    };
};

enum note_kind {
    NOTE_PLAIN,
    NOTE_ANSWER, /* answers the user's question in clauses, separated by "; "; on a terminal each begins a line */
    NOTE_LEGEND  /* says what columns mean, by their printed names; pages have names of their own and leave it out */
};
struct note {
    long row; /* it stands before this row */
    enum note_kind kind;
    char *text; /* without "# " */
};

struct table {
    int ncolumns;
    struct column *column; /* copies of the caller's; names, units and meanings are the table's own */
    long nrows;
    struct table_cell **cell; /* [nrows][ncolumns] */
    int nnotes;
    struct note *note;
    /* of a table read from a file (table/tsv.h) */
    long *line;     /* [nrows] */
    bool *number;   /* [ncolumns]: every cell is a number or "-", although the type of the column is TEXT */
    char name[160]; /* of the file, for messages; "": not from a file */
    /* while a row is filled in the order of the columns */
    int filled;
    const char *prefix;
    struct textout *printer; /* NULL: the table stays in memory */
};                           /* all zero: empty */

/* Sets the columns of an empty table: distinct names, ending with COLUMNS_END. */
void table_begin(struct table *, const struct column *);
/* Sets the columns of an empty table to those of another. */
void table_begin_like(struct table *, const struct table *);
/* Returns the columns of up to three lists (NULL: none) as one (malloc'd). */
struct column *columns_joined(const struct column *, const struct column *, const struct column *);
/* Returns a copy of the list (malloc'd) whose column i has another name, which must outlive it. */
struct column *columns_renamed(const struct column *, int i, const char *name);
void table_add_column(struct table *, const struct column *); /* of a table without rows */
void table_free(struct table *);

/* ---- filling a row in the order of the columns; column: its name */
void table_put_text(struct table *, const char *column, const char *value); /* NULL: no value; "" prints as none */
void table_put_target(struct table *, int64_t precision, int64_t cache);    /* columns "precision" and "cache" */
void table_put_int(struct table *, const char *column, int64_t value);
void table_put_real(struct table *, const char *column, double value, int digits); /* NaN: no value */
void table_put_us(struct table *, const char *column, double value,
                  int digits); /* a time; negative (noise): no value */
void table_put_none(struct table *, const char *column);
/* Sets a prefix for the names of the following cells, until the end of the row or the next prefix: "near_" and "cases" make
 * "near_cases". The text must remain valid until then. */
void table_prefix(struct table *, const char *prefix);
void table_row_end(struct table *);

/* ---- filling cells in any order */
long table_add(struct table *); /* adds a row without values; returns its number */
void table_set(struct table *, long row, const char *column, const char *text);
/* columns "precision", "cache" and "launch" */
void table_set_target(struct table *, long row, int64_t precision, int64_t cache, int64_t launch);
void table_set_real(struct table *, long row, const char *column, double value, int digits);
void table_set_int(struct table *, long row, const char *column, int64_t value);
void table_unset(struct table *, long row, const char *column); /* no value */
/* Adds a copy of a row of a table with the same columns; returns its number. */
long table_copy_row(struct table *, const struct table *from, long row);
/* Sets a cell to one of another table whose column has the same type. */
void table_copy_cell(struct table *, long row, const char *column, const struct table *from, long from_row,
                     const char *from_column);

/* ---- notes: stand before the next row, or at the end */
void table_note(struct table *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "WHAT: ITEM" for each of the first 10 items, and the number of the others. */
void table_note_list(struct table *, const char *what, const struct strlist *);
void table_answer(struct table *, const char *fmt, ...) PRINTF_LIKE(2, 3); /* NOTE_ANSWER */
void table_legend(struct table *, const char *fmt, ...) PRINTF_LIKE(2, 3); /* NOTE_LEGEND */
void table_copy_notes(struct table *, const struct table *from);           /* all but legends */

/* ---- reading; bug() if the column does not exist or has another type */
int table_column(const struct table *, const char *name);                   /* its index, or -1 */
const char *table_text(const struct table *, long row, const char *column); /* "": no value */
double table_real(const struct table *, long row, const char *column);      /* also of an I64 column; NaN: no value */
struct digits table_number(const struct table *, long row, const char *column); /* as printed; "" for no value */
/* Is the cell this text, or this number as printed? */
bool table_is(const struct table *, long row, const char *column, const char *text);
bool table_numeric(const struct table *, int column);       /* holds numbers, so is right-aligned */
bool table_has(const struct table *, long row, int column); /* a value that is not "" */
/* Returns the cell as printed, with unprintable bytes escaped (malloc'd); "-": no value or "". */
char *table_shown(const struct table *, long row, int column);

/* Writes rows and notes as tab-separated text, atomically. FAIL: why. */
int table_write(const struct table *, const char *path, char why[ERRLEN]);
#endif
