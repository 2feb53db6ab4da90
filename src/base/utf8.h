/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and paths are any bytes. On their way to a terminal, a table or JSON what would act on the terminal, break a
 * line or is not UTF-8 becomes an escape:
 *   \t \n \r \e \xNN    control characters, and bytes that are not UTF-8
 *   \uNNNN              C1 controls, line separators, marks that turn the direction of writing
 * A backslash is not doubled: texts are for reading. JSON gives them exactly, but for bytes that are not UTF-8, which are
 * \xNN in its strings, too. */
#ifndef SPMVCAST_BASE_UTF8_H
#define SPMVCAST_BASE_UTF8_H
#include <stddef.h>

enum utf8_for {
    UTF8_SHOWN,  /* as above */
    UTF8_STORED, /* only bytes that are not UTF-8 are escaped: archives */
    UTF8_JSON    /* JSON with its own escapes, whose strings hold any bytes */
};
/* What fits into to[bytes], cut at a whole character or escape; returns the length of all. */
size_t utf8_put(char *to, size_t bytes, const char *text, enum utf8_for);
/* In place, up to a NUL or so many bytes: what is not UTF-8 becomes '?'. */
void utf8_mend(char *text, size_t bytes);
/* Takes off what a cut left of a last character. */
void utf8_trim(char *text);
#endif
