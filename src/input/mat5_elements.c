/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of MATLAB's files of version 5. */
#include "input/mat5_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FOLD = 1032, TYPES = 18 }; /* how much zlib expands at most; types of elements */

uint32_t mat5_word(const struct elements *s, const char *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return s->swapped ? __builtin_bswap32(v) : v;
}

/* Small elements have their data in the second half of the tag. */
int mat5_tag(struct elements *s, int64_t end, struct element *e, const char *what, char why[ERRLEN])
{
    enum { TAG = 8, HALF = 4, SMALL = 16 };
    char tag[TAG];
    int status = binary_read(&s->b, tag, HALF, what, why);
    if (status)
        return status;
    e->type = mat5_word(s, tag);
    e->bytes = e->type >> SMALL;
    e->padding = HALF - e->bytes;
    if (e->type >> SMALL)
        e->type &= 0xffff;
    else {
        status = binary_read(&s->b, tag + HALF, HALF, what, why);
        e->bytes = status ? 0 : mat5_word(s, tag + HALF);
        e->padding = e->type == MAT5_COMPRESSED ? 0 : -e->bytes & (TAG - 1);
    }
    if (!status && (e->padding < 0 || s->b.at + e->bytes > end))
        return fail(why, "%s: byte %" PRId64 ": %s: %" PRId64 " bytes, more than its variable", s->b.path, s->b.at,
                    what, e->bytes);
    return status;
}

int mat5_finish(struct elements *s, const struct element *e, int64_t used, const char *what, char why[ERRLEN])
{
    return binary_skip(&s->b, e->bytes - used + e->padding, what, why);
}

static struct number number_of(const struct elements *s, uint32_t type)
{
    static const struct number types[TYPES] = {
        [1] = { NUMBER_SIGNED, 1, false, false },    [2] = { NUMBER_UNSIGNED, 1, false, false },
        [3] = { NUMBER_SIGNED, 2, false, false },    [4] = { NUMBER_UNSIGNED, 2, false, false },
        [5] = { NUMBER_SIGNED, 4, false, false },    [6] = { NUMBER_UNSIGNED, 4, false, false },
        [7] = { NUMBER_REAL, 4, false, false },      [9] = { NUMBER_REAL, 8, false, false },
        [12] = { NUMBER_SIGNED, 8, false, false },   [13] = { NUMBER_UNSIGNED, 8, false, false },
        [16] = { NUMBER_UNSIGNED, 1, false, false }, [17] = { NUMBER_UNSIGNED, 2, false, false },
    };
    struct number n = { NUMBER_NONE, 1, false, false };
    if (type < TYPES && types[type].bytes)
        n = types[type];
    n.swapped = s->swapped;
    return n;
}

int mat5_numbers(struct elements *s, int64_t end, bool integers, struct element *e, struct number *t, const char *what,
                 char why[ERRLEN])
{
    const int status = mat5_tag(s, end, e, what, why);
    *t = number_of(s, e->type);
    if (status)
        return status;
    if (t->kind == NUMBER_NONE || (integers && t->kind == NUMBER_REAL) || e->bytes % t->bytes)
        return fail(why, "%s: %s does not contain %s (element of type %" PRIu32 ", %" PRId64 " bytes)", s->b.path, what,
                    integers ? "integers" : "numbers", e->type, e->bytes);
    return 0;
}

int mat5_integers(struct elements *s, int64_t end, int64_t *to, int64_t n, int64_t *found, const char *what,
                  char why[ERRLEN])
{
    struct element e = { 0 };
    struct number t;
    int status = mat5_numbers(s, end, true, &e, &t, what, why);
    if (status)
        return status;
    *found = e.bytes / t.bytes;
    const int64_t used = *found < n ? *found : n;
    status = binary_numbers(&s->b, t, used, AS_INT64, to, what, why);
    return status ? status : mat5_finish(s, &e, used * t.bytes, what, why);
}

int mat5_text(struct elements *s, int64_t end, char *to, int64_t bytes, const char *what, char why[ERRLEN])
{
    enum { MOST = 256 };
    int64_t c[MOST], n = 0;
    const int status = mat5_integers(s, end, c, bytes - 1 < MOST ? bytes - 1 : MOST, &n, what, why);
    n = status ? 0 : n < bytes - 1 ? n : bytes - 1;
    for (int64_t k = 0; k < n; k++)
        to[k] = c[k] > 0 && c[k] < 0x80 ? (char)c[k] : c[k] == 0 ? 0 : '?';
    to[n] = 0;
    return status;
}

/* ---- compressed elements ----------------------------------------------------------------------------------------- */
struct inflater {
    struct binary *file;
    int64_t left; /* compressed bytes of the element */
    bool ended;
    z_stream z;
    unsigned char piece[1 << 14];
};

/* As input_read. */
static int inflate_more(void *from, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    struct inflater *f = from;
    const uInt room = bytes < INT32_MAX ? (uInt)bytes : INT32_MAX;
    f->z.next_out = to;
    f->z.avail_out = room;
    while (!f->ended && f->z.avail_out == room) {
        if (f->z.avail_in == 0 && f->left > 0) {
            const int64_t n = f->left < (int64_t)sizeof f->piece ? f->left : (int64_t)sizeof f->piece;
            const int status = binary_read(f->file, f->piece, n, "a compressed variable", why);
            if (status)
                return status;
            f->left -= n;
            f->z.next_in = f->piece;
            f->z.avail_in = (uInt)n;
        }
        const int rc = inflate(&f->z, Z_NO_FLUSH);
        f->ended = rc == Z_STREAM_END;
        if (rc != Z_OK && rc != Z_STREAM_END && (rc != Z_BUF_ERROR || f->left == 0))
            return fail(why, "%s is damaged: zlib says '%s' before byte %" PRId64 "; get the file again", f->file->path,
                        f->z.msg ? f->z.msg : "incomplete stream", f->file->at);
    }
    *got = room - f->z.avail_out;
    return 0;
}

struct inflater *mat5_inflate(struct elements *file, const struct element *e, struct elements *inner)
{
    struct inflater *f = xcalloc(1, sizeof *f);
    f->file = &file->b;
    f->left = e->bytes;
    if (inflateInit(&f->z) != Z_OK)
        die("cannot initialize zlib");
    *inner = *file;
    inner->b.source = inflate_more;
    inner->b.from = f;
    inner->b.at = inner->b.rounded = 0;
    inner->b.holds = (double)e->bytes * FOLD;
    return f;
}

int mat5_end(struct inflater *f, struct elements *inner, bool whole, char why[ERRLEN])
{
    const int status = whole ? binary_drain(&inner->b, why) : 0;
    return status ? status : binary_skip(f->file, f->left, "a compressed variable", why);
}

void mat5_close(struct inflater *f, const struct elements *inner)
{
    f->file->rounded += inner->b.rounded;
    inflateEnd(&f->z);
    free(f);
}
