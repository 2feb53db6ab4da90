/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on stdout: TSV with a header row if stdout is a file or a pipe, aligned columns that fit the width on a terminal, JSON (an
 * object with columns, rows and notes) on request. Text may hold any bytes (base/utf8.h). Notes (which profile, footers)
 * are lines that start with "# ". Every write error is fatal (textout_end).
 * To add a column: add its name to the header, and a call with its name and value at the same position in the row. A value
 * whose name is not the next column of the header, and a row with a missing or surplus value, are bugs of ours (bug()). */
#ifndef SPMVCAST_BASE_TEXTOUT_H
#define SPMVCAST_BASE_TEXTOUT_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
struct textout;
struct strlist;
/* header: column names separated by '\t', each once; numeric columns get right-aligned */
struct textout *textout_begin(bool json, const char *header);
/* The columns that a terminal shows unless --columns says otherwise: names of the header, separated by blanks. TSV and JSON have all
 * columns. Call before the first flush or the end. */
void textout_view(struct textout *, const char *columns);
/* Aligned for a reader, not TSV or JSON? */
bool textout_on_terminal(const struct textout *);
/* A shorter form of this column's text (malloc'd), used on a terminal that is too narrow for the whole text. */
void textout_shorter(struct textout *, const char *column, char *(*shorter)(const char *));
/* For tables that are printed row by row: the width of this column on a terminal, if it is not narrower. Longer text is shortened. */
void textout_reserve(struct textout *, const char *column, int width);
/* The value of --columns (option_columns), for all tables of the program; empty: not given. */
struct strlist *textout_columns(void);
/* Several ranks write side by side: TSV always (mpirun may give each a terminal of its own), the header row from the
 * first. */
void textout_shared(struct textout *, bool first);
/* "# ..." ; before, between or after rows */
void textout_note(struct textout *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A note that answers the user's question in clauses, separated by "; ". On a terminal each clause begins a line. */
void textout_answer(struct textout *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The next cell; column: its name in the header. */
void textout_text(struct textout *, const char *column, const char *value); /* "" and NULL print "-" (JSON "") */
void textout_int(struct textout *, const char *column, int64_t value);
/* NaN prints "-" (JSON null); never an exponent between 1e-3 and 1e7 */
void textout_real(struct textout *, const char *column, double value, int significant);
/* Digits that are a number as they stand. */
void textout_number(struct textout *, const char *column, const char *digits);
/* A time: below zero, which noise can make of a quantile, it is not known. */
void textout_us(struct textout *, const char *column, double value, int significant);
void textout_none(struct textout *, const char *column); /* a number that is not known: as NaN */
/* Columns of several kinds by one function: those that follow, up to the row's end or the next prefix, are named prefix
 * and name ("near_" and "cases"). The text must live as long. */
void textout_prefix(struct textout *, const char *prefix);
/* The same digits for a note: textout_digits(us, 4).text within a call's arguments. */
struct digits {
    char text[40];
};
struct digits textout_digits(double value, int significant);
void textout_row_end(struct textout *);
/* Between rows, for programs that read JSON: an object more in the array `list` beside the rows, with fields of its own
 * (NULL: null). Tables show nothing of it: a note or a column says the same. */
void textout_object(struct textout *, const char *list);
void textout_field_text(struct textout *, const char *name, const char *value);
void textout_field_int(struct textout *, const char *name, int64_t value);
void textout_field_real(struct textout *, const char *name, double value);
void textout_object_end(struct textout *);
/* The header row now (on a terminal: at the next flush), not with the first row: where closing notes may follow no row
 * at all. */
void textout_head(struct textout *);
void textout_flush_rows(struct textout *); /* stream what is there (long runs: TSV only) */
void textout_free(struct textout *);       /* of what is not printed in the end */
/* Prints what is left, frees; dies on a write error. EPIPE is not an error; output is discarded. */
void textout_end(struct textout *);
#endif
