/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on stdout: TSV with a header row if stdout is a file or a pipe, aligned columns that fit the width on a terminal, JSON (an
 * object with columns, rows and notes) on request. Text may hold any bytes (base/utf8.h). Notes (which profile, footers)
 * are lines that start with "# ". Every write error is fatal (textout_end). Rows and notes are added by the functions of
 * table/table.h. */
#ifndef SPMVCAST_TABLE_TEXTOUT_H
#define SPMVCAST_TABLE_TEXTOUT_H
#include "base/options.h"
#include "base/target.h"
#include "table/table.h"

/* Returns an empty table that is printed: TSV as rows are added, JSON and terminals at the end. Its columns are set once, by
 * table_begin. */
struct table *textout_open(bool json);
struct table *textout_begin(bool json,
                            const struct column *); /* the same with these columns, ending with COLUMNS_END */
/* The columns that a terminal shows unless --columns says otherwise: names separated by blanks. TSV and JSON have all columns. Call
 * before the first flush or the end. */
void textout_view(struct table *, const char *columns);
/* Returns whether the table is aligned for a terminal, not TSV or JSON. */
bool textout_on_terminal(const struct table *);
/* Sets a function that returns a shorter form of this column's text (malloc'd), for terminals too narrow for the full
 * text. */
void textout_shorter(struct table *, const char *column, char *(*shorter)(const char *));
/* On a terminal, lines of rows with this text in this column begin with "*", if the first column leaves room. */
void textout_mark(struct table *, const char *column, const char *text);
/* Reserves the width of a column on a terminal, for tables that are printed row by row. Longer text is shortened. */
void textout_reserve(struct table *, const char *column, int width);
/* --columns, which applies to all tables of the program. */
struct option option_columns(void);
/* For tables written by several ranks: always TSV (mpirun may give each rank its own terminal), with the header row
 * from the first rank. */
void textout_shared(struct table *, bool first);
/* In JSON, a text that is unknown is null instead of "". */
void textout_null_texts(struct table *);
/* Adds an object with its own fields (text NULL: null) to the JSON array `list`, between rows. Tables do not show it; a note or a
 * column has the same information. No effect on tables that are not printed. */
void textout_object(struct table *, const char *list);
void textout_field_text(struct table *, const char *name, const char *value);
void textout_field_target(struct table *, const struct target *); /* fields precision, cache and launch */
void textout_field_int(struct table *, const char *name, int64_t value);
void textout_field_real(struct table *, const char *name, double value);
void textout_object_end(struct table *);
/* Prints the header row now (on a terminal at the next flush) instead of with the first row, for tables that may have
 * notes but no rows. No effect on tables that are not printed. */
void textout_head(struct table *);
void textout_flush_rows(struct table *); /* prints the rows so far, for long runs; no effect on JSON */
void textout_free(struct table *);       /* discards the table */
/* Prints the rest and frees the table; dies on a write error. EPIPE is not an error; output is discarded. */
void textout_end(struct table *);
#endif
