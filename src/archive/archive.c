/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads archives, which are opened with a clear message if they cannot be read, or from their packed form. */
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
#include "base/files.h"
#include "base/output.h"
#include "base/strings.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are hashed as stored, little-endian");

struct archive *archive_new(const char *path)
{
    struct archive *a = xcalloc(1, sizeof *a);

    h5_quiet();
    a->path = xstrdup(path);
    a->file = -1;
    return a;
}

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

int archive_look_at(const char *path, char why[ERRLEN])
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

int archive_read_kind(struct archive *a, char why[ERRLEN])
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
    const int status = archive_read_kind(a, why);
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
    int status = archive_look_at(path, why);

    if (status)
        return status;
    files_read(path);
    struct archive *a = archive_new(path);
    status = open_checked(a, kind, why);
    if (status) {
        archive_close(a);
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

/* Opens the file of a packed archive, from which something is missing in the packed form; does nothing if it is open. */
static int unpack(struct archive *a, char why[ERRLEN])
{
    char kind[KIND_BYTES];

    memcpy(kind, a->kind, sizeof kind);
    return a->file >= 0 ? 0 : open_checked(a, kind, why);
}

const char *archive_kind(const struct archive *a) { return a->kind; }
const char *archive_path(const struct archive *a) { return a->path; }
int archive_schema(const struct archive *a) { return a->schema; }

int archive_get(struct archive *a, const struct schema *schema, void **rows, int64_t *n, char why[ERRLEN])
{
    if (a->pack && pack_table(a->pack, schema, rows, n) && *rows)
        return 0;
    const int status = unpack(a, why);
    return status ? status : table_get(a, schema, rows, n, why);
}

int archive_get_any(struct archive *a, const struct schema *schema, void **rows, int64_t *n, char why[ERRLEN])
{
    if (a->pack && pack_table(a->pack, schema, rows, n))
        return 0;
    *rows = NULL;
    *n = 0;
    const int status = unpack(a, why);
    return status ? status : table_there(a, schema->name) == 0 ? 0 : table_get(a, schema, rows, n, why);
}

int archive_get_text(struct archive *a, const char *name, char *value, size_t bytes, char why[ERRLEN])
{
    if (a->pack && pack_text(a->pack, name, value, bytes))
        return 0;
    int status = unpack(a, why);
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
    const int status = unpack(a, why);
    if (status)
        return status;
    value[0] = 0;
    return H5Aexists(a->file, name) == 0 ? 0 : archive_get_text(a, name, value, bytes, why);
}

int archive_exit(int status) { return status == ARCHIVE_DAMAGED ? EXIT_WRONG : EXIT_FAILED; }

void archive_close(struct archive *a)
{
    if (!a)
        return;
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
