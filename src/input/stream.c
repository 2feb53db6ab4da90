/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain, gzip, xz, zstd and bzip2 files: one source of compressed bytes and a table of decoders that read from it. */
#include "input/stream.h"

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

/* Limits: after EXPANDED bytes of text, a stream may expand at most EXPANSION-fold. Matrices in text expand 10- to
 * 100-fold; gzip reaches 1032, xz 7000, zstd 32000, bzip2 a million, on repeated bytes only. */
enum { HEAD = 6, PIECE = 1 << 18, EXPANDED = 1 << 30, EXPANSION = 2000 };

struct decoder {
    unsigned char magic[HEAD];
    size_t magic_bytes;
    const char *name, *ending; /* file name extension */
    int (*start)(struct stream *, char why[ERRLEN]);
    int (*next)(struct stream *, void *to, size_t bytes, size_t *got, char why[ERRLEN]); /* *got is 0 on entry */
    void (*stop)(struct stream *);
    int (*filter)(struct archive *); /* for libarchive */
};

struct stream {
    const char *path;
    int fd;
    int64_t read_bytes, out_bytes; /* out_bytes: returned to the caller */
    unsigned char piece[PIECE];
    size_t n;   /* bytes in piece; 0 at the end of the file */
    bool fresh; /* source_open filled piece; the first source_next keeps it */
    bool ended;
    const struct decoder *decoder;
    z_stream z; /* also used for plain files: the position in piece */
    struct archive *archive;
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */
/* Reads `bytes` bytes, fewer only at the end; *n: their number. */
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

static int source_open(struct stream *s, const char *path, char why[ERRLEN])
{
    struct stat st;
    const bool standard = stream_is_standard(path);
    s->path = standard ? stream_standard_name : path;
    s->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st))
        return fail(why, "cannot open %s:", s->path);
    if (S_ISDIR(st.st_mode))
        return fail(
            why,
            "%s is a directory; expected a matrix file (spmv-predict --summary and spmv-info --table take directories)",
            s->path);
    if (read_fully(s->fd, s->piece, sizeof s->piece, &s->n))
        return fail(why, "cannot read %s:", s->path);
    s->read_bytes = (int64_t)s->n;
    s->fresh = true;
    if (s->n == 0)
        return fail(why, "%s is empty; expected a matrix file", s->path);
    return 0;
}

/* Reads the next piece into s->piece, s->n; n = 0 at the end. */
static int source_next(struct stream *s, char why[ERRLEN])
{
    if (s->fresh) {
        s->fresh = false;
        return 0;
    }
    if (read_fully(s->fd, s->piece, sizeof s->piece, &s->n))
        return fail(why, "cannot read %s:", s->path);
    s->read_bytes += (int64_t)s->n;
    return 0;
}

/* ---- plain ------------------------------------------------------------------------------------------------------- */
static int plain_next(struct stream *s, void *to, size_t bytes, size_t *got, char why[ERRLEN])
{
    if (!s->fresh && s->z.avail_in == 0) { /* no copy */
        if (read_fully(s->fd, to, bytes, got))
            return fail(why, "cannot read %s:", s->path);
        s->read_bytes += (int64_t)*got;
        return 0;
    }
    if (s->fresh) {
        s->fresh = false;
        s->z.next_in = s->piece;
        s->z.avail_in = (uInt)s->n;
    }
    *got = bytes < s->z.avail_in ? bytes : s->z.avail_in;
    memcpy(to, s->z.next_in, *got);
    s->z.next_in += *got;
    s->z.avail_in -= (uInt)*got;
    return 0;
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */
static int gzip_start(struct stream *s, char why[ERRLEN])
{
    return inflateInit2(&s->z, 15 + 16) == Z_OK ? 0 : fail(why, "%s: cannot initialize zlib", s->path);
}

static void gzip_stop(struct stream *s) { inflateEnd(&s->z); }

/* Continues after the end of a gzip member: another member, zero padding, or the end of the file (s->ended). */
static int gzip_next_member(struct stream *s, char why[ERRLEN])
{
    z_stream *z = &s->z;
    for (;;) {
        for (; z->avail_in > 0 && *z->next_in == 0; z->avail_in--)
            z->next_in++;
        if (z->avail_in > 0)
            break;
        if (source_next(s, why))
            return FAIL;
        if (s->n == 0) {
            s->ended = true;
            return 0;
        }
        z->next_in = s->piece;
        z->avail_in = (uInt)s->n;
    }
    if (*z->next_in != 0x1f)
        return fail(why,
                    "%s is damaged: trailing bytes after the gzip stream, near byte %" PRId64 "; get the file again",
                    s->path, s->read_bytes - (int64_t)z->avail_in);
    inflateReset(z);
    return 0;
}

static int gzip_next(struct stream *s, void *to, size_t bytes, size_t *got, char why[ERRLEN])
{
    z_stream *z = &s->z;
    int status = 0;
    while (!status && *got == 0 && !s->ended) {
        if (z->avail_in == 0) {
            if (source_next(s, why))
                return FAIL;
            if (s->n == 0)
                return fail(why,
                            "%s is cut short: the gzip stream is incomplete after %" PRId64 " bytes (%" PRId64
                            " bytes decompressed); get the file again",
                            s->path, s->read_bytes, s->out_bytes);
            z->next_in = s->piece;
            z->avail_in = (uInt)s->n;
        }
        z->next_out = to;
        z->avail_out = (uInt)bytes;
        int rc = inflate(z, Z_NO_FLUSH);
        *got = bytes - z->avail_out;
        if (rc == Z_STREAM_END)
            status = gzip_next_member(s, why);
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            status = fail(why,
                          "%s is damaged: gzip says '%s' near byte %" PRId64 " (%" PRId64
                          " bytes decompressed); get the file again",
                          s->path, z->msg ? z->msg : "broken stream", s->read_bytes - (int64_t)z->avail_in,
                          s->out_bytes + (int64_t)*got);
    }
    return status;
}

/* ---- xz, zstd and bzip2 ---------------------------------------------------------------------------------------- */
static la_ssize_t filter_more(struct archive *a, void *data, const void **buffer)
{
    struct stream *s = data;
    char why[ERRLEN];
    if (source_next(s, why)) {
        archive_set_error(a, errno, "%s", why);
        return -1;
    }
    *buffer = s->piece;
    return (la_ssize_t)s->n;
}

static int filter_failed(const struct stream *s, char why[ERRLEN])
{
    const char *text = archive_error_string(s->archive);
    return fail(why,
                "%s is cut short or damaged: %s says '%s' after %" PRId64 " bytes (%" PRId64
                " bytes decompressed); get the file again",
                s->path, s->decoder->name, text ? text : "broken stream", s->read_bytes, s->out_bytes);
}

static int filter_start(struct stream *s, char why[ERRLEN])
{
    struct archive_entry *entry;
    s->archive = archive_read_new();
    if (!s->archive)
        return fail(why, "%s: cannot initialize libarchive", s->path);
    if (s->decoder->filter(s->archive) != ARCHIVE_OK) /* a warning means that libarchive would run a program */
        return fail(why, "%s: this libarchive does not support %s; decompress the file first", s->path,
                    s->decoder->name);
    archive_read_support_format_raw(s->archive);
    int rc = archive_read_open(s->archive, s, NULL, filter_more, NULL);
    if (rc == ARCHIVE_OK)
        rc = archive_read_next_header(s->archive, &entry);
    s->ended = rc == ARCHIVE_EOF;
    return rc == ARCHIVE_OK || rc == ARCHIVE_EOF ? 0 : filter_failed(s, why);
}

static int filter_next(struct stream *s, void *to, size_t bytes, size_t *got, char why[ERRLEN])
{
    la_ssize_t n = s->ended ? 0 : archive_read_data(s->archive, to, bytes);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? filter_failed(s, why) : 0;
}

static void filter_stop(struct stream *s) { archive_read_free(s->archive); }

/* ---- stream interface -------------------------------------------------------------------------------------------- */
static const struct decoder decoders[] = {
    { { 0x1f, 0x8b }, 2, "gzip", ".gz", gzip_start, gzip_next, gzip_stop, NULL },
    { { 0xfd, '7', 'z', 'X', 'Z', 0 },
      6,
      "xz",
      ".xz",
      filter_start,
      filter_next,
      filter_stop,
      archive_read_support_filter_xz },
    { { 0x28, 0xb5, 0x2f, 0xfd },
      4,
      "zstd",
      ".zst",
      filter_start,
      filter_next,
      filter_stop,
      archive_read_support_filter_zstd },
    { { 'B', 'Z', 'h' },
      3,
      "bzip2",
      ".bz2",
      filter_start,
      filter_next,
      filter_stop,
      archive_read_support_filter_bzip2 },
    { { 0 }, 0, "plain", NULL, NULL, plain_next, NULL, NULL },
};

const char stream_standard_name[] = "standard input";

bool stream_is_standard(const char *path) { return strcmp(path, "-") == 0; }

int stream_open(const char *path, struct stream **out, char why[ERRLEN])
{
    struct stream *s = xcalloc(1, sizeof *s);
    int status = source_open(s, path, why);
    if (!status) {
        s->decoder = decoders;
        while (s->n < s->decoder->magic_bytes || memcmp(s->piece, s->decoder->magic, s->decoder->magic_bytes) != 0)
            s->decoder++;
        if (s->decoder->start)
            status = s->decoder->start(s, why);
    }
    if (status) {
        stream_close(s);
        s = NULL;
    }
    *out = s;
    return status;
}

int stream_read(struct stream *s, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    size_t n = 0;
    int status = s->decoder->next(s, to, bytes < PIECE ? (size_t)bytes : PIECE, &n, why);
    s->out_bytes += (int64_t)n;
    *got = (int64_t)n;
    return status ? status : stream_expands(s->path, s->read_bytes, s->out_bytes, why);
}

int stream_expands(const char *path, int64_t from, int64_t to, char why[ERRLEN])
{
    if (to <= EXPANDED || to / EXPANSION <= from)
        return 0;
    return fail(why,
                "%s: %" PRId64 " bytes expand to more than %" PRId64
                " (%d-fold), which no matrix does; decompress the file and check its contents",
                path, from, to, (int)(to / from));
}

bool stream_is_plain(const struct stream *s) { return s->decoder->magic_bytes == 0; }

const char *stream_ending(int i)
{
    return i >= 0 && i < (int)(sizeof decoders / sizeof *decoders) ? decoders[i].ending : NULL;
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    if (s->decoder && s->decoder->stop)
        s->decoder->stop(s);
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}
