/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns: name, type, unit and meaning, of tables in memory (table/table.h) and of C structs (archive/schema.h). */
#ifndef SPMVCAST_TABLE_COLUMN_H
#define SPMVCAST_TABLE_COLUMN_H
#include <stdbool.h>
#include <stddef.h>
#include "base/word.h"

/* In a struct, TEXT is char[width], NUL-terminated, and WORD is int64_t, the number of a text of at most width - 1 bytes (base/word.h);
 * files hold the text. In a table, whole numbers are I64, others F64, and words are TEXT. */
enum column_type { COLUMN_I64, COLUMN_F64, COLUMN_F32, COLUMN_TEXT, COLUMN_WORD };

struct column {
    const char *name, *unit, *about;
    enum column_type type;
    /* Of structs only: where the member is; TEXT: bytes of the array; F32/F64/I64: elements (1: scalar; more: an array [n][width]) */
    size_t offset;
    int width;
    const struct wordlist *words; /* of WORD */
};

/* Returns whether files hold the column as text. */
static inline bool column_is_text(const struct column *c) { return c->type == COLUMN_TEXT || c->type == COLUMN_WORD; }

/* Initializers of the columns of a table; an array of columns ends with COLUMNS_END. */
#define TEXT_COLUMN(name, about)                 \
    {                                            \
        name, "", about, COLUMN_TEXT, 0, 0, NULL \
    }
#define INT_COLUMN(name, unit, about)             \
    {                                             \
        name, unit, about, COLUMN_I64, 0, 0, NULL \
    }
#define REAL_COLUMN(name, unit, about)            \
    {                                             \
        name, unit, about, COLUMN_F64, 0, 0, NULL \
    }
#define COLUMNS_END                               \
    {                                             \
        NULL, NULL, NULL, COLUMN_TEXT, 0, 0, NULL \
    }
#endif
