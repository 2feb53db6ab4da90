/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a text in memory. */
#include "input/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input/mtx_parse.h"

int text_load(struct input *in, int64_t limit, struct text *t, char why[ERRLEN])
{
    const int status = input_load(in, limit, why);
    *t = (struct text){ .named = input_named(in), .whole = in->whole };
    if (status)
        return status;
    char *data = in->text.data, *end = data + in->text.bytes;
    input_label(in, t->path, sizeof t->path);
    t->begin = data;
    if (end == data || end[-1] != '\n') {
        const char *last = memrchr(data, '\n', (size_t)in->text.bytes);
        *end++ = '\n'; /* the first byte of the padding: what is loaded next replaces it */
        t->end = in->whole ? end : last ? last + 1 : data;
    } else {
        t->end = end;
    }
    return 0;
}

const char *text_next_line(const char *p, const char *end)
{
    const char *q = memchr(p, '\n', (size_t)(end - p));
    return q ? q + 1 : end;
}

int64_t text_line_of(const struct text *t, const char *p)
{
    int64_t line = 1;
    for (const char *q = t->begin; (q = memchr(q, '\n', (size_t)(p - q))) != NULL; q++)
        line++;
    return line;
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

int text_fail(const struct text *t, const char *p, char why[ERRLEN], const char *fmt, ...)
{
    char message[ERRLEN];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(message, sizeof message, fmt, arguments);
    va_end(arguments);
    return fail(why, "%s: line %" PRId64 ": %s", t->path, text_line_of(t, p), message);
}
