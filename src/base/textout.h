/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on stdout: TSV with a header row if stdout is a file or a pipe, aligned columns that fit the width on a terminal, JSON (an
 * object with columns, rows and notes) on request. Text may hold any bytes (base/utf8.h). Notes (which profile, footers)
 * are lines that start with "# ". Every write error is fatal (textout_end).
 * To add a column: add its name to the header, and a call with its name and value at the same position in the row. A value
 * whose name is not the next column of the header, and a row with a missing or surplus value, are internal errors (bug()). */
#ifndef SPMVCAST_BASE_TEXTOUT_H
#define SPMVCAST_BASE_TEXTOUT_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/textout_digits.h"
struct textout;
struct strlist;
struct sheet;
/* header: distinct column names separated by '\t'; numeric columns are right-aligned */
struct textout *textout_begin(bool json, const char *header);
/* The next table goes into this empty sheet (base/sheet.h) instead of stdout, as TSV with all columns; NULL: to stdout again.
 * textout_end does that, too. For pages, which show what the programs print. */
void textout_divert(struct sheet *);
/* The columns that a terminal shows unless --columns says otherwise: names of the header, separated by blanks. TSV and JSON have all
 * columns. Call before the first flush or the end. */
void textout_view(struct textout *, const char *columns);
/* Returns whether the table is aligned for a terminal, not TSV or JSON. */
bool textout_on_terminal(const struct textout *);
/* Sets a function that returns a shorter form of this column's text (malloc'd), for terminals too narrow for the full
 * text. */
void textout_shorter(struct textout *, const char *column, char *(*shorter)(const char *));
/* Reserves the width of a column on a terminal, for tables that are printed row by row. Longer text is shortened. */
void textout_reserve(struct textout *, const char *column, int width);
/* The value of --columns (option_columns), which applies to all tables of the program; empty if not given. */
struct strlist *textout_columns(void);
/* For tables written by several ranks: always TSV (mpirun may give each rank its own terminal), with the header row
 * from the first rank. */
void textout_shared(struct textout *, bool first);
/* Prints "# ..." before, between or after rows. */
void textout_note(struct textout *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A note that answers the user's question in clauses, separated by "; ". On a terminal each clause begins a line. */
void textout_answer(struct textout *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds the next cell; column: its name in the header. */
void textout_text(struct textout *, const char *column, const char *value); /* "" and NULL print "-" (JSON "") */
void textout_int(struct textout *, const char *column, int64_t value);
/* NaN prints "-" (JSON null). Values from 1e-3 to 1e7 are printed without an exponent. */
void textout_real(struct textout *, const char *column, double value, int significant);
/* Adds a number given as text. */
void textout_number(struct textout *, const char *column, const char *digits);
/* Adds a time; negative values, which noise can cause, print as unknown. */
void textout_us(struct textout *, const char *column, double value, int significant);
void textout_none(struct textout *, const char *column); /* an unknown number, as NaN */
/* Sets a prefix for the names of the following cells, until the end of the row or the next prefix: "near_" and
 * "cases" make "near_cases". The text must remain valid until then. */
void textout_prefix(struct textout *, const char *prefix);
void textout_row_end(struct textout *);
/* Adds an object with its own fields (NULL: null) to the JSON array `list`, between rows. Tables do not show it; a
 * note or a column has the same information. */
void textout_object(struct textout *, const char *list);
void textout_field_text(struct textout *, const char *name, const char *value);
void textout_field_int(struct textout *, const char *name, int64_t value);
void textout_field_real(struct textout *, const char *name, double value);
void textout_object_end(struct textout *);
/* Prints the header row now (on a terminal at the next flush) instead of with the first row, for tables that may have
 * notes but no rows. */
void textout_head(struct textout *);
void textout_flush_rows(struct textout *); /* prints the rows so far, for long runs; no effect on JSON */
void textout_free(struct textout *);       /* discards the table */
/* Prints the rest and frees the table; dies on a write error. EPIPE is not an error; output is discarded. */
void textout_end(struct textout *);
#endif
