/* SPDX-License-Identifier: BSD-3-Clause */
/* A file whole in memory as text. */
#include "input/text.h"

#include <stdlib.h>
#include <string.h>

#include "input/tar.h"

enum { PIECE = 1 << 18 };

/* Until there are `until` bytes or the stream ends. */
static int fill(struct stream *s, struct stream_text *t, int64_t until, char why[ERRLEN])
{
    int status = 0;
    while (!status && t->bytes < until) {
        int64_t got = 0;
        status = stream_reserve(t, PIECE, why);
        if (!status)
            status = stream_read(s, t->data + t->bytes, PIECE, &got, why);
        t->bytes += got;
        if (got == 0)
            break;
    }
    return status;
}

int stream_load(const char *path, const char *inside, int64_t limit, struct stream_text *text, char why[ERRLEN])
{
    struct stream *s = NULL;
    memset(text, 0, sizeof *text);
    int status = stream_open(path, &s, why);
    if (!status)
        status = fill(s, text, TAR_BLOCK, why);
    if (status)
        goto out;
    if (text->bytes >= TAR_BLOCK && tar_begins(text->data)) {
        status = tar_load(s, path, inside, limit, text, why);
    } else if (inside[0]) {
        status = fail(why, "%s is no archive that holds '%.64s'; give the file alone", path, inside);
    } else {
        int64_t expected = stream_expected(s);
        status = stream_reserve(text, (limit > 0 && limit < expected ? limit : expected) + PIECE, why);
        if (!status)
            status = fill(s, text, limit > 0 ? limit : INT64_MAX, why);
    }
    if (!status)
        status = stream_reserve(text, 0, why);
    if (!status)
        memset(text->data + text->bytes, 0, STREAM_PADDING);
out:
    stream_close(s);
    if (status) {
        free(text->data);
        memset(text, 0, sizeof *text);
    }
    return status;
}
