/* SPDX-License-Identifier: BSD-3-Clause */
/* The width of a terminal, and text broken into lines that fit one. */
#include "base/terminal.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "base/error.h"

int terminal_width(int fd, int otherwise)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

static int width_of(const char *text, size_t bytes)
{
    int n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80; /* continuation bytes take no column */
    return n;
}

int text_width(const char *text) { return width_of(text, strlen(text)); }

char *text_shortened(const char *text, int width)
{
    const char *end = text;

    if (text_width(text) <= width || width < 3)
        return xstrdup(text);
    for (int n = 0; n < width - 3; n++)
        do
            end++;
        while (((unsigned char)*end & 0xC0) == 0x80);
    return xasprintf("%.*s...", (int)(end - text), text);
}

/* ---- lines ---- */
struct wrapping {
    FILE *out;
    const char *next;
    int width, column, indent; /* indent: where the line's text begins */
    enum wrap how;
};

static void new_line(struct wrapping *w)
{
    fprintf(w->out, "\n%s", w->next);
    w->column = w->indent = text_width(w->next);
}

static void put_piece(struct wrapping *w, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, w->out);
    w->column += width_of(text, bytes);
}

/* Returns the bytes of the longest piece of a word that fits and ends in one of "|,/_"; 0 if there is none. At the beginning
 * of a line, a word without such a piece is cut at the width. */
static size_t fitting(const struct wrapping *w, const char *word, size_t bytes)
{
    size_t best = 0, most = 0;

    if (w->how == WRAP_BLANKS)
        return 0;
    for (size_t i = 0; i < bytes; i++) {
        if (w->column + width_of(word, i + 1) > w->width)
            break;
        best = strchr("|,/_", word[i]) ? i + 1 : best;
        most = i + 1;
    }
    while (most > 0 && most < bytes && ((unsigned char)word[most] & 0xC0) == 0x80)
        most--; /* not within a character */
    return best > 0 || w->column > w->indent ? best : most;
}

static void put_word(struct wrapping *w, const char *word, size_t bytes)
{
    if (w->column + (w->column > w->indent) + width_of(word, bytes) > w->width && w->column > w->indent)
        new_line(w);
    else if (w->column > w->indent)
        put_piece(w, " ", 1);
    for (size_t n; w->column + width_of(word, bytes) > w->width && (n = fitting(w, word, bytes)) > 0; new_line(w)) {
        put_piece(w, word, n);
        word += n;
        bytes -= n;
    }
    put_piece(w, word, bytes);
}

char *text_wrapped(const char *text, const char *first, const char *next, int width, enum wrap how)
{
    char *lines;
    size_t bytes;
    struct wrapping w = { open_memstream(&lines, &bytes), next, width, text_width(first), text_width(first), how };

    if (!w.out)
        die("out of memory while formatting text");
    fputs(first, w.out);
    const bool clauses = how == WRAP_CLAUSES && w.column + text_width(text) > width;
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, " ");
        if (n > 0)
            put_word(&w, text, n);
        if (clauses && n > 0 && text[n - 1] == ';' && text[n])
            new_line(&w);
    }
    fputc('\n', w.out);
    if (fclose(w.out) != 0)
        die("out of memory while formatting text");
    return lines;
}
