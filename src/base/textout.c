/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables on stdout: TSV row by row, aligned columns on a terminal, or one JSON object. */
#include "base/textout.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/output.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/sheet.h"
#include "base/terminal.h"
#include "base/textout_inside.h"

enum { SOON = 64 * 1024 };

static void flush(struct textout *t)
{
    size_t done = 0;

    fflush(stdout);
    if (t->terminal)
        progress_clear();
    while (done < t->used && !t->closed) {
        ssize_t n = write(STDOUT_FILENO, t->out + done, t->used - done);
        if (n < 0 && errno == EPIPE)
            t->closed = true;
        else if (n < 0 && errno != EINTR)
            output_stdout_failed();
        done += n > 0 ? (size_t)n : 0;
    }
    t->used = 0;
}

static void put(struct textout *t, const char *text, size_t bytes)
{
    if (t->used + bytes > t->room) {
        t->room = 2 * (t->used + bytes);
        t->out = xrealloc(t->out, t->room);
    }
    memcpy(t->out + t->used, text, bytes);
    t->used += bytes;
}

static void put_text(struct textout *t, const char *text) { put(t, text, strlen(text)); }

static struct sheet *diverted; /* where the next table goes */

void textout_divert(struct sheet *sheet) { diverted = sheet; }

struct textout *textout_begin(bool json, const char *header)
{
    struct textout *t = xcalloc(1, sizeof *t);
    char *copy = xstrdup(header), *rest = copy, *name;

    signal(SIGPIPE, SIG_IGN); /* "| head" must not end a run */
    t->sheet = diverted;
    diverted = NULL;
    if (t->sheet)
        sheet_begin(t->sheet, header);
    t->json = json && !t->sheet;
    t->prefix = "";
    t->terminal = !t->json && !t->sheet && isatty(STDOUT_FILENO);
    while ((name = strsep(&rest, "\t"))) {
        for (int i = 0; i < t->ncolumns; i++)
            if (strcmp(t->columns[i], name) == 0)
                bug("two columns are named \"%s\"", name);
        t->columns = xrealloc(t->columns, (unsigned long)(t->ncolumns + 1) * sizeof *t->columns);
        t->columns[t->ncolumns++] = xstrdup(name);
    }
    t->width = xcalloc((unsigned long)t->ncolumns, sizeof *t->width);
    t->number = xcalloc((unsigned long)t->ncolumns, sizeof *t->number);
    t->reserved = xcalloc((unsigned long)t->ncolumns, sizeof *t->reserved);
    t->shorter = xcalloc((unsigned long)t->ncolumns, sizeof *t->shorter);
    t->shown = xcalloc((unsigned long)t->ncolumns, sizeof *t->shown);
    t->cells = xcalloc((unsigned long)t->ncolumns, sizeof *t->cells);
    t->terminal_width = terminal_width(STDOUT_FILENO, TERMINAL_WIDTH);
    for (int i = 0; i < t->ncolumns; i++)
        t->number[i] = true;
    textout_choose(t);
    free(copy);
    return t;
}

void textout_shared(struct textout *t, bool first)
{
    t->terminal = false;
    t->headed = !first;
}

bool textout_on_terminal(const struct textout *t) { return t->terminal; }

/* ---- lines ---- */

static void put_line(struct textout *t, const struct cell *cells)
{
    if (t->terminal) {
        char *line = textout_fitted_line(t, cells);
        put_text(t, line);
        free(line);
        return;
    }
    for (int k = 0; k < t->nshown; k++) {
        put_text(t, cells[t->shown[k]].text);
        put_text(t, k + 1 == t->nshown ? "\n" : "\t");
    }
}

static void put_header(struct textout *t)
{
    if (t->headed)
        return;
    t->headed = true;
    if (t->terminal) {
        char *head = textout_fitted_head(t);
        put_text(t, head);
        free(head);
        return;
    }
    for (int k = 0; k < t->nshown; k++) {
        put_text(t, t->columns[t->shown[k]]);
        put_text(t, k + 1 == t->nshown ? "\n" : "\t");
    }
}

static void put_cells(struct textout *t, const struct cell *cells)
{
    put_header(t);
    put_line(t, cells);
}

static void put_note(struct textout *t, const char *note, bool clauses)
{
    char *lines = t->terminal ? text_wrapped(note, "# ", "#   ", t->terminal_width, clauses ? WRAP_CLAUSES : WRAP_WORDS)
                              : xasprintf("# %s\n", note);
    put_text(t, lines);
    free(lines);
}

void textout_cells_free(struct textout *t, struct cell *cells)
{
    for (int i = 0; i < t->ncolumns; i++)
        free(cells[i].text);
    free(cells);
}

/* Prints the buffered lines and empties the buffer. */
static void put_lines(struct textout *t)
{
    if (t->terminal)
        textout_fit(t);
    for (long k = 0; k < t->nlines; k++) {
        struct line *l = &t->lines[k];
        if (l->note)
            put_note(t, l->note, l->clauses);
        else if (!l->cells)
            put_header(t);
        else {
            put_cells(t, l->cells);
            textout_cells_free(t, l->cells);
        }
        free(l->note);
    }
    t->nlines = 0;
}

static void keep(struct textout *t, const struct line *line)
{
    /* Room doubles at powers of two. */
    if (!(t->nlines & (t->nlines - 1)))
        t->lines = xrealloc(t->lines, (unsigned long)(t->nlines ? 2 * t->nlines : 1) * sizeof *t->lines);
    t->lines[t->nlines++] = *line;
}

static void note_or_answer(struct textout *t, const char *fmt, va_list args, bool clauses)
{
    char *text;

    if (t->filled)
        bug("a note within a row");
    if (vasprintf(&text, fmt, args) < 0)
        die("out of memory while formatting a note");
    if (!t->json) {
        char *shown = printable(text);
        free(text);
        text = shown;
    }
    if (t->sheet) {
        strlist_add(&t->sheet->notes, text);
        free(text);
    } else if (t->json || t->terminal)
        keep(t, &(struct line){ .note = text, .clauses = clauses });
    else {
        put_note(t, text, clauses);
        free(text);
    }
}

void textout_note(struct textout *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    note_or_answer(t, fmt, args, false);
    va_end(args);
}

void textout_answer(struct textout *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    note_or_answer(t, fmt, args, true);
    va_end(args);
}

/* ---- cells ---- */

static void add_cell(struct textout *t, const char *column, const char *text, bool number)
{
    const size_t n = strlen(t->prefix);

    if (t->filled == t->ncolumns)
        bug("column \"%s%s\": the row is complete, \"%s\" was its last column", t->prefix, column,
            t->columns[t->ncolumns - 1]);
    int i = t->filled++, width = text_width(text);
    if (strncmp(t->columns[i], t->prefix, n) != 0 || strcmp(t->columns[i] + n, column) != 0)
        bug("column \"%s%s\": the next column of the header is \"%s\"", t->prefix, column, t->columns[i]);

    t->cells[i] = (struct cell){ xstrdup(text), number };
    if (width > t->width[i])
        t->width[i] = width;
    if (!number)
        t->number[i] = false;
}

void textout_prefix(struct textout *t, const char *prefix) { t->prefix = prefix; }

void textout_text(struct textout *t, const char *column, const char *value)
{
    value = value ? value : "";
    char *shown = t->json ? xstrdup(value) : printable(*value ? value : "-");
    add_cell(t, column, shown, false);
    free(shown);
}

void textout_int(struct textout *t, const char *column, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    add_cell(t, column, text, true);
}

void textout_number(struct textout *t, const char *column, const char *digits) { add_cell(t, column, digits, true); }

void textout_none(struct textout *t, const char *column) { textout_real(t, column, NAN, 1); }

void textout_real(struct textout *t, const char *column, double value, int significant)
{
    const struct digits d = t->json ? textout_json_number(value) : textout_digits(value, significant);

    add_cell(t, column, d.text, true);
}

void textout_us(struct textout *t, const char *column, double value, int significant)
{
    textout_real(t, column, value < 0 ? NAN : value, significant);
}

void textout_row_end(struct textout *t)
{
    if (t->filled != t->ncolumns)
        bug("a row ends before its column \"%s\"", t->columns[t->filled]);
    t->filled = 0;
    t->prefix = "";
    if (t->sheet) {
        const long row = sheet_add(t->sheet);
        for (int i = 0; i < t->ncolumns; i++) {
            sheet_set(t->sheet, row, t->columns[i], t->cells[i].text);
            free(t->cells[i].text);
        }
        return;
    }
    if (t->json || t->terminal) {
        keep(t, &(struct line){ .cells = t->cells });
        t->cells = xcalloc((unsigned long)t->ncolumns, sizeof *t->cells);
        return;
    }
    put_cells(t, t->cells);
    for (int i = 0; i < t->ncolumns; i++)
        free(t->cells[i].text);
    if (t->used > SOON)
        flush(t);
}

/* ---- ends ---- */

void textout_head(struct textout *t)
{
    if (t->sheet)
        return;
    if (t->terminal)
        keep(t, &(struct line){ 0 });
    else if (!t->json)
        put_header(t);
}

void textout_flush_rows(struct textout *t)
{
    if (t->json || t->sheet)
        return;
    put_lines(t);
    flush(t);
}

void textout_free(struct textout *t)
{
    for (long k = 0; k < t->nlines; k++) {
        if (t->lines[k].cells)
            textout_cells_free(t, t->lines[k].cells);
        free(t->lines[k].note);
    }
    cJSON_Delete(t->lists);
    for (int i = 0; i < t->ncolumns; i++)
        free(t->columns[i]);
    free(t->columns);
    free(t->width);
    free(t->number);
    free(t->shorter);
    free(t->reserved);
    free(t->fit);
    free(t->shown);
    free(t->cells);
    free(t->lines);
    free(t->out);
    free(t);
}

void textout_end(struct textout *t)
{
    if (t->filled)
        bug("the table ends within a row: after its column \"%s\"", t->columns[t->filled - 1]);
    if (t->sheet) {
        textout_free(t);
        return;
    }
    if (t->json) {
        char *text = textout_to_json(t);
        put_text(t, text);
        put_text(t, "\n");
        free(text);
    } else {
        put_lines(t);
        if (!t->terminal)
            put_header(t); /* a table without rows; on a terminal the notes are enough */
        if (t->dropped && t->headed) {
            char *note = textout_dropped(t);
            put_note(t, note, false);
            free(note);
        }
    }
    flush(t);
    textout_free(t);
}
