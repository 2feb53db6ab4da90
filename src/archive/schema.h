/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables: arrays of plain C structs described by columns. The same description serves the HDF5 archive (a table is a
 * group, a column a dataset with attributes unit and about), the log of a run (JSON records) and printing. Columns
 * missing from older files read as NaN, INT64_MIN, "" or WORD_NONE. */
#ifndef SPMVCAST_ARCHIVE_SCHEMA_H
#define SPMVCAST_ARCHIVE_SCHEMA_H
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "table/column.h"

struct schema {
    const char *name;
    size_t row_bytes;
    int ncolumns;
    const struct column *columns;
};

/* Initializers of struct column and struct schema: COLUMN_OF(struct run_row, time_us, COLUMN_F64, "us", "median ...") */
#define COLUMN_OF(S, member, type, unit, about)                  \
    {                                                            \
#member, unit, about, type, offsetof(S, member), 1, NULL \
    }
#define COLUMN_TEXT_OF(S, member, about)                                                          \
    {                                                                                             \
#member, "", about, COLUMN_TEXT, offsetof(S, member), (int)sizeof(((S *)0)->member), NULL \
    }
/* list: struct wordlist; bytes: of the longest text, with its NUL */
#define COLUMN_WORD_OF(S, member, list, bytes, about)                        \
    {                                                                        \
#member, "", about, COLUMN_WORD, offsetof(S, member), bytes, &(list) \
    }
#define COLUMN_ARRAY_OF(S, member, type, n, unit, about)         \
    {                                                            \
#member, unit, about, type, offsetof(S, member), n, NULL \
    }
#define SCHEMA_OF(S, name, columns)                                             \
    {                                                                           \
        name, sizeof(S), (int)(sizeof(columns) / sizeof((columns)[0])), columns \
    }

/* Copies text into a TEXT member; calls bug() if it does not fit. */
#define TEXT_SET(member, text) text_set((member), sizeof(member), (text), #member)
void text_set(char *to, size_t bytes, const char *text, const char *what);

/* Sets all columns to missing: NaN, INT64_MIN, "", WORD_NONE. */
void row_blank(const struct schema *, void *row);
void row_blank_column(const struct column *, void *row); /* one of them, of a row of zeros */
/* Returns the text of a TEXT or WORD member; in `word` if it is a WORD. */
const char *row_text(const struct column *, const void *row, struct wordtext *);
/* Sets a TEXT or WORD member to the first n bytes of a text. -1: too long. */
int row_set_text(const struct column *, void *row, const char *text, size_t n);

/* Converts a row to one line of JSON without newline (malloc'd), and back. NaN is null. Unknown keys are ignored. */
char *row_to_json(const struct schema *, const void *row);
int row_from_json(const struct schema *, const char *json, void *row, char why[ERRLEN]);
#endif
