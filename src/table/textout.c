/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on stdout: TSV row by row, aligned columns on a terminal, or one JSON object. */
#include "table/textout.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/output.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "table/textout_inside.h"

enum { SOON = 64 * 1024 };

static void flush(struct textout *p)
{
    size_t done = 0;

    fflush(stdout);
    if (p->terminal)
        progress_clear();
    while (done < p->used && !p->closed) {
        ssize_t n = write(STDOUT_FILENO, p->out + done, p->used - done);
        if (n < 0 && errno == EPIPE)
            p->closed = true;
        else if (n < 0 && errno != EINTR)
            output_stdout_failed();
        done += n > 0 ? (size_t)n : 0;
    }
    p->used = 0;
}

static void put(struct textout *p, const char *text)
{
    const size_t bytes = strlen(text);

    if (p->used + bytes > p->room) {
        p->room = 2 * (p->used + bytes);
        p->out = xrealloc(p->out, p->room);
    }
    memcpy(p->out + p->used, text, bytes);
    p->used += bytes;
}

/* Appends a text, and frees it. */
static void put_own(struct textout *p, char *text)
{
    put(p, text);
    free(text);
}

struct table *textout_open(bool json)
{
    struct table *t = xcalloc(1, sizeof *t);
    struct textout *p = xcalloc(1, sizeof *p);

    signal(SIGPIPE, SIG_IGN); /* "| head" must not end a run */
    t->printer = p;
    p->json = json;
    p->terminal = !json && isatty(STDOUT_FILENO);
    p->head_note = -1;
    return t;
}

struct table *textout_begin(bool json, const struct column *columns)
{
    struct table *t = textout_open(json);

    table_begin(t, columns);
    return t;
}

void textout_columns_set(struct table *t)
{
    struct textout *p = t->printer;

    p->width = xcalloc((unsigned long)t->ncolumns, sizeof *p->width);
    p->reserved = xcalloc((unsigned long)t->ncolumns, sizeof *p->reserved);
    p->shorter = xcalloc((unsigned long)t->ncolumns, sizeof *p->shorter);
    p->shown = xcalloc((unsigned long)t->ncolumns, sizeof *p->shown);
    p->terminal_width = terminal_width(STDOUT_FILENO, TERMINAL_WIDTH);
    textout_choose(t);
}

void textout_shared(struct table *t, bool first)
{
    t->printer->terminal = false;
    t->printer->headed = !first;
}

void textout_mark(struct table *t, const char *column, const char *text)
{
    t->printer->mark_column = column;
    t->printer->mark_text = text;
}

bool textout_on_terminal(const struct table *t) { return t->printer && t->printer->terminal; }

/* ---- lines */

static void put_header(struct table *t)
{
    struct textout *p = t->printer;

    if (p->headed)
        return;
    p->headed = true;
    if (p->terminal) {
        put_own(p, textout_fitted_head(t));
        return;
    }
    for (int k = 0; k < p->nshown; k++) {
        put(p, t->column[p->shown[k]].name);
        put(p, k + 1 == p->nshown ? "\n" : "\t");
    }
}

static bool is_marked(const struct table *t, long row)
{
    const struct textout *p = t->printer;
    if (!p->mark_column)
        return false;
    char *text = table_shown(t, row, table_column_of(t, p->mark_column));
    const bool marked = strcmp(text, p->mark_text) == 0;
    free(text);
    return marked;
}

static void put_row(struct table *t, long row)
{
    struct textout *p = t->printer;

    put_header(t);
    if (p->terminal) {
        char *line = textout_fitted_line(t, row);
        if (is_marked(t, row) && *line == ' ')
            *line = '*';
        put_own(p, line);
        return;
    }
    for (int k = 0; k < p->nshown; k++) {
        put_own(p, table_shown(t, row, p->shown[k]));
        put(p, k + 1 == p->nshown ? "\n" : "\t");
    }
}

static void put_note(struct textout *p, const char *text, enum note_kind kind)
{
    char *shown = printable(text);

    put_own(p, p->terminal ? text_wrapped(shown, "# ", "#   ", p->terminal_width,
                                          kind == NOTE_ANSWER ? WRAP_CLAUSES : WRAP_WORDS)
                           : xasprintf("# %s\n", shown));
    free(shown);
}

/* Prints the rows and notes that the table holds, and drops them. */
static void put_lines(struct table *t)
{
    struct textout *p = t->printer;
    int k = 0;

    if (p->terminal)
        textout_fit(t);
    for (long row = 0; row <= t->nrows; row++) {
        for (; k < t->nnotes && t->note[k].row <= row; k++) {
            if (k == p->head_note)
                put_header(t);
            put_note(p, t->note[k].text, t->note[k].kind);
        }
        if (row < t->nrows)
            put_row(t, row);
    }
    if (k == p->head_note)
        put_header(t);
    p->head_note = -1;
    table_drop_rows(t);
}

void textout_row(struct table *t)
{
    struct textout *p = t->printer;

    if (p->json || p->terminal)
        return;
    put_lines(t);
    if (p->used > SOON)
        flush(p);
}

/* ---- ends */

void textout_head(struct table *t)
{
    struct textout *p = t->printer;

    if (!p || p->json)
        return;
    if (p->terminal)
        p->head_note = t->nnotes;
    else
        put_header(t);
}

void textout_flush_rows(struct table *t)
{
    if (!t->printer || t->printer->json)
        return;
    put_lines(t);
    flush(t->printer);
}

void textout_free(struct table *t)
{
    struct textout *p = t->printer;

    cJSON_Delete(p->lists);
    free(p->width);
    free(p->shorter);
    free(p->reserved);
    free(p->fit);
    free(p->shown);
    free(p->out);
    free(p);
    table_free(t);
    free(t);
}

void textout_end(struct table *t)
{
    struct textout *p = t->printer;

    if (t->filled)
        bug("the table ends within a row: after its column \"%s\"", t->column[t->filled - 1].name);
    if (p->json) {
        put_own(p, textout_to_json(t));
        put(p, "\n");
    } else {
        put_lines(t);
        if (!p->terminal)
            put_header(t); /* a table without rows; on a terminal the notes are enough */
        if (p->dropped && p->headed) {
            char *note = textout_dropped(t);
            put_note(p, note, NOTE_PLAIN);
            free(note);
        }
    }
    flush(p);
    textout_free(t);
}
