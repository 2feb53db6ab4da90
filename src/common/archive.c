/* SPDX-License-Identifier: BSD-3-Clause */
/* Archives as files: made in memory, written whole; opened with a clear word where they cannot be. */
#include "common/archive.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/archive_inside.h"
#include "common/output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are hashed as they are stored: little-endian");

static void archive_free(struct archive *a)
{
    if (a->file >= 0)
        H5Fclose(a->file);
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

/* The file grows in memory and is written at close: HDF5 does not survive a full disk well (it tries again in its own exit
 * handler), so the room is reserved before. The 1.10 format has checksums on all its metadata and spends little on a
 * small column. */
static hid_t create_in_memory(const char *name)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE), file = -1;

    if (access >= 0 && creation >= 0 && H5Pset_fapl_core(access, 1 << 20, true) >= 0
        && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_obj_track_times(creation, false) >= 0
#if H5_VERSION_GE(1, 10, 2)
        && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)
#else
        && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0)
#endif
        file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
    if (access >= 0)
        H5Pclose(access);
    if (creation >= 0)
        H5Pclose(creation);
    return file;
}

int archive_create(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    struct archive *a = archive_new(path);

    if (output_begin(path, &a->tmp, why)) {
        archive_free(a);
        return FAIL;
    }
    TEXT_SET(a->kind, kind);
    a->schema = ARCHIVE_SCHEMA;
    a->file = create_in_memory(a->tmp);
    if (a->file < 0 || h5_put_text(a->file, "spmvcast_kind", kind) || h5_put_int(a->file, "schema", ARCHIVE_SCHEMA)) {
        h5_fail(why, "cannot begin archive %s", path);
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

/* errno tells why not. */
static int reserve(const char *path, hsize_t bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC), err;

    if (fd < 0)
        return -1;
    err = posix_fallocate(fd, 0, (off_t)bytes);
    if (close(fd) && !err)
        err = errno;
    errno = err;
    return err ? -1 : 0;
}

static int write_whole(struct archive *a, char why[ERRLEN])
{
    hsize_t bytes;                          /* a little more than the closed file */
    hid_t file = a->file;

    if (H5Fget_filesize(file, &bytes) < 0)
        return h5_fail(why, "cannot write %s", a->path);
    if (reserve(a->tmp, bytes))
        return fail(why, "cannot write %s (%lld bytes):", a->path, (long long)bytes);
    a->file = -1;
    if (H5Fclose(file) < 0)
        return h5_fail(why, "cannot write %s", a->path);
    const char *tmp = a->tmp;
    a->tmp = NULL;                          /* commit removes it also where it fails */
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

/* What can be told without HDF5. */
static int look_at(const char *path, off_t *bytes, char why[ERRLEN])
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char head[8] = "";
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = 0;

    if (fd < 0)
        return fail(why, "cannot open %s:", path);
    if (fstat(fd, &facts))
        status = fail(why, "cannot open %s:", path);
    else if (S_ISDIR(facts.st_mode))
        status = fail(why, "%s is a directory, an archive (.h5) is expected", path);
    else if (!S_ISREG(facts.st_mode))
        status = fail(why, "%s is no regular file, an archive (.h5) is expected", path);
    else if (facts.st_size == 0) {
        fail(why, "%s is empty, an archive (.h5) is expected", path);
        status = ARCHIVE_DAMAGED;
    } else if (read(fd, head, sizeof head) < 0)
        status = fail(why, "cannot read %s:", path);
    else if (memcmp(head, signature, sizeof head)) {
        fail(why, "%s is no HDF5 file, an archive of spmvcast (.h5) is expected", path);
        status = ARCHIVE_FOREIGN;
    }
    *bytes = facts.st_size;
    close(fd);
    return status;
}

static int check_kind(struct archive *a, const char *kind, char why[ERRLEN])
{
    long long schema;

    if (H5Aexists(a->file, "spmvcast_kind") == 0) {
        fail(why, "%s is HDF5, but no archive of spmvcast (attribute spmvcast_kind is missing)%s", a->path,
             H5Aexists(a->file, "binsparse") > 0 ? ": it is a Binsparse matrix" : "");
        return ARCHIVE_FOREIGN;
    }
    if (h5_get_text(a->file, "spmvcast_kind", a->kind, sizeof a->kind) || h5_get_int(a->file, "schema", &schema)) {
        h5_fail(why, "%s is damaged: its attributes spmvcast_kind and schema cannot be read", a->path);
        return ARCHIVE_DAMAGED;
    }
    a->schema = (int)schema;
    if (schema > ARCHIVE_SCHEMA) {
        fail(why, "%s was written by a newer spmvcast (schema %lld, this one reads up to %d): update", a->path, schema, ARCHIVE_SCHEMA);
        return ARCHIVE_NEWER;
    }
    if (kind && strcmp(kind, a->kind))
        return fail(why, "%s is an archive of kind %s, one of kind %s is expected", a->path, a->kind, kind);
    return 0;
}

int archive_open(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    off_t bytes = 0;
    hsize_t needed;
    int status = look_at(path, &bytes, why);

    if (status)
        return status;
    struct archive *a = archive_new(path);
    a->file = h5_open(path);
    if (a->file < 0 || H5Fget_filesize(a->file, &needed) < 0) {
        h5_fail(why, "%s is cut short or damaged: HDF5 cannot open it", path);
        status = ARCHIVE_DAMAGED;
    } else if (needed > (hsize_t)bytes) {
        fail(why, "%s is cut short: %lld bytes, %llu are expected", path, (long long)bytes, (unsigned long long)needed);
        status = ARCHIVE_DAMAGED;
    } else
        status = check_kind(a, kind, why);
    if (status) {
        archive_free(a);
        return status;
    }
    *out = a;
    return 0;
}

const char *archive_kind(const struct archive *a) { return a->kind; }
const char *archive_path(const struct archive *a) { return a->path; }
int archive_schema(const struct archive *a) { return a->schema; }

int archive_get_text(struct archive *a, const char *name, char *value, size_t bytes, char why[ERRLEN])
{
    int status = h5_get_text(a->file, name, value, bytes);

    if (status == -2)
        return fail(why, "%s: attribute %s is longer than %zu bytes", a->path, name, bytes - 1);
    return status ? h5_fail(why, "%s: text attribute %s is missing or damaged", a->path, name) : 0;
}

void archive_close(struct archive *a)
{
    if (a)
        archive_free(a);
}
