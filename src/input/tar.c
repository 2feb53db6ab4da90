/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix in a tar or zip archive, as packed by the SuiteSparse collection: NAME/NAME.mtx next to other files. Nothing is
 * unpacked: libarchive makes one pass over the stream. A candidate is read as it passes, and its result is kept until
 * a better candidate comes. The member is read by the reader that claims it (reader.h). */
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"

/* BLOCK: the block size of tar. AFTER: bytes allowed after the end of the archive. BLAMED: after the matrix was read
 * and is invalid, the number of further bytes to read to find out whether the archive is damaged. */
enum { BLOCK = 512, PIECE = 1 << 18, LISTED = 200, AFTER = 1 << 24, BLAMED = 1 << 28 };
enum rank { NOTHING, MATRIX, AGREEING, RANKS }; /* AGREEING: in a directory of the same name, or requested */

/* What to do with a candidate. */
struct task {
    /* Returns 0 or a failure, as a reader does. */
    int (*act)(const struct reader *, struct input *member, void *result, char why[ERRLEN]);
    void (*drop)(void *result); /* frees the result of act, also after a failure; NULL: nothing to free */
    void *result;
    bool header;  /* act reads only the beginning; what follows the best candidate is irrelevant */
    bool refuses; /* a candidate that its reader leaves out (reader.h), unless it was requested */
};

struct tar {
    char path[512]; /* for messages */
    bool zip;
    int64_t read_bytes, member_bytes; /* of the stream; of its members */
    const char *inside;
    const struct task *task;
    struct input *file;
    enum rank held; /* the best candidate so far */
    int outcome;    /* what task->act returned for it */
    char outcome_why[ERRLEN];
    int64_t blamed; /* bytes of the stream since the best possible candidate failed */
    struct archive *archive;
    char piece[PIECE];
    bool broken;               /* the stream failed; the reason is in stream_why */
    int64_t zeros;             /* zeros at the end of the data read; an archive ends with two zero blocks */
    int64_t members, matrices; /* members seen so far; those of them that are named as matrices */
    int64_t count[RANKS];
    char last[80];          /* the last member seen */
    char names[LISTED + 8]; /* names of members named as matrices, or of all if there are none; truncated with "..." */
    char stream_why[ERRLEN];
};

/* ---- headers and names ------------------------------------------------------------------------------------------- */
/* Returns true for a member header (any dialect with a valid checksum) or the end of an empty archive. */
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

/* Returns true for the header of a member, or the end of an empty archive. */
static bool is_zip(const struct input *in)
{
    return in->head_bytes >= 22 && (memcmp(in->head, "PK\3\4", 4) == 0 || memcmp(in->head, "PK\5\6", 4) == 0);
}

/* For messages: copies at most bytes - 1 characters, unprintable ones as '?', truncated with "...". */
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
    /* leading dot: metadata that another system adds for a file */
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

static const char *kind(const struct tar *t) { return t->zip ? "zip" : "tar"; }

static int next_piece(struct tar *t, int64_t *got, char why[ERRLEN])
{
    int status = input_read(t->file, t->piece, PIECE, got, why);
    t->read_bytes += *got;
    count_zeros(t, t->piece, *got);
    t->blamed += t->outcome && t->held == AGREEING ? *got : 0;
    return status;
}

static la_ssize_t more(struct archive *a, void *data, const void **buffer)
{
    struct tar *t = data;
    int64_t got = 0;
    if (t->blamed > BLAMED) {
        archive_set_error(a, ENOMSG, "not read to the end");
        return -1;
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
    return fail(why, "%s is cut short or damaged: %s says '%s' (%s); get the file again", t->path, kind(t),
                text ? text : "broken archive", at);
}

/* Implements struct input.more for a member. */
static int member_more(void *holder, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    struct tar *t = holder;
    const la_ssize_t n = archive_read_data(t->archive, to, (size_t)bytes);
    *got = n > 0 ? (int64_t)n : 0;
    t->member_bytes += *got;
    return n < 0 ? damaged(t, why) : stream_expands(t->path, t->read_bytes, t->member_bytes, why);
}

static int read_member(struct tar *t, struct input *member, const char *name, char why[ERRLEN])
{
    enum claim claim;
    *member = *t->file;
    member->stream = NULL;
    member->inside = "";
    member->packed = true;
    member->more = member_more;
    member->holder = t;
    snprintf(member->member, sizeof member->member, "%s", name);
    int status = input_begin(member, why);
    if (status)
        return status;
    const struct reader *reader = reader_of(member, &claim);
    if (claim < CLAIM_SURE)
        status = input_foreign(member, why);
    if (!status && t->task->refuses && !t->inside[0] && reader->left_out && reader->left_out(member))
        return fail(why, "%s: no matrix but %s; name %s:%s to read it as a matrix", t->path, name, t->path, name);
    return status ? status : t->task->act(reader, member, t->task->result, why);
}

/* A damaged archive fails at once; an invalid member fails only if no better one follows. */
static int try_member(struct tar *t, struct archive_entry *entry, const char *name, char why[ERRLEN])
{
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)
        || archive_entry_sparse_count(entry) > 0)
        return fail(why, "%s: %s is a link, a directory or a sparse file; expected a regular file", t->path, t->last);
    if (archive_entry_is_encrypted(entry))
        return fail(why, "%s: %s is encrypted; unpack the archive first", t->path, t->last);
    struct input *member = xmalloc(sizeof *member);
    if (t->task->drop)
        t->task->drop(t->task->result);
    t->outcome = read_member(t, member, name, t->outcome_why);
    t->blamed = 0;
    const int status = member->broken ? t->outcome : 0;
    if (status)
        memcpy(why, t->outcome_why, ERRLEN);
    free(member);
    return status;
}

static int visit(struct tar *t, struct archive_entry *entry, char why[ERRLEN])
{
    const char *name = name_of(entry);
    enum rank rank = rank_of(name, t->inside);
    char shown[64];
    printable(name, shown, sizeof shown);
    snprintf(t->last, sizeof t->last, "member %s", shown);
    if (leaves_its_folder(name))
        return fail(why, "%s: %s has %s, which is not supported; repack the archive without absolute paths and ..",
                    t->path, t->last, name[0] == '/' ? "an absolute path" : "'..' in its path");
    bool matrix = rank_of(name, "") != NOTHING;
    if (matrix && t->matrices == 0)
        t->names[0] = 0; /* from now on, list matrices only */
    if (matrix || t->matrices == 0)
        list(t, name);
    t->members++;
    t->matrices += matrix;
    t->count[rank]++;
    if (rank <= t->held)
        return 0;
    t->held = rank;
    return try_member(t, entry, name, why);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */
static int choose(const struct tar *t, char why[ERRLEN])
{
    char endings[200];
    if (t->held != NOTHING && t->count[t->held] == 1) {
        if (t->outcome)
            memcpy(why, t->outcome_why, ERRLEN);
        return t->outcome;
    }
    if (t->held == NOTHING && t->members > 0 && t->zeros < BLOCK && !t->zip)
        return fail(why, "%s is cut short: the archive has no end marker (last: %s); get the file again", t->path,
                    t->last);
    if (t->members == 0)
        return fail(why, "%s: empty %s archive; expected %s in it", t->path, kind(t),
                    readers_member_endings("NAME/NAME", endings, sizeof endings));
    if (t->held == NOTHING && t->inside[0])
        return fail(why, "%s: member '%.64s' not found; the archive holds: %s", t->path, t->inside, t->names);
    if (t->held == NOTHING)
        return fail(why, "%s: %s archive without a %s file; it holds: %s", t->path, kind(t),
                    readers_member_endings("", endings, sizeof endings), t->names);
    return fail(why, "%s holds several matrices: %s; name one as %s:MEMBER", t->path, t->names, t->path);
}

/* Reads what follows the end of the archive, so that the checksums of the stream are verified. */
static int drain(struct tar *t, char why[ERRLEN])
{
    int64_t got = 1, all = 0;
    int status = 0;
    while (!status && got > 0 && all <= AFTER && t->blamed <= BLAMED) {
        status = next_piece(t, &got, why);
        all += got;
    }
    return status || all <= AFTER
               ? status
               : fail(why, "%s: more than %d MiB after the end of the %s archive; get the file again", t->path,
                      AFTER >> 20, kind(t));
}

/* Makes one pass over the archive. Selects the member `inside`; if that is "", the matrix in a directory of the same
 * name (cant/cant.mtx), else the only file named as a matrix. FAIL: no such member, several (all are named), a member
 * with an absolute path or '..', the matrix is not a regular file or is invalid, cut short, damaged; OOM. */
static int pass(struct input *file, const struct task *task, char why[ERRLEN])
{
    struct tar *t = xcalloc(1, sizeof *t);
    struct archive_entry *entry;
    int status = 0, rc;
    input_label(file, t->path, sizeof t->path);
    t->inside = file->inside;
    while (t->inside[0] == '.' && t->inside[1] == '/')
        t->inside += 2;
    t->file = file;
    t->task = task;
    t->archive = archive_read_new();
    if (!t->archive) {
        status = fail(why, "%s: cannot initialize libarchive", t->path);
        goto out;
    }
    t->zip = is_zip(file);
    if (t->zip)
        archive_read_support_format_zip_streamable(t->archive);
    else
        archive_read_support_format_tar(t->archive);
    rc = archive_read_open(t->archive, t, NULL, more, NULL);
    while (!status && rc == ARCHIVE_OK && !(task->header && t->held == AGREEING)) {
        rc = archive_read_next_header(t->archive, &entry);
        if (rc == ARCHIVE_WARN) /* a name in another character set */
            rc = ARCHIVE_OK;
        if (rc == ARCHIVE_OK)
            status = visit(t, entry, why);
    }
    const bool passed = rc == ARCHIVE_EOF, enough = rc == ARCHIVE_OK || t->blamed > BLAMED;
    if (!status && !passed && !enough)
        status = damaged(t, why);
    if (!status && passed)
        status = drain(t, why);
    if (!status)
        status = choose(t, why);
out:
    archive_read_free(t->archive);
    free(t);
    return status;
}

/* ---- reader interface -------------------------------------------------------------------------------------------- */
static int act_read(const struct reader *r, struct input *member, void *result, char why[ERRLEN])
{
    return r->read(member, result, why);
}

static void drop_matrix(void *result) { matrix_free(result); }

static int tar_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    const struct task task = { act_read, drop_matrix, m, false, true };
    return pass(in, &task, why);
}

static int act_peek(const struct reader *r, struct input *member, void *result, char why[ERRLEN])
{
    memset(result, 0, sizeof(struct matrix_header));
    return r->peek(member, result, why);
}

static int tar_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    const struct task task = { act_peek, NULL, h, true, true };
    return pass(in, &task, why);
}

static int act_left_out(const struct reader *r, struct input *member, void *result, char why[ERRLEN])
{
    (void)why;
    *(bool *)result = r->left_out && r->left_out(member);
    return 0;
}

static bool tar_left_out(struct input *in)
{
    bool out = false;
    char unread[ERRLEN];
    const struct task task = { act_left_out, NULL, &out, true, false };
    return pass(in, &task, unread) == 0 && out;
}

/* Archives within archives are not opened. A zip archive may also be the file of a reader. */
static enum claim tar_recognises(const struct input *in)
{
    if (in->form != INPUT_BYTES || in->member[0])
        return CLAIM_NO;
    return in->head_bytes >= BLOCK && begins(in->head) ? CLAIM_SURE : is_zip(in) ? CLAIM_LIKELY : CLAIM_NO;
}

const struct reader tar_reader = {
    .name = "tar",
    .about = "a tar or zip archive with NAME/NAME.mtx in it (.tar.gz, .zip etc.)",
    .inside = "a member of an archive",
    .container = true,
    .endings = (const struct ending[]){ { ".tar", ENDING_STREAM },
                                        { ".txz", ENDING_WHOLE },
                                        { ".tgz", ENDING_WHOLE },
                                        { ".tbz2", ENDING_WHOLE },
                                        { ".zip", ENDING_WHOLE },
                                        { NULL, ENDING_WHOLE } },
    .recognises = tar_recognises,
    .peek = tar_peek,
    .read = tar_read,
    .left_out = tar_left_out,
};
