/* SPDX-License-Identifier: BSD-3-Clause */
/* The width of a terminal, and text broken into lines that fit one. Widths count characters of UTF-8, not bytes. */
#ifndef SPMVCAST_BASE_TERMINAL_H
#define SPMVCAST_BASE_TERMINAL_H
enum { TERMINAL_WIDTH = 100 }; /* assumed if a terminal does not report its width */

/* Returns the number of columns of the terminal on a file descriptor, or `otherwise` if unknown or not a terminal. */
int terminal_width(int fd, int otherwise);
int text_width(const char *text);
/* Returns the first `width` characters, the last three replaced by "..." if there are more (malloc'd). */
char *text_shortened(const char *text, int width);
enum wrap {
    WRAP_WORDS,   /* at blanks, within a longer word after one of "|,/_", else at the width */
    WRAP_CLAUSES, /* the same; a text that needs more than one line is also broken after each "; " */
    WRAP_BLANKS   /* at blanks only, so that paths stay whole: a longer word sticks out */
};
/* Returns the text in lines of at most `width` characters, each ending in '\n' (malloc'd). The first line begins with
 * `first`, the others with `next`. */
char *text_wrapped(const char *text, const char *first, const char *next, int width, enum wrap);
#endif
