/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for readers of line-oriented text formats: lines as they stream, their numbers, and excerpts for messages.
 * At most one block of lines per reading thread is in memory. Numbers: mtx_parse.h. Entries to CSR:
 * matrix/coo_matrix.h. */
#ifndef SPMVCAST_INPUT_TEXT_H
#define SPMVCAST_INPUT_TEXT_H
#include "input/input.h"

enum {
    TEXT_SHOWN = 40,
    TEXT_BLOCK = 1 << 20, /* bytes per block; a line of this length is always accepted */
    /* Bytes accepted: consecutive ones without an item (comments, blank lines); in total; and in addition for each item. */
    TEXT_SPARE = 1 << 24,
    TEXT_SPARE_ALL = 1 << 26,
    TEXT_SPARE_EACH = 1 << 10
};

/* Complete lines, each terminated by '\n', even if the last line of the file is not. Bare CRs are replaced by '\n'. */
struct text_block {
    char *data; /* malloc'd */
    int64_t room;
    const char *begin, *end; /* begin == end: end of the text */
    int64_t line;            /* number of the first line, from 1 */
    int64_t lines;
    bool unended; /* the last line of the file has no newline; it may be cut short */
};

struct text {
    char path[512];    /* for messages: FILE or FILE:MEMBER */
    const char *named; /* source of the matrix name if the file does not state one */
    int64_t line;      /* number of the line last returned by text_line */
    /* Items (entries or rows) read so far, counted by the reader. Too much text without items is refused. */
    int64_t items;
    /* internal */
    struct input *in;
    int64_t longest; /* maximum bytes per line */
    int64_t bytes, idle, items_seen, lines;
    struct text_block block; /* source of text_line */
    const char *next;
    char *rest; /* incomplete line, continued in the next block */
    int64_t rest_bytes, rest_room;
    bool bare_cr, begun;
};

/* longest: maximum bytes per line, at least TEXT_BLOCK. Call text_close in any case. */
void text_open(struct input *, int64_t longest, struct text *);
void text_close(struct text *);
/* Returns the next line, valid until the next call; NULL at the end, after all checksums matched. FAIL: as
 * input_read; a line is too long; too much text without an item. OOM. */
int text_line(struct text *, const char **line, char why[ERRLEN]);
/* Returns further lines not yet returned by text_line: a nonempty block, or the end of the text. Several threads may
 * process blocks, but only one may call at a time. Call text_block_free for each. Fails as text_line does. */
int text_next_block(struct text *, struct text_block *, char why[ERRLEN]);
void text_block_free(struct text_block *);

/* Returns the line after the one at p. */
const char *text_next_line(const char *p);
/* Returns the number of the line that contains p. */
int64_t text_line_of(const struct text_block *, const char *p);
/* For messages: copies a token (if `line`, the rest of the line) of up to TEXT_SHOWN characters, unprintable ones as '?'.
 * Returns `out`. */
const char *text_shown(const char *p, bool line, char out[TEXT_SHOWN + 4]);
/* Formats "FILE: line N: " for the line last returned by text_line, then the message. Returns FAIL. */
int text_fail(const struct text *, char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(3, 4);
#endif
