/* SPDX-License-Identifier: BSD-3-Clause */
/* Archive files: built in memory and written atomically; opened with a clear message if they cannot be read. */
#include "archive/archive.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive_inside.h"
#include "archive/digest.h"
#include "archive/pack.h"
#include "base/files.h"
#include "base/output.h"
#include "base/pipes.h"
#include "base/strings.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are hashed as stored, little-endian");

static void archive_free(struct archive *a)
{
    if (a->file >= 0)
        h5_close(a->file);
    pack_close(a->pack);
    if (a->tmp)
        output_discard(a->tmp);
    free(a->provenance);
    free(a->inputs);
    free(a->path);
    free(a);
}

static struct archive *archive_new(const char *path)
{
    struct archive *a = xcalloc(1, sizeof *a);

    h5_quiet();
    a->path = xstrdup(path);
    a->file = -1;
    return a;
}

/* ---- writing ---- */

/* HDF5 builds the file in memory and never writes to disk, because it does not survive a full disk (1.10 crashes in
 * its own exit handler). The 1.10 format has checksums on all metadata and little overhead for small columns. */
static hid_t create_in_memory(const char *name)
{
    static hid_t access = -1, creation = -1; /* kept: closing them would clear the HDF5 error stack */

    if (access < 0 || creation < 0) {
        access = H5Pcreate(H5P_FILE_ACCESS);
        creation = H5Pcreate(H5P_FILE_CREATE);
        if (access < 0 || creation < 0 || H5Pset_fapl_core(access, 1 << 20, false) < 0
            || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 || H5Pset_obj_track_times(creation, false) < 0)
            return -1;
#if H5_VERSION_GE(1, 10, 2)
        if (H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0)
#else
        if (H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) < 0)
#endif
            return -1;
    }
    return H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
}

static int look_at(const char *path, char why[ERRLEN]);

static int read_kind(struct archive *a, char why[ERRLEN]);

/* Opens the archive at a->path as one that an archive of this kind may replace. Returns as h5_open. */
static int open_replaced(struct archive *a, const char *kind, char why[ERRLEN])
{
    static const char foreign[] = "it exists and is not a spmvcast archive; use another name or remove it";
    int status = look_at(a->path, why);

    if (status == FAIL && access(a->path, R_OK) == 0)
        return fail(why, "%s", foreign);
    if (status || (status = h5_open(a->path, false, &a->file, why)) || (status = read_kind(a, why)))
        return status == ARCHIVE_FOREIGN ? fail(why, "%s", foreign) : status;
    if (strcmp(a->kind, kind) != 0)
        return fail(why, "it exists and is an archive of kind %s, not %s; use another name or remove it", a->kind,
                    kind);
    return a->schema < ARCHIVE_DIGESTS ? archive_contents_only(a->file, a->kind, why) : 0;
}

/* Protects files from a mistyped command (-o with the name of the matrix or of the measurements): only archives of the
 * same kind that can be read are replaced. */
static int may_replace(const char *path, const void *kind, char why[ERRLEN])
{
    char unread[ERRLEN];
    struct archive *a = archive_new(path);
    const int status = open_replaced(a, kind, unread);

    if (status == ARCHIVE_DAMAGED)
        fail(why, "cannot write %s: %.300s; keep it by 'mv %.80s %.80s.damaged', or remove it", path, unread, path,
             path);
    else if (status)
        fail(why, "cannot write %s: %.300s", path, unread);
    archive_free(a);
    return status ? FAIL : 0;
}

int archive_output(const char *path, const char *kind, const char **tmp, char why[ERRLEN])
{
    const struct output_kind output = { may_replace, kind, true };
    return output_begin(path, &output, tmp, why);
}

int archive_create(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    struct archive *a = archive_new(path);

    if (archive_output(path, kind, &a->tmp, why)) {
        archive_free(a);
        return FAIL;
    }
    TEXT_SET(a->kind, kind);
    a->schema = ARCHIVE_SCHEMA;
    a->file = create_in_memory(a->tmp);
    if (a->file < 0 || h5_put_text(a->file, "spmvcast_kind", kind) || h5_put_int(a->file, "schema", ARCHIVE_SCHEMA)) {
        h5_fail(why, "cannot create archive %s", path);
        archive_abandon(a);
        return FAIL;
    }
    *out = a;
    return 0;
}

int archive_put_text(struct archive *a, const char *name, const char *value, char why[ERRLEN])
{
    return h5_put_text(a->file, name, value) ? h5_fail(why, "%s: cannot write attribute %s", a->path, name) : 0;
}

/* Writes the bytes, followed by the digest. Returns -1 and sets errno on failure. */
static int write_file(const char *path, const unsigned char *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    char line[DIGEST_BYTES + 1];

    if (fd < 0)
        return -1;
    digest_line(data, bytes, line);
    const int err = pipe_write(fd, data, bytes) || pipe_write(fd, line, DIGEST_BYTES) ? errno : 0;
    if (close(fd) && !err)
        return -1;
    errno = err;
    return err ? -1 : 0;
}

static uint32_t rotate(uint32_t x, int k) { return x << k | x >> (32 - k); }

/* Bob Jenkins' lookup3 (public domain) over 44 bytes as little-endian words, the checksum of HDF5 superblocks 2 and
 * 3. */
static uint32_t checksum44(const unsigned char *data)
{
    uint32_t w[11], a = 0xdeadbeef + 44, b = a, c = a;

    memcpy(w, data, sizeof w);
    for (int i = 0; i < 9; i += 3) {
        a += w[i], b += w[i + 1], c += w[i + 2];
        a = (a - c) ^ rotate(c, 4), c += b;
        b = (b - a) ^ rotate(a, 6), a += c;
        c = (c - b) ^ rotate(b, 8), b += a;
        a = (a - c) ^ rotate(c, 16), c += b;
        b = (b - a) ^ rotate(a, 19), a += c;
        c = (c - b) ^ rotate(b, 4), b += a;
    }
    a += w[9], b += w[10];
    c = (c ^ b) - rotate(b, 14);
    a = (a ^ c) - rotate(c, 11);
    b = (b ^ a) - rotate(a, 25);
    c = (c ^ b) - rotate(b, 16);
    a = (a ^ c) - rotate(c, 4);
    b = (b ^ a) - rotate(a, 14);
    return (c ^ b) - rotate(b, 24);
}

/* Returns the file as bytes (malloc'd), NULL on failure. HDF5 clears the "open for writing" flag in a superblock of version
 * 2 or 3 without updating its checksum, so this computes it anew. The superblock: 8 bytes of signature, version, two sizes,
 * flags, four addresses of 8 bytes, checksum. */
static unsigned char *image_of(hid_t file, size_t *bytes)
{
    ssize_t n;
    unsigned char *image;
    uint32_t sum;

    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || (n = H5Fget_file_image(file, NULL, 0)) < 48)
        return NULL;
    image = xmalloc((unsigned long)n);
    if (H5Fget_file_image(file, image, (size_t)n) != n) {
        free(image);
        return NULL;
    }
    if (image[8] >= 2 && image[9] == 8) {
        sum = checksum44(image);
        memcpy(image + 44, &sum, sizeof sum);
    }
    *bytes = (size_t)n;
    return image;
}

static int write_whole(struct archive *a, char why[ERRLEN])
{
    size_t bytes;
    unsigned char *image = image_of(a->file, &bytes);

    if (!image)
        return h5_fail(why, "%s: cannot complete the archive", a->path);
    int status = write_file(a->tmp, image, bytes);
    free(image);
    if (status)
        return fail(why, "cannot write %s (%zu bytes):", a->path, bytes);
    const char *tmp = a->tmp;
    a->tmp = NULL; /* output_commit removes it even on failure */
    return output_commit(tmp, why);
}

int archive_commit(struct archive *a, char why[ERRLEN])
{
    int status = provenance_put(a, why);

    if (!status)
        status = write_whole(a, why);
    archive_abandon(a);
    return status;
}

void archive_abandon(struct archive *a)
{
    if (a)
        archive_free(a);
}

/* ---- reading ---- */

/* Returns 1 if HDF5 begins at the start of the file, or behind a user block: at byte 512, 1024, 2048...; 0; -1: errno. */
static int has_signature(int fd, off_t size)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char head[sizeof signature];

    for (off_t at = 0; at + (off_t)sizeof head <= size; at = at ? 2 * at : 512) {
        const ssize_t n = pread(fd, head, sizeof head, at);
        if (n != sizeof head || memcmp(head, signature, sizeof head) == 0)
            return n < 0 ? -1 : n == sizeof head;
    }
    return 0;
}

bool archive_has_logs(const char *path)
{
    char *run = output_linked(path), *logs = xasprintf("%s.log", run);
    struct stat facts;
    const bool there = stat(logs, &facts) == 0 && S_ISDIR(facts.st_mode);

    free(logs);
    free(run);
    return there;
}

static int cannot_open(const char *path, char why[ERRLEN])
{
    const int error = errno;
    const bool unfinished = error == ENOENT && archive_has_logs(path);

    errno = error;
    return unfinished ? fail(why,
                             "%s is not written yet, its run is unfinished; the same call of spmv-run resumes it, "
                             "spmv-merge -o NEW.h5 %s takes the rows so far",
                             path, path)
                      : fail(why, "cannot open %s:", path);
}

static bool reads_logs;

void archive_reads_logs(void) { reads_logs = true; }

void archive_note_logs(const char *path)
{
    static struct strlist noted;

    if (reads_logs || error_is_trapped() || strlist_has(&noted, path) || !archive_has_logs(path))
        return;
    strlist_add(&noted, path);
    note(
        "%s may lack rows that are in its logs, since its run is unfinished or still running; the same call of spmv-run "
        "resumes it, spmv-merge -o NEW.h5 %s takes the rows so far",
        path, path);
}

/* Checks the file without HDF5: its type, its size and the HDF5 signature. */
static int look_at(const char *path, char why[ERRLEN])
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0, found; /* do not block on a pipe */

    if (fd < 0)
        return cannot_open(path, why);
    if (fstat(fd, &facts))
        status = fail(why, "cannot open %s:", path);
    else if (S_ISDIR(facts.st_mode))
        status = fail(why, "%s is a directory; expected an archive (.h5)", path);
    else if (!S_ISREG(facts.st_mode))
        status = fail(why, "%s is not a regular file; expected an archive (.h5)", path);
    else if (facts.st_size == 0) {
        fail(why, "%s is empty; expected an archive (.h5)", path);
        status = ARCHIVE_DAMAGED;
    } else if ((found = has_signature(fd, facts.st_size)) < 0)
        status = fail(why, "cannot read %s:", path);
    else if (!found && digest_there(path)) {
        fail(why, "%s is damaged: it ends with a digest but does not start with the HDF5 signature", path);
        status = ARCHIVE_DAMAGED;
    } else if (!found)
        status = pack_at(fd) ? fail(why, "%s is a packed profile; give the archive that it was made from (.h5)", path)
                             : fail(why, "%s is not an HDF5 file; expected a spmvcast archive (.h5)", path);
    close(fd);
    return status;
}

/* Reads the kind and the schema of one of our files. */
static int read_kind(struct archive *a, char why[ERRLEN])
{
    int64_t schema;

    if (H5Aexists(a->file, "spmvcast_kind") == 0) {
        fail(why, "%s is an HDF5 file but not a spmvcast archive (attribute spmvcast_kind is missing)", a->path);
        return ARCHIVE_FOREIGN;
    }
    if (h5_get_text(a->file, "spmvcast_kind", a->kind, sizeof a->kind) || h5_get_int(a->file, "schema", &schema)) {
        h5_fail(why, "%s is damaged: its attributes spmvcast_kind and schema cannot be read", a->path);
        return ARCHIVE_DAMAGED;
    }
    a->schema = (int)schema;
    if (schema > ARCHIVE_SCHEMA) {
        fail(why,
             "%s was written by a newer spmvcast (schema %" PRId64 "; this version reads up to %d); update spmvcast",
             a->path, schema, ARCHIVE_SCHEMA);
        return ARCHIVE_NEWER;
    }
    return 0;
}

static int check_kind(struct archive *a, const char *kind, char why[ERRLEN])
{
    if (H5Aexists(a->file, "binsparse") > 0) {
        fail(why, "%s is a Binsparse matrix; expected an archive of measurements, recipes or coefficients", a->path);
        return ARCHIVE_FOREIGN;
    }
    const int status = read_kind(a, why);
    if (!status && kind && strcmp(kind, a->kind) != 0)
        return fail(why, "%s is an archive of kind %s; expected kind %s", a->path, a->kind, kind);
    return status;
}

static int open_checked(struct archive *a, const char *kind, char why[ERRLEN])
{
    const int status = h5_open(a->path, true, &a->file, why);

    return status ? status : check_kind(a, kind, why);
}

int archive_open(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    int status = look_at(path, why);

    if (status)
        return status;
    files_read(path);
    struct archive *a = archive_new(path);
    status = open_checked(a, kind, why);
    if (status) {
        archive_free(a);
        return status;
    }
    if (strcmp(a->kind, "run") == 0)
        archive_note_logs(path);
    *out = a;
    return 0;
}

int archive_open_packed(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    struct pack *pack = pack_open(path, kind);

    if (!pack)
        return archive_open(path, kind, out, why);
    files_read(path);
    *out = archive_new(path);
    (*out)->pack = pack;
    snprintf((*out)->kind, sizeof(*out)->kind, "%s", kind);
    return 0;
}

int archive_unpack(struct archive *a, char why[ERRLEN])
{
    char kind[KIND_BYTES];

    memcpy(kind, a->kind, sizeof kind);
    return a->file >= 0 ? 0 : open_checked(a, kind, why);
}

const char *archive_kind(const struct archive *a) { return a->kind; }
const char *archive_path(const struct archive *a) { return a->path; }
int archive_schema(const struct archive *a) { return a->schema; }

int archive_get_text(struct archive *a, const char *name, char *value, size_t bytes, char why[ERRLEN])
{
    if (a->pack && pack_text(a->pack, name, value, bytes))
        return 0;
    int status = archive_unpack(a, why);
    if (status)
        return status;
    status = h5_get_text(a->file, name, value, bytes);
    if (status == -2)
        fail(why, "%s: attribute %s is longer than %zu bytes", a->path, name, bytes - 1);
    else if (status)
        h5_fail(why, "%s: text attribute %s is missing or damaged", a->path, name);
    return status ? ARCHIVE_DAMAGED : 0;
}

int archive_get_text_any(struct archive *a, const char *name, char *value, size_t bytes, char why[ERRLEN])
{
    if (a->pack && pack_text(a->pack, name, value, bytes))
        return 0;
    const int status = archive_unpack(a, why);
    if (status)
        return status;
    value[0] = 0;
    return H5Aexists(a->file, name) == 0 ? 0 : archive_get_text(a, name, value, bytes, why);
}

int archive_exit(int status) { return status == ARCHIVE_DAMAGED ? EXIT_WRONG : EXIT_FAILED; }

void archive_close(struct archive *a)
{
    if (a)
        archive_free(a);
}
