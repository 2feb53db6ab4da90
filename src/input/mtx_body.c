/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of a Matrix Market file. Threads take turns to fetch a block of lines and parse it while others
 * fetch theirs, so that decompression overlaps parsing and at most one block per thread is in memory. The thread
 * that fetches a block counts its entries, so that the number of entries and the first error do not depend on the
 * threads. */
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/progress.h"
#include "input/mtx_inside.h"

enum { MAX_THREADS = 16 }; /* more threads would only wait for blocks */

struct body {
    struct mtx_text *r;
    pthread_mutex_t turn; /* guards everything below; waiting threads sleep */
    struct coo_list *entries;
    double begun_s;
    struct progress *progress; /* NULL for the first seconds */
    bool over;                 /* no more blocks: end of file, or an error */
    /* The error on the earliest line, no matter which thread was first to find one. status 0: none. */
    int status;
    int64_t line;
    char why[ERRLEN];
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */
static bool holds_entry(const char *line)
{
    line = mtx_skip_blank(line);
    return *line != '\n' && *line != '%';
}

static bool bad_column(const struct mtx_header *h, int64_t i, int64_t j)
{
    return j < 1 || j > h->cols || (h->mirror == COO_SKEW && i == j);
}

/* Parses the entry at *at to e, of a coo_list, and moves *at to the end of the line. Returns NULL, or the position of the error. */
static const char *parse_entry(const struct mtx_header *h, const char **at, int32_t *e)
{
    const char *p = *at;
    int64_t i, j;
    double imaginary;
    const char *q = mtx_two_integers(p, &i, &j);
    if (!q || i < 1 || i > h->rows || bad_column(h, i, j)) {
        q = mtx_integer(p, &i);
        if (!q || i < 1 || i > h->rows)
            return p;
        p = mtx_skip_blank(q);
        q = mtx_integer(p, &j);
        if (!q || bad_column(h, i, j))
            return p;
    }
    e[0] = (int32_t)(i - 1);
    e[1] = (int32_t)(j - 1);
    if (!h->pattern) {
        double value;
        p = mtx_skip_blank(q);
        q = mtx_real(p, &value);
        if (!q || (h->integer && !(fabs(value) <= 0x1p63 && value == trunc(value))))
            return p;
        memcpy(e + 2, &value, sizeof value);
    }
    if (h->complex) {
        p = mtx_skip_blank(q);
        if (!(q = mtx_real(p, &imaginary)))
            return p;
    }
    *at = mtx_skip_blank(q);
    return **at == '\n' ? NULL : *at;
}

/* Explains the error at `bad` in `line`, based on the number of tokens before it. */
static int explain(const struct mtx_text *r, int64_t number, const char *line, const char *bad, char why[ERRLEN])
{
    char text[TEXT_SHOWN + 4];
    const struct mtx_header *h = &r->h;
    int token = 0;
    for (const char *p = mtx_skip_blank(line); p < bad; p = mtx_skip_blank(p), token++)
        while (!mtx_ends_token(*p))
            p++;
    int64_t v;
    const char *wanted = h->pattern   ? "'ROW COLUMN'"
                         : h->complex ? "'ROW COLUMN REAL IMAGINARY'"
                                      : "'ROW COLUMN VALUE'";
    if (*bad == '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected %s", r->lines.path, number,
                    text_shown(mtx_skip_blank(line), true, text), wanted);
    text_shown(bad, false, text);
    if (token < 2) {
        const char *what = token == 0 ? "row" : "column";
        int64_t limit = token == 0 ? h->rows : h->cols;
        if (!mtx_integer(bad, &v))
            return fail(why, "%s: line %" PRId64 ": %s index '%s', expected an integer from 1 to %" PRId64,
                        r->lines.path, number, what, text, limit);
        if (v < 1 || v > limit)
            return fail(why, "%s: line %" PRId64 ": %s index %s, expected 1 to %" PRId64 "%s", r->lines.path, number,
                        what, text, limit, v == 0 ? " (indices count from 1)" : "");
        return fail(why, "%s: line %" PRId64 ": diagonal entry (%s) in a skew-symmetric matrix", r->lines.path, number,
                    text);
    }
    if ((token == 2 && !h->pattern) || (token == 3 && h->complex)) {
        const char *what = !h->complex ? "value" : token == 2 ? "real part" : "imaginary part";
        if (mtx_hexadecimal(bad))
            return fail(why, "%s: line %" PRId64 ": %s '%s' is hexadecimal, expected a decimal number", r->lines.path,
                        number, what, text);
        return fail(why, "%s: line %" PRId64 ": %s '%s', expected %s number", r->lines.path, number, what, text,
                    h->integer ? "an integer" : "a");
    }
    return fail(why, "%s: line %" PRId64 ": extra '%s', expected %s", r->lines.path, number, text, wanted);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
/* Returns true if any line is blank, a comment, or starts with white space. */
static bool has_odd(const struct text_block *b)
{
    enum { STRIDE = 4096 };
    bool odd = *b->begin <= ' ' || *b->begin == '%';
    for (const char *p = b->begin, *last = b->end - 1; p < last && !odd; p += STRIDE) {
        const int n = last - p < STRIDE ? (int)(last - p) : STRIDE;
        uint8_t any = 0;
        for (int k = 0; k < n; k++)
            any |= (p[k] == '\n') & ((p[k + 1] <= ' ') | (p[k + 1] == '%'));
        odd = any;
    }
    return odd;
}

static int64_t count_entries(const struct text_block *b)
{
    if (!has_odd(b))
        return b->lines;
    int64_t entries = 0;
    for (const char *p = b->begin; p < b->end; p = text_next_line(p))
        entries += holds_entry(p);
    return entries;
}

/* Returns the line of entry k of the block, counted from 0. */
static const char *line_of_entry(const struct text_block *b, int64_t k)
{
    const char *p = b->begin;
    while (!holds_entry(p) || k-- > 0)
        p = text_next_line(p);
    return p;
}

static void note_fault(struct body *s, int64_t line, int status, const char *why)
{
    if (!s->status || line < s->line) {
        s->status = status;
        s->line = line;
        memcpy(s->why, why, ERRLEN);
    }
}

static void cut_short(const struct body *s, char why[ERRLEN])
{
    fail(why,
         "%s: the size line declares %" PRId64 " entries but the file ends after %" PRId64 " (line %" PRId64
         "); get the file again",
         s->r->lines.path, s->r->h.entries, s->entries->entries, s->r->lines.lines);
}

/* Reserves room for the entries of a block. Entries in excess of the size line are an error and truncate the block. */
static int place_entries(struct body *s, struct text_block *b, int32_t **to, char why[ERRLEN])
{
    const char *path = s->r->lines.path;
    const int64_t left = s->r->h.entries - s->entries->entries;
    int64_t n = count_entries(b);
    if (n > left) {
        b->end = line_of_entry(b, n = left);
        const int64_t line = text_line_of(b, b->end);
        fail(why, "%s: line %" PRId64 ": more entries than the %" PRId64 " declared by the size line", path, line,
             s->r->h.entries);
        note_fault(s, line, FAIL, why);
        s->over = true;
    }
    const int status = mtx_fits(s->r, (double)(s->entries->entries + n), why);
    if (status)
        return status;
    *to = n > 0 ? coo_list_add(s->entries, n) : NULL;
    s->r->lines.items = s->entries->entries;
    if (n == 0 || *to)
        return 0;
    return memory_failed(0, why, "%s: not enough memory for more than %" PRId64 " entries", path, s->entries->entries);
}

static void show_progress(struct body *s)
{
    static const double patience_s = 2;
    if (!s->progress && now_s() - s->begun_s > patience_s)
        s->progress = progress_begin("reading", (double)s->r->h.entries);
    if (s->progress)
        progress_set(s->progress, (double)s->entries->entries, s->r->lines.path);
}

/* Fetches the next block and room for its entries. Returns false at the end. An error of the stream takes precedence:
 * a line of a damaged file may contain anything. */
static bool take(struct body *s, struct text_block *b, int32_t **to)
{
    char why[ERRLEN];
    struct text *t = &s->r->lines;
    if (s->over)
        return false;
    int status = text_next_block(t, b, why);
    const bool ended = !status && b->begin == b->end;
    if (!status && !ended)
        status = place_entries(s, b, to, why);
    if (ended && s->entries->entries < s->r->h.entries) {
        status = FAIL;
        cut_short(s, why);
    }
    if (status)
        note_fault(s, t->in->broken ? 0 : t->lines + 1, status, why);
    s->over |= status || ended;
    show_progress(s);
    return !status && !ended;
}

static bool take_in_turn(struct body *s, struct text_block *b, int32_t **to)
{
    pthread_mutex_lock(&s->turn);
    const bool taken = take(s, b, to);
    pthread_mutex_unlock(&s->turn);
    return taken;
}

/* Notes the error in a line. If it is the last, without a newline, and entries are missing, the file was cut short. */
static void fault_in_line(struct body *s, const struct text_block *b, const char *line, const char *bad)
{
    char why[ERRLEN];
    const int64_t number = text_line_of(b, line);
    pthread_mutex_lock(&s->turn);
    if (b->unended && text_next_line(line) == b->end && s->entries->entries < s->r->h.entries)
        cut_short(s, why);
    else
        explain(s->r, number, line, bad, why);
    note_fault(s, number, FAIL, why);
    s->over = true;
    pthread_mutex_unlock(&s->turn);
}

/* Parses lines of a pattern with two indices each, as nearly all are, to *e, which it moves, until one that is not or is wrong.
 * Returns that line. */
static const char *parse_pairs(const struct mtx_header *h, const char *line, const char *end, int32_t **e)
{
    const uint64_t rows = (uint64_t)h->rows, cols = (uint64_t)h->cols;
    int32_t *to = *e;
    int64_t i, j;
    for (const char *q; line < end && (q = mtx_two_integers(line, &i, &j)); line = q + 1) {
        q = mtx_skip_blank(q);
        if (*q != '\n' || (uint64_t)(i - 1) >= rows || (uint64_t)(j - 1) >= cols)
            break;
        *to++ = (int32_t)(i - 1);
        *to++ = (int32_t)(j - 1);
    }
    *e = to;
    return line;
}

static void parse_block(struct body *s, const struct text_block *b, int32_t *e)
{
    const struct mtx_header *h = &s->r->h;
    const int words = h->pattern ? 2 : sizeof(struct coo_entry) / sizeof *e;
    const char *bad = NULL, *line = b->begin;
    while (!bad && (line = h->pattern ? parse_pairs(h, line, b->end, &e) : line) < b->end) {
        const char *p = mtx_skip_blank(line);
        if (*p == '%')
            p = text_next_line(p) - 1;
        else if (*p != '\n') {
            if ((bad = parse_entry(h, &p, e)))
                fault_in_line(s, b, line, bad);
            e += words;
        }
        line = p + 1;
    }
}

int mtx_body(struct mtx_text *r, struct coo_list *entries, char why[ERRLEN])
{
    struct body s = { .r = r, .turn = PTHREAD_MUTEX_INITIALIZER, .entries = entries, .begun_s = now_s() };
    const int wanted = omp_get_max_threads();
#pragma omp parallel num_threads(wanted < MAX_THREADS ? wanted : MAX_THREADS)
    {
        struct text_block block = { 0 };
        int32_t *to = NULL;
        while (take_in_turn(&s, &block, &to))
            parse_block(&s, &block, to);
        text_block_free(&block);
    }
    progress_end(s.progress);
    if (s.status)
        memcpy(why, s.why, ERRLEN);
    return s.status;
}
