/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix in a tar archive, as the SuiteSparse collection packs it: NAME/NAME.mtx beside other files. Nothing is
 * unpacked: one pass by libarchive over what the stream gives. A candidate is loaded as it passes by; a better one replaces
 * it, so that at most one member is in memory. Who reads the member is the table's business (reader.h). */
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"

/* BLOCK: tar's. PEEKED: what a reader's peek mostly needs of a member; for more the archive is passed over again. */
enum { BLOCK = 512, PIECE = 1 << 18, LISTED = 200, PEEKED = 1 << 16 };
enum rank { NOTHING, MATRIX, AGREEING, RANKS }; /* AGREEING: its folder has its name, or it was asked for */

struct tar {
    const char *path, *inside;
    int64_t limit;
    struct input *file, *member; /* member: the best one so far */
    enum rank held;
    struct archive *archive;
    char piece[PIECE];
    bool head_given, broken;   /* broken: the stream failed, stream_why says how */
    int64_t zeros;             /* at the end of what was read: an archive ends in two blocks of them */
    int64_t members, matrices; /* seen; those named as matrices among them */
    int64_t count[RANKS];
    char last[80];          /* the member last seen */
    char names[LISTED + 8]; /* the members named as matrices, or all where there are none; cut with "..." */
    char stream_why[ERRLEN];
};

/* ---- headers and names ------------------------------------------------------------------------------------------- */
/* A member's header (any dialect: its checksum holds), or the end of an archive without members. */
static bool begins(const char block[BLOCK])
{
    enum { SUM_AT = 148, SUM_BYTES = 8 };
    const unsigned char *b = (const unsigned char *)block;
    long sum = 0, all = 0;
    for (int k = 0; k < BLOCK; k++) {
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
    size_t n = strlen(base), ending = reader_member_ending(base);
    if (inside[0])
        return strcmp(name, inside) == 0 ? AGREEING : NOTHING;
    /* .: what another system adds to a file */
    if (!ending || base[0] == '.')
        return NOTHING;
    n -= ending;
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
    int status = stream_read(t->file->stream, t->piece, PIECE, got, why);
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
        count_zeros(t, t->file->text.data, t->file->text.bytes);
        *buffer = t->file->text.data;
        return (la_ssize_t)t->file->text.bytes;
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
    struct stream_text *text = &t->member->text;
    text->bytes = 0;
    t->member->whole = false;
    snprintf(t->member->member, sizeof t->member->member, "%s", name);
    while (!t->member->whole && !(t->limit > 0 && text->bytes >= t->limit)) {
        int status = stream_reserve(text, PIECE, why);
        if (status)
            return status;
        la_ssize_t got = archive_read_data(t->archive, text->data + text->bytes, PIECE);
        if (got < 0)
            return damaged(t, why);
        text->bytes += got;
        t->member->whole = got == 0;
    }
    memset(text->data + text->bytes, 0, STREAM_PADDING);
    return 0;
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
    char endings[200];
    if (t->held != NOTHING && t->count[t->held] == 1)
        return 0;
    if (t->held == NOTHING && t->members > 0 && t->zeros < BLOCK)
        return fail(why, "%s is cut short: the archive does not end (%s is its last); get the file again", t->path,
                    t->last);
    if (t->members == 0)
        return fail(why, "%s: an empty tar archive; expected %s in it", t->path,
                    readers_member_endings("NAME/NAME", endings, sizeof endings));
    if (t->held == NOTHING && t->inside[0])
        return fail(why, "%s: no member '%.64s'; it holds %s", t->path, t->inside, t->names);
    if (t->held == NOTHING)
        return fail(why, "%s: a tar archive without a %s file; it holds %s", t->path,
                    readers_member_endings("", endings, sizeof endings), t->names);
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

/* One pass over the archive. Taken is the member `inside`; where that is "", the one named as a matrix whose folder has
 * its name (cant/cant.mtx), without one the only one named as a matrix. Of limit > 0 about so many bytes, and the pass
 * ends there. FAIL: no such member, several (all are named), a member with an absolute path or '..', the matrix is no
 * plain file, cut short, damaged; OOM. */
static int pass(struct input *file, int64_t limit, struct input *member, char why[ERRLEN])
{
    struct tar *t = xcalloc(1, sizeof *t);
    struct archive_entry *entry;
    int status = 0, rc;
    t->path = file->file;
    t->inside = file->inside;
    while (t->inside[0] == '.' && t->inside[1] == '/')
        t->inside += 2;
    t->limit = limit;
    t->file = file;
    t->member = member;
    t->archive = archive_read_new();
    if (!t->archive) {
        status = fail(why, "%s: libarchive cannot start", t->path);
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
    free(t);
    return status;
}

/* ---- the member as an input -------------------------------------------------------------------------------------- */
/* Nothing of the stream is kept: its decoder's memory may be large. */
static int pass_and_close(struct input *file, int64_t limit, struct input *member, char why[ERRLEN])
{
    const int status = pass(file, limit, member, why);
    stream_close(file->stream);
    file->stream = NULL;
    input_free_text(file);
    return status;
}

static int load_more(struct input *member, int64_t limit, char why[ERRLEN])
{
    const int status = input_again(member->archive, why);
    return status ? status : pass_and_close(member->archive, limit, member, why);
}

/* The member, and who reads it. input_close also after a failure. */
static int open_member(struct input *file, int64_t limit, struct input *member, const struct reader **reader,
                       char why[ERRLEN])
{
    enum claim claim;
    *member = *file;
    member->text = (struct stream_text){ 0 };
    member->whole = false;
    member->stream = NULL;
    member->inside = "";
    member->load = load_more;
    member->archive = file;
    const int status = pass_and_close(file, limit, member, why);
    if (!status)
        *reader = reader_of(member, &claim);
    return status;
}

static int tar_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    const struct reader *reader;
    struct input member;
    int status = open_member(in, 0, &member, &reader, why);
    if (!status)
        status = reader->read(&member, m, why);
    input_close(&member);
    return status;
}

static int tar_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    const struct reader *reader;
    struct input member;
    int status = open_member(in, PEEKED, &member, &reader, why);
    if (!status)
        status = reader->peek(&member, h, why);
    input_close(&member);
    return status;
}

static bool tar_left_out(struct input *in)
{
    const struct reader *reader;
    struct input member;
    char unread[ERRLEN];
    const bool out =
        open_member(in, INPUT_HEAD, &member, &reader, unread) == 0 && reader->left_out && reader->left_out(&member);
    input_close(&member);
    return out;
}

/* An archive in an archive is not looked into. */
static enum claim tar_recognises(const struct input *in)
{
    return in->form == INPUT_BYTES && !in->member[0] && in->text.bytes >= BLOCK && begins(in->text.data) ? CLAIM_SURE
                                                                                                         : CLAIM_NO;
}

const struct reader tar_reader = {
    .name = "tar",
    .about = "a tar archive with NAME/NAME.mtx in it (.tar.gz and so on)",
    .inside = "a member of a tar archive",
    .container = true,
    .endings =
        (const struct ending[]){
            { ".tar", ENDING_STREAM }, { ".txz", ENDING_WHOLE }, { ".tgz", ENDING_WHOLE }, { NULL, ENDING_WHOLE } },
    .recognises = tar_recognises,
    .peek = tar_peek,
    .read = tar_read,
    .left_out = tar_left_out,
};
