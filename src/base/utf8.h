/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and paths may contain any bytes. For a terminal, a table or JSON, whatever would control the terminal, break a
 * line or is not UTF-8 is replaced by an escape:
 *   \t \n \r \e \xNN    control characters, and bytes that are not UTF-8
 *   \uNNNN              C1 controls, line separators, marks that change the direction of text
 * A backslash is not doubled: the text is for people. JSON output is exact, except that bytes that are not UTF-8 become
 * \xNN in its strings too. */
#ifndef SPMVCAST_BASE_UTF8_H
#define SPMVCAST_BASE_UTF8_H
#include <stddef.h>

enum utf8_for {
    UTF8_SHOWN,  /* as above */
    UTF8_STORED, /* for archives: only bytes that are not UTF-8 are escaped */
    UTF8_JSON    /* JSON with its own escapes, whose strings may contain any bytes */
};
/* Writes the text to to[bytes], truncated after a whole character or escape if it does not fit. Returns the full length. */
size_t utf8_put(char *to, size_t bytes, const char *text, enum utf8_for);
/* Replaces bytes that are not UTF-8 by '?', in place, up to a NUL or `bytes` bytes. */
void utf8_mend(char *text, size_t bytes);
/* Removes an incomplete last character left by truncation. */
void utf8_trim(char *text);
#endif
