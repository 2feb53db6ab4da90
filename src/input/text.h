/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader of a line-oriented text format needs: the lines in memory, the number of a line, what to show of it.
 * Numbers: mtx_parse.h. Entries to CSR: matrix/coo_matrix.h. */
#ifndef SPMVCAST_INPUT_TEXT_H
#define SPMVCAST_INPUT_TEXT_H
#include "input/input.h"

enum { TEXT_SHOWN = 40 };

/* Whole lines: end[-1] is '\n', also where the file's last line has none; begin == end only where a limit cut the first
 * line. A '\n' closes that one, too: the search for the end of a line that begins below `end`, or at `begin`, needs no
 * bound. Zeros follow, so that a parser needs no bound for single tokens. */
struct text {
    char path[512];          /* for messages: FILE or FILE:MEMBER */
    const char *named;       /* the file that gives the matrix its name where nothing in it does */
    const char *begin, *end; /* of the input: until the next text_load or input_free_text */
    bool whole;              /* the file ends at `end`; else there is more, and a peek may load more */
};

/* The first `limit` bytes at least, without the line that the limit cuts; limit 0: all, checked to the end. Fails as
 * input_load. */
int text_load(struct input *, int64_t limit, struct text *, char why[ERRLEN]);

/* The line behind the one at p, or end. */
const char *text_next_line(const char *p, const char *end);
/* The number of the line that p lies in, from 1. */
int64_t text_line_of(const struct text *, const char *p);
/* For messages: a token (or with `line` the rest of the line) cut to TEXT_SHOWN characters, unprintable ones as '?'. */
const char *text_shown(const char *p, bool line, char out[TEXT_SHOWN + 4]);
/* "FILE: line N: " for the line that p lies in, then the message; FAIL. */
int text_fail(const struct text *, const char *p, char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(4, 5);
#endif
