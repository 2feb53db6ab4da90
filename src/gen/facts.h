/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of (key, value) in order. It is printed as key<TAB>value lines, aligned and wrapped on a terminal, or as
 * one JSON object on one line. */
#ifndef SPMVCAST_GEN_FACTS_H
#define SPMVCAST_GEN_FACTS_H
#include <stdbool.h>
#include <stdint.h>
#include "table/textout.h"
struct fact {
    char *key;
    enum column_type type;
    struct table_cell value; /* of text: malloc'd */
};
struct facts {
    int n;
    struct fact *fact;
};

void facts_text(struct facts *, const char *key, const char *value);
void facts_format(struct facts *, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
void facts_int(struct facts *, const char *key, int64_t value);
void facts_real(struct facts *, const char *key, double value);   /* 10 digits; "-" or JSON null if not finite */
void facts_print(const struct facts *, bool json, bool terminal); /* on stdout */
/* Begins a table with a column per key, which `known` describes (ending with COLUMNS_END); all its rows must have the same keys. */
struct table *facts_begin(const struct facts *, const struct column *known, bool json);
void facts_row(const struct facts *, struct table *);
void facts_free(struct facts *);
#endif
