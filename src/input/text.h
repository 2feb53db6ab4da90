/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader of a line-oriented text format needs: its lines as they stream by, the number of a line, what to show of
 * it. Never more of the text is in memory than a block of lines, for each thread that reads some. Numbers: mtx_parse.h.
 * Entries to CSR: matrix/coo_matrix.h. */
#ifndef SPMVCAST_INPUT_TEXT_H
#define SPMVCAST_INPUT_TEXT_H
#include "input/input.h"

enum {
    TEXT_SHOWN = 40,
    TEXT_BLOCK = 1 << 20, /* bytes of a block; a line may always have so many */
    /* Bytes that nothing is taken from (comments, blank lines): at once; in all, and so many more for each item taken. */
    TEXT_SPARE = 1 << 24,
    TEXT_SPARE_ALL = 1 << 26,
    TEXT_SPARE_EACH = 1 << 10
};

/* Whole lines, all ended by '\n', also where the file's last line has none. A file of bare CRs has '\n's instead. */
struct text_block {
    char *data; /* malloc'd */
    int64_t room;
    const char *begin, *end; /* begin == end: the text has ended */
    int64_t line;            /* the number of the first line, from 1 */
    int64_t lines;
    bool unended; /* the last line is the file's last, and has no end: cut short? */
};

struct text {
    char path[512];    /* for messages: FILE or FILE:MEMBER */
    const char *named; /* the file that gives the matrix its name where nothing in it does */
    int64_t line;      /* the number of the line that text_line gave last */
    /* What the reader has taken so far, entries or rows: its own count. A text that goes on without is refused. */
    int64_t items;
    /* inside */
    struct input *in;
    int64_t longest; /* bytes of a line, at most */
    int64_t bytes, idle, items_seen, lines;
    struct text_block block; /* that text_line takes lines from */
    const char *next;
    char *rest; /* begun lines, to go on with */
    int64_t rest_bytes, rest_room;
    bool bare_cr, begun;
};

/* longest: how many bytes a line may have, at least TEXT_BLOCK. text_close always. */
void text_open(struct input *, int64_t longest, struct text *);
void text_close(struct text *);
/* The next line, until the next call; NULL: there is none, and checksums were seen to hold. FAIL: as input_read; a line too long;
 * too much text without an item. OOM. */
int text_line(struct text *, const char **line, char why[ERRLEN]);
/* The next lines that text_line has not given: a block of any length but 0, or the end of the text. Blocks go to several
 * threads, the calls one at a time. text_block_free each. Fails as text_line. */
int text_next_block(struct text *, struct text_block *, char why[ERRLEN]);
void text_block_free(struct text_block *);

/* The line behind the one at p. */
const char *text_next_line(const char *p);
/* The number of the line that p lies in. */
int64_t text_line_of(const struct text_block *, const char *p);
/* For messages: a token (or with `line` the rest of the line) cut to TEXT_SHOWN characters, unprintable ones as '?'. */
const char *text_shown(const char *p, bool line, char out[TEXT_SHOWN + 4]);
/* "FILE: line N: " for the line that text_line gave last, then the message; FAIL. */
int text_fail(const struct text *, char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(3, 4);
#endif
