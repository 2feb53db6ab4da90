/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix in a tar archive: one pass by libarchive over what the stream gives. A candidate is read as it passes by;
 * a better one replaces it, so that at most one member is in memory. */
#include "input/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIECE = 1 << 18, LISTED = 200 };
enum rank { NOTHING, MATRIX, AGREEING, RANKS }; /* AGREEING: its folder has its name, or it was asked for */

struct tar {
    const char *path, *inside;
    int64_t limit;
    struct stream *stream;
    struct stream_text head;  /* what was read before it was known to be a tar archive */
    struct stream_text *text; /* the best member so far */
    enum rank held;
    struct archive *archive;
    char piece[PIECE];
    bool head_given, broken;   /* broken: the stream failed, stream_why says how */
    int64_t zeros;             /* at the end of what was read: an archive ends in two blocks of them */
    int64_t members, matrices; /* seen; .mtx files among them */
    int64_t count[RANKS];
    char last[80];          /* the member last seen */
    char names[LISTED + 8]; /* the .mtx members, or all where there are none; cut with "..." */
    char stream_why[ERRLEN];
};

/* ---- headers and names ------------------------------------------------------------------------------------------- */
bool tar_begins(const char block[TAR_BLOCK])
{
    enum { SUM_AT = 148, SUM_BYTES = 8 };
    const unsigned char *b = (const unsigned char *)block;
    long sum = 0, all = 0;
    for (int k = 0; k < TAR_BLOCK; k++) {
        all += b[k];
        sum += k >= SUM_AT && k < SUM_AT + SUM_BYTES ? ' ' : b[k];
    }
    char digits[SUM_BYTES + 1], *end;
    memcpy(digits, block + SUM_AT, SUM_BYTES);
    digits[SUM_BYTES] = 0;
    return all == 0 || (b[0] != 0 && strtol(digits, &end, 8) == sum && end > digits);
}

/* For messages: unprintable characters as '?', at most bytes - 1 of them, the last ones as "..." where it is cut. */
static void printable(const char *text, char *out, size_t bytes)
{
    size_t n = 0;
    for (; text[n] && n < bytes - 1; n++)
        out[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
    out[n] = 0;
    if (text[n])
        memcpy(out + n - 3, "...", 3);
}

static const char *name_of(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (!name)
        name = archive_entry_pathname_utf8(entry);
    if (!name)
        name = "";
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

static bool leaves_its_folder(const char *name)
{
    for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/')
        if (strcspn(p, "/") == 2 && p[0] == '.' && p[1] == '.')
            return true;
    return name[0] == '/';
}

static enum rank rank_of(const char *name, const char *inside)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t n = strlen(base);
    if (inside[0])
        return strcmp(name, inside) == 0 ? AGREEING : NOTHING;
    /* .: what another system adds to a file */
    if (n <= 4 || base[0] == '.' || strcasecmp(base + n - 4, ".mtx") != 0)
        return NOTHING;
    n -= 4;
    bool agrees = slash && slash - name >= (ptrdiff_t)n && strncmp(slash - n, base, n) == 0
                  && (slash - n == name || slash[-(ptrdiff_t)n - 1] == '/');
    return agrees ? AGREEING : MATRIX;
}

static void list(struct tar *t, const char *name)
{
    size_t n = strlen(t->names);
    char shown[80];
    printable(name, shown, sizeof shown);
    if (n >= 5 && strcmp(t->names + n - 5, ", ...") == 0)
        return;
    snprintf(t->names + n, sizeof t->names - n, "%s%s", n ? ", " : "", n + strlen(shown) + 2 <= LISTED ? shown : "...");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static void count_zeros(struct tar *t, const char *data, int64_t bytes)
{
    int64_t n = 0;
    while (n < bytes && data[bytes - 1 - n] == 0)
        n++;
    t->zeros = n == bytes ? t->zeros + n : n;
}

static int next_piece(struct tar *t, int64_t *got, char why[ERRLEN])
{
    int status = stream_read(t->stream, t->piece, PIECE, got, why);
    count_zeros(t, t->piece, *got);
    return status;
}

static la_ssize_t more(struct archive *a, void *data, const void **buffer)
{
    struct tar *t = data;
    int64_t got = 0;
    (void)a;
    if (!t->head_given) {
        t->head_given = true;
        count_zeros(t, t->head.data, t->head.bytes);
        *buffer = t->head.data;
        return (la_ssize_t)t->head.bytes;
    }
    if (next_piece(t, &got, t->stream_why)) {
        t->broken = true;
        return -1;
    }
    *buffer = t->piece;
    return (la_ssize_t)got;
}

static int damaged(const struct tar *t, char why[ERRLEN])
{
    const char *text = archive_error_string(t->archive), *at = t->members > 0 ? t->last : "before its first member";
    if (t->broken)
        return fail(why, "%.*s (%s)", ERRLEN - 100, t->stream_why, at);
    return fail(why, "%s is cut short or damaged: tar says '%s' (%s); get the file again", t->path,
                text ? text : "broken archive", at);
}

static int load_member(struct tar *t, struct archive_entry *entry, const char *name, char why[ERRLEN])
{
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)
        || archive_entry_sparse_count(entry) > 0)
        return fail(why, "%s: %s is a link, a folder or a sparse file; expected a plain file", t->path, t->last);
    t->text->bytes = 0;
    snprintf(t->text->member, sizeof t->text->member, "%s", name);
    for (;;) {
        int status = stream_reserve(t->text, PIECE, why);
        if (status)
            return status;
        la_ssize_t got = archive_read_data(t->archive, t->text->data + t->text->bytes, PIECE);
        if (got < 0)
            return damaged(t, why);
        t->text->bytes += got;
        if (got == 0 || (t->limit > 0 && t->text->bytes >= t->limit))
            return 0;
    }
}

static int visit(struct tar *t, struct archive_entry *entry, char why[ERRLEN])
{
    const char *name = name_of(entry);
    enum rank rank = rank_of(name, t->inside);
    char shown[64];
    printable(name, shown, sizeof shown);
    snprintf(t->last, sizeof t->last, "member %s", shown);
    if (leaves_its_folder(name))
        return fail(why, "%s: %s has %s; such an archive is not read: pack it again with paths below its folder",
                    t->path, t->last, name[0] == '/' ? "an absolute path" : "'..' in its path");
    bool matrix = rank_of(name, "") != NOTHING;
    if (matrix && t->matrices == 0)
        t->names[0] = 0; /* from here on matrices only */
    if (matrix || t->matrices == 0)
        list(t, name);
    t->members++;
    t->matrices += matrix;
    t->count[rank]++;
    if (rank <= t->held)
        return 0;
    t->held = rank;
    return load_member(t, entry, name, why);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */
static int choose(const struct tar *t, char why[ERRLEN])
{
    if (t->held != NOTHING && t->count[t->held] == 1)
        return 0;
    if (t->held == NOTHING && t->members > 0 && t->zeros < TAR_BLOCK)
        return fail(why, "%s is cut short: the archive does not end (%s is its last); get the file again", t->path,
                    t->last);
    if (t->members == 0)
        return fail(why, "%s: an empty tar archive; expected NAME/NAME.mtx in it", t->path);
    if (t->held == NOTHING && t->inside[0])
        return fail(why, "%s: no member '%.64s'; it holds %s", t->path, t->inside, t->names);
    if (t->held == NOTHING)
        return fail(why, "%s: a tar archive without a .mtx file; it holds %s", t->path, t->names);
    return fail(why, "%s holds several matrices: %s; say which: %s:MEMBER", t->path, t->names, t->path);
}

/* What follows the archive's end, so that the stream's checksums are seen. */
static int drain(struct tar *t, char why[ERRLEN])
{
    int64_t got = 1;
    int status = 0;
    while (!status && got > 0)
        status = next_piece(t, &got, why);
    return status;
}

int tar_load(struct stream *stream, const char *path, const char *inside, int64_t limit, struct stream_text *text,
             char why[ERRLEN])
{
    struct tar *t = xcalloc(1, sizeof *t);
    struct archive_entry *entry;
    int status = 0, rc;
    while (inside[0] == '.' && inside[1] == '/')
        inside += 2;
    t->path = path;
    t->inside = inside;
    t->limit = limit;
    t->stream = stream;
    t->head = *text;
    t->text = memset(text, 0, sizeof *text);
    t->archive = archive_read_new();
    if (!t->archive) {
        status = fail(why, "%s: libarchive cannot start", path);
        goto out;
    }
    archive_read_support_format_tar(t->archive);
    rc = archive_read_open(t->archive, t, NULL, more, NULL);
    while (!status && rc == ARCHIVE_OK) {
        rc = archive_read_next_header(t->archive, &entry);
        if (rc == ARCHIVE_WARN) /* a name of another character set */
            rc = ARCHIVE_OK;
        if (rc == ARCHIVE_OK)
            status = visit(t, entry, why);
        if (limit > 0 && t->held == AGREEING)
            goto out;
    }
    if (!status && rc != ARCHIVE_EOF)
        status = damaged(t, why);
    if (!status)
        status = drain(t, why);
    if (!status)
        status = choose(t, why);
out:
    archive_read_free(t->archive);
    free(t->head.data);
    free(t);
    return status;
}
