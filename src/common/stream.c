/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain, gzip and xz files into memory; one source of compressed bytes, one growing buffer, a table of decoders. */
#include "common/stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { HEAD = 6, PIECE = 1 << 18 };

struct source {
    const char *path;
    int fd;
    int64_t file_bytes, read_bytes;     /* file_bytes: 0 where unknown (a pipe) */
    unsigned char piece[PIECE];
    size_t n;                           /* bytes in piece: not yet taken after source_open, since then as source_next says */
    bool fresh;                         /* piece was not handed out yet */
};

struct sink { struct stream_text *text; int64_t capacity, limit; };

/* Up to `bytes` bytes, fewer only at the end. */
static int read_fully(int fd, void *to, size_t bytes, size_t *n)
{
    *n = 0;
    while (*n < bytes) {
        ssize_t got = read(fd, (char *)to + *n, bytes - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return FAIL;
        if (got == 0)
            break;
        *n += (size_t)got;
    }
    return 0;
}

static int source_open(struct source *s, const char *path, char why[ERRLEN])
{
    struct stat st;
    s->path = path;
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st))
        return fail(why, "open %s:", path);
    if (S_ISDIR(st.st_mode))
        return fail(why, "%s is a folder; expected a matrix file", path);
    if (S_ISREG(st.st_mode))
        s->file_bytes = st.st_size;
    if (read_fully(s->fd, s->piece, sizeof s->piece, &s->n))
        return fail(why, "read %s:", path);
    s->read_bytes = (int64_t)s->n;
    s->fresh = true;
    if (s->n == 0)
        return fail(why, "%s is empty; expected a matrix file", path);
    return 0;
}

/* The next piece into s->piece, s->n; n = 0 at the end. */
static int source_next(struct source *s, char why[ERRLEN])
{
    if (s->fresh) {
        s->fresh = false;
        return 0;
    }
    if (read_fully(s->fd, s->piece, sizeof s->piece, &s->n))
        return fail(why, "read %s:", s->path);
    s->read_bytes += (int64_t)s->n;
    return 0;
}

static int sink_reserve(struct sink *k, int64_t more, char why[ERRLEN])
{
    int64_t needed = k->text->bytes + more + STREAM_PADDING;
    if (needed <= k->capacity)
        return 0;
    int64_t capacity = needed > k->capacity + k->capacity / 2 ? needed : k->capacity + k->capacity / 2;
    char *data = realloc(k->text->data, (size_t)capacity);
    if (!data) {
        fail(why, "not enough memory to hold the text: %.1f GB needed so far", (double)capacity / 1e9);
        return OOM;
    }
    k->text->data = data;
    k->capacity = capacity;
    return 0;
}

static bool sink_full(const struct sink *k)
{
    return k->limit > 0 && k->text->bytes >= k->limit;
}

static int load_plain(struct source *s, struct sink *k, char why[ERRLEN])
{
    int status = sink_reserve(k, k->limit > 0 && k->limit < s->file_bytes ? k->limit : s->file_bytes, why);
    while (!status && !sink_full(k)) {
        if ((status = source_next(s, why)) || s->n == 0)
            break;
        if ((status = sink_reserve(k, (int64_t)s->n, why)))
            break;
        memcpy(k->text->data + k->text->bytes, s->piece, s->n);
        k->text->bytes += (int64_t)s->n;
    }
    return status;
}

static int cut_short(const struct source *s, const struct sink *k, const char *what, char why[ERRLEN])
{
    return fail(why, "%s is cut short: the %s stream does not end within its %" PRId64 " bytes (%" PRId64 " bytes of text came out); "
                "get the file again", s->path, what, s->read_bytes, k->text->bytes);
}

/* After the end of a gzip member: another member, zero padding, or the end of the file. *more says which. */
static int gzip_next_member(struct source *s, z_stream *z, bool *more, char why[ERRLEN])
{
    *more = false;
    for (;;) {
        for (; z->avail_in > 0 && *z->next_in == 0; z->avail_in--)
            z->next_in++;
        if (z->avail_in > 0)
            break;
        if (source_next(s, why))
            return FAIL;
        if (s->n == 0)
            return 0;
        z->next_in = s->piece;
        z->avail_in = (uInt)s->n;
    }
    if (*z->next_in != 0x1f)
        return fail(why, "%s: bytes after the end of the gzip stream that belong to none, near byte %" PRId64 "; get the file again",
                    s->path, s->read_bytes - (int64_t)z->avail_in);
    inflateReset(z);
    *more = true;
    return 0;
}

static int load_gzip(struct source *s, struct sink *k, char why[ERRLEN])
{
    z_stream z = { 0 };
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return fail(why, "%s: zlib cannot start", s->path);
    int status = sink_reserve(k, 4 * s->file_bytes, why);
    bool more = true;
    while (!status && more && !sink_full(k)) {
        if (z.avail_in == 0) {
            if ((status = source_next(s, why)))
                break;
            if (s->n == 0) {
                status = cut_short(s, k, "gzip", why);
                break;
            }
            z.next_in = s->piece;
            z.avail_in = (uInt)s->n;
        }
        if ((status = sink_reserve(k, PIECE, why)))
            break;
        z.next_out = (unsigned char *)k->text->data + k->text->bytes;
        z.avail_out = PIECE;
        int rc = inflate(&z, Z_NO_FLUSH);
        k->text->bytes += PIECE - (int64_t)z.avail_out;
        if (rc == Z_STREAM_END)
            status = gzip_next_member(s, &z, &more, why);
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            status = fail(why, "%s is damaged: gzip says '%s' near byte %" PRId64 " (%" PRId64 " bytes of text came out); get the file again",
                          s->path, z.msg ? z.msg : "broken stream", s->read_bytes - (int64_t)z.avail_in, k->text->bytes);
    }
    inflateEnd(&z);
    return status;
}

static la_ssize_t xz_more(struct archive *a, void *data, const void **buffer)
{
    struct source *s = data;
    char why[ERRLEN];
    if (source_next(s, why)) {
        archive_set_error(a, errno, "%s", why);
        return -1;
    }
    *buffer = s->piece;
    return (la_ssize_t)s->n;
}

static int load_xz(struct source *s, struct sink *k, char why[ERRLEN])
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    if (!a)
        return fail(why, "%s: libarchive cannot start", s->path);
    archive_read_support_filter_xz(a);
    archive_read_support_format_raw(a);
    int status = sink_reserve(k, 8 * s->file_bytes, why);
    if (status)
        goto out;
    int rc = archive_read_open(a, s, NULL, xz_more, NULL);
    if (rc == ARCHIVE_OK)
        rc = archive_read_next_header(a, &entry);
    la_ssize_t got = 0;
    while (rc == ARCHIVE_OK && !sink_full(k)) {
        if ((status = sink_reserve(k, PIECE, why)))
            goto out;
        got = archive_read_data(a, k->text->data + k->text->bytes, PIECE);
        if (got <= 0)
            break;
        k->text->bytes += got;
    }
    if ((rc != ARCHIVE_OK && rc != ARCHIVE_EOF) || got < 0)
        status = fail(why, "%s is cut short or damaged: xz says '%s' after %" PRId64 " of its bytes (%" PRId64 " bytes of text came out); "
                      "get the file again", s->path, archive_error_string(a) ? archive_error_string(a) : "broken stream", s->read_bytes,
                      k->text->bytes);
out:
    archive_read_free(a);
    return status;
}

static const struct decoder {
    unsigned char magic[HEAD];
    size_t magic_bytes;
    int (*load)(struct source *, struct sink *, char why[ERRLEN]);
} decoders[] = {
    { { 0x1f, 0x8b }, 2, load_gzip },
    { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, load_xz },
    { { 0 }, 0, load_plain },
};

int stream_load(const char *path, int64_t limit, struct stream_text *text, char why[ERRLEN])
{
    struct source *s = xcalloc(1, sizeof *s);
    struct sink k = { .text = text, .limit = limit };
    memset(text, 0, sizeof *text);
    int status = source_open(s, path, why);
    if (status)
        goto out;
    const struct decoder *d = decoders;
    while (s->n < d->magic_bytes || memcmp(s->piece, d->magic, d->magic_bytes) != 0)
        d++;
    status = d->load(s, &k, why);
    if (!status)
        status = sink_reserve(&k, 0, why);
    if (!status)
        memset(text->data + text->bytes, 0, STREAM_PADDING);
out:
    if (s->fd >= 0)
        close(s->fd);
    if (status) {
        free(text->data);
        memset(text, 0, sizeof *text);
    }
    free(s);
    return status;
}
