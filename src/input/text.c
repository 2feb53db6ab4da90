/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams the lines of a text in blocks. */
#include "input/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/mtx_parse.h"

/* FIRST_BLOCK: enough for most headers, if only the header is read. NEXT_BLOCK: stays in cache. BESIDE: the newline of the last line, and
 * what mtx_parse.h reads beyond it. */
enum { FIRST_BLOCK = 1 << 16, NEXT_BLOCK = 1 << 18, BESIDE = 1 + MTX_BEYOND };

void text_open(struct input *in, int64_t longest, struct text *t)
{
    *t = (struct text){ .named = input_named(in), .in = in, .longest = longest };
    input_label(in, t->path, sizeof t->path);
}

void text_block_free(struct text_block *b)
{
    free(b->data);
    *b = (struct text_block){ 0 };
}

void text_close(struct text *t)
{
    text_block_free(&t->block);
    free(t->rest);
    t->rest = NULL;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
static int reserve(const struct text *t, char **data, int64_t *room, int64_t bytes, char why[ERRLEN])
{
    if (bytes <= *room)
        return 0;
    char *grown = realloc(*data, (size_t)bytes);
    if (!grown)
        return memory_failed((double)bytes, why, "%s: not enough memory for lines of %" PRId64 " bytes", t->path,
                             bytes);
    *data = grown;
    *room = bytes;
    return 0;
}

/* Returns true if the first line ends in CRs without LF; all others are then taken to do so too. */
static bool has_bare_cr(const char *data, int64_t n)
{
    int64_t k = 0;
    while (k < n && data[k] != '\r' && data[k] != '\n')
        k++;
    if (k == n || data[k] == '\n')
        return false;
    while (k < n && data[k] == '\r')
        k++;
    return k < n && data[k] != '\n';
}

/* Counts up to 255 characters at a time in a byte, which is several times faster. */
static int64_t count_lines(const char *data, int64_t n)
{
    int64_t lines = 0;
    while (n > 0) {
        const int some = n < UINT8_MAX ? (int)n : UINT8_MAX;
        uint8_t sum = 0;
        for (int k = 0; k < some; k++)
            sum = (uint8_t)(sum + (data[k] == '\n'));
        lines += sum;
        data += some;
        n -= some;
    }
    return lines;
}

/* Fills the block up to `until` bytes, fewer only at the end. */
static int fill(struct text *t, struct text_block *b, int64_t *bytes, int64_t until, char why[ERRLEN])
{
    int64_t got = 1;
    int status = reserve(t, &b->data, &b->room, until + BESIDE, why);
    while (!status && *bytes < until && got > 0) {
        status = input_read(t->in, b->data + *bytes, until - *bytes, &got, why);
        if (t->bare_cr)
            for (int64_t k = 0; k < got; k++)
                b->data[*bytes + k] = b->data[*bytes + k] == '\r' ? '\n' : b->data[*bytes + k];
        *bytes += got;
    }
    return status;
}

/* Decides from the first line whether lines end in bare CRs, and replaces those read so far; fill replaces the others. */
static void look_for_ends(struct text *t, struct text_block *b, int64_t bytes)
{
    if (t->begun || !(t->bare_cr = has_bare_cr(b->data, bytes)))
        return;
    for (int64_t k = 0; k < bytes; k++)
        b->data[k] = b->data[k] == '\r' ? '\n' : b->data[k];
}

/* Fails if too much text contains no items. */
static int check_idle(struct text *t, const struct text_block *b, char why[ERRLEN])
{
    if (t->items > t->items_seen)
        t->idle = 0;
    t->items_seen = t->items;
    t->idle += b->end - b->begin;
    t->bytes += b->end - b->begin;
    if (t->idle <= TEXT_SPARE && (t->bytes - TEXT_SPARE_ALL) / TEXT_SPARE_EACH <= t->items)
        return 0;
    if (t->idle > TEXT_SPARE)
        return fail(why,
                    "%s: line %" PRId64 ": more than %d MiB of comments and blank lines %s; remove them, or get the "
                    "file again",
                    t->path, t->lines, TEXT_SPARE >> 20, t->items > 0 ? "after an entry" : "before the first entry");
    return fail(why,
                "%s: line %" PRId64 ": %" PRId64 " MiB of text for %" PRId64
                " entries, mostly comments, blank lines or spaces; remove them, or get the file again",
                t->path, t->lines, t->bytes >> 20, t->items);
}

static int read_block(struct text *t, struct text_block *b, char why[ERRLEN])
{
    int64_t bytes = t->rest_bytes, until = t->begun ? NEXT_BLOCK : FIRST_BLOCK;
    int64_t keep = bytes;
    const char *last = NULL;
    b->begin = b->end = b->data;
    b->unended = false;
    int status = reserve(t, &b->data, &b->room, bytes + BESIDE, why);
    if (status)
        return status;
    if (bytes > 0)
        memcpy(b->data, t->rest, (size_t)bytes);
    for (;; until = 2 * until < t->longest ? 2 * until : t->longest + 1) {
        until = until > bytes ? until : bytes + 1;
        if ((status = fill(t, b, &bytes, until, why)))
            return status;
        look_for_ends(t, b, bytes);
        last = memrchr(b->data + keep, '\n', (size_t)(bytes - keep));
        if (last || bytes < until)
            break;
        if (bytes > t->longest)
            return fail(why, "%s: line %" PRId64 ": longer than %" PRId64 " bytes; expected a line of text", t->path,
                        t->lines + 1, t->longest);
        keep = bytes;
    }
    t->begun = true;
    if (bytes < until) { /* end of the text */
        b->unended = bytes > 0 && b->data[bytes - 1] != '\n';
        if (b->unended)
            b->data[bytes++] = '\n';
        last = b->data + bytes - 1;
    }
    b->begin = b->data;
    b->end = bytes > 0 ? last + 1 : b->data;
    t->rest_bytes = b->data + bytes - b->end;
    if ((status = reserve(t, &t->rest, &t->rest_room, t->rest_bytes, why)))
        return status;
    if (t->rest_bytes > 0)
        memcpy(t->rest, b->end, (size_t)t->rest_bytes);
    b->line = t->lines + 1;
    b->lines = count_lines(b->begin, b->end - b->begin);
    t->lines += b->lines;
    return check_idle(t, b, why);
}

int text_next_block(struct text *t, struct text_block *b, char why[ERRLEN])
{
    if (t->next == t->block.end || !t->next) {
        t->next = t->block.end = NULL;
        return read_block(t, b, why);
    }
    const int64_t given = t->line + 1 - t->block.line;
    text_block_free(b);
    *b = t->block;
    b->begin = t->next;
    b->line += given;
    b->lines -= given;
    t->block = (struct text_block){ 0 };
    t->next = NULL;
    return 0;
}

int text_line(struct text *t, const char **line, char why[ERRLEN])
{
    if (t->next == t->block.end) {
        const int status = read_block(t, &t->block, why);
        t->next = t->block.begin;
        if (status)
            return status;
    }
    *line = t->next < t->block.end ? t->next : NULL;
    if (*line) {
        t->line++;
        t->next = text_next_line(*line);
    }
    return 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */
const char *text_next_line(const char *p) { return (const char *)rawmemchr(p, '\n') + 1; }

int64_t text_line_of(const struct text_block *b, const char *p)
{
    return b->line + count_lines(b->begin, p - b->begin);
}

const char *text_shown(const char *p, bool line, char out[TEXT_SHOWN + 4])
{
    int n = 0;
    for (; *p != '\n' && (line || !mtx_blank(*p)) && n < TEXT_SHOWN; p++)
        out[n++] = isprint((unsigned char)*p) ? *p : '?';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    if (n == TEXT_SHOWN)
        memcpy(out + n, "...", 4);
    return out;
}

int text_fail(const struct text *t, char why[ERRLEN], const char *fmt, ...)
{
    char message[ERRLEN];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(message, sizeof message, fmt, arguments);
    va_end(arguments);
    return fail(why, "%s: line %" PRId64 ": %s", t->path, t->line, message);
}
