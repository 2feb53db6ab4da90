/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards against damaged files, on which HDF5 may crash. A file with a digest is opened only after the digest was
 * verified. A file without one (older, or written by another program) is first read completely by a child; what the
 * child reports, or the way it ends, is the verdict. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "archive/archive_contents.h"
#include "archive/archive_inside.h"
#include "archive/digest.h"
#include "archive/h5_walk.h"
#include "base/isolate.h"

/* Limits of the child: every MiB of the file (up to 1 GiB of values) is read in less than SECONDS_MIB, and the memory
 * suffices for two of the largest chunks that HDF5 allows. */
enum { SECONDS = 20, SECONDS_MIB = 4 };
static const unsigned long child_bytes = 12UL << 30;

static void close_undone(void *file) { H5Fclose((hid_t)(intptr_t)file); }

static hid_t open_unguarded(const char *path)
{
    static hid_t access = -1; /* kept: closing it would clear the HDF5 error stack */

    h5_quiet();
    if (H5Iis_valid(access) <= 0) { /* not yet made, or a program has closed the HDF5 library since */
        access = H5Pcreate(H5P_FILE_ACCESS);
        /* Objects left open by a failed read must not keep the file open. */
        if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)
            return -1;
#if H5_VERSION_GE(1, 14, 0) || (H5_VERS_MINOR == 12 && H5_VERS_RELEASE > 0) \
    || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE > 6)
        if (H5Pset_file_locking(access, false, true) < 0)
            return -1;
#endif
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file >= 0)
        error_undo(close_undone, (void *)(intptr_t)file);
    return file;
}

void h5_close(hid_t file)
{
    error_undone((void *)(intptr_t)file);
    H5Fclose(file);
}

static int cannot_open(const char *path, char why[ERRLEN])
{
    h5_fail(why, "%s is cut short or damaged: HDF5 cannot open it", path);
    return ARCHIVE_DAMAGED;
}

/* ---- in the child ---- */

struct job {
    const char *path;
    bool contents;
    int status;
    char why[ERRLEN];
};

/* Checks links, the requested values, what the kind promises and, if `tables`, the checksums of tables. */
static int check_contents(hid_t file, const char *path, enum h5_values values, bool tables, char why[ERRLEN])
{
    struct archive a = { .path = (char *)(uintptr_t)path, .file = file };

    if (h5_walk(file, path, values, why) || archive_contents_check(file, path, why))
        return FAIL;
    return tables ? archive_verify(&a, why) : 0;
}

static int check_unsigned(hid_t file, struct job *job)
{
    int64_t schema = 0;
    const htri_t ours = H5Aexists(file, "spmvcast_kind");

    if (ours > 0 && h5_get_int(file, "schema", &schema) == 0 && schema >= ARCHIVE_DIGESTS && schema <= ARCHIVE_SCHEMA)
        return fail(job->why, "%s is damaged: its digest is missing; it was cut short or modified by another program",
                    job->path);
    /* The checksums cover everything in the tables of an archive. */
    const bool tables = ours > 0 && schema > 0 && schema <= ARCHIVE_SCHEMA;
    const enum h5_values values = !job->contents ? H5_VALUES_NONE : tables ? H5_VALUES_ROOT : H5_VALUES_ALL;
    return check_contents(file, job->path, values, tables, job->why);
}

static void read_all(void *data)
{
    struct job *job = data;
    const hid_t file = open_unguarded(job->path);

    if (file < 0)
        job->status = cannot_open(job->path, job->why);
    else if (check_unsigned(file, job))
        job->status = ARCHIVE_DAMAGED;
}

/* ---- in the parent ---- */

static int send_child(const char *path, bool contents, off_t bytes, char why[ERRLEN])
{
    struct job job = { .path = path, .contents = contents };
    const struct isolate_limits limits = { SECONDS + SECONDS_MIB * ((unsigned long)bytes >> 20), child_bytes };
    char end[ERRLEN];
    const int status = isolate(read_all, &job, sizeof job, &limits, end);

    if (status == 0) {
        memcpy(why, job.why, ERRLEN);
        return job.status;
    }
    if (status == ISOLATE_CRASHED)
        fail(why, "%s is damaged: HDF5 crashes while reading it (%.100s)", path, end);
    else if (status == ISOLATE_ENDLESS)
        fail(why, "%s is damaged: HDF5 does not finish reading it", path);
    else
        return fail(why, "%s: cannot check for damage: %.200s", path, end);
    return ARCHIVE_DAMAGED;
}

/* A valid digest proves that the file is unchanged since it was written, not that its writer kept the checksums of
 * the tables: another program may have modified it and renewed the digest. Either way it was written completely, so HDF5 opens it
 * without the guard. */
static int check_signed(const char *path, char why[ERRLEN])
{
    const hid_t file = open_unguarded(path);
    int status = 0;

    if (file < 0)
        return cannot_open(path, why);
    if (H5Aexists(file, "spmvcast_kind") > 0 && check_contents(file, path, H5_VALUES_NONE, true, why))
        status = ARCHIVE_DAMAGED;
    h5_close(file);
    return status;
}

/* contents: also check the contents. Returns 0, FAIL or ARCHIVE_DAMAGED. */
static int check_file(const char *path, bool *contents, off_t bytes, char why[ERRLEN])
{
    enum digest digest;
    const int status = digest_check(path, &digest, why);

    if (status == 0 && digest == DIGEST_NONE && error_is_trapped()) { /* a library starts no process */
        fail(
            why,
            "%s has no checksum at its end: it was cut short, or is of schema 1; get it again, or fit it again with spmv-fit",
            path);
        return ARCHIVE_DAMAGED;
    }
    if (status == 0 && digest == DIGEST_NONE)
        return send_child(path, *contents, bytes, why);
    if (status)
        return status;
    if (digest != DIGEST_HOLDS)
        return ARCHIVE_DAMAGED;
    return *contents ? check_signed(path, why) : 0;
}

/* Verdicts on files, so that each is checked once per process. */
struct verdict {
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec changed;
    bool contents;
    int status;
    char *path, *why;
};

static bool is_of(const struct verdict *v, const struct stat *facts, const char *path, bool contents)
{
    return v->device == facts->st_dev && v->inode == facts->st_ino && v->bytes == facts->st_size
           && v->changed.tv_sec == facts->st_mtim.tv_sec && v->changed.tv_nsec == facts->st_mtim.tv_nsec
           && (v->contents || !contents || v->status) && (v->status == 0 || strcmp(v->path, path) == 0);
}

static struct verdict *known;
static int nknown;

void h5_forget(void)
{
    known = NULL;
    nknown = 0;
}

static int look_up(const char *path, bool contents, char why[ERRLEN])
{
    struct stat facts;

    if (stat(path, &facts))
        return fail(why, "cannot open %s:", path);
    for (int i = 0; i < nknown; i++)
        if (is_of(&known[i], &facts, path, contents)) {
            memcpy(why, known[i].why, strlen(known[i].why) + 1);
            return known[i].status;
        }
    why[0] = 0;
    const int status = check_file(path, &contents, facts.st_size, why);
    if (status && status != ARCHIVE_DAMAGED)
        return status;
    known = xrealloc(known, (unsigned long)(nknown + 1) * sizeof *known);
    known[nknown++] = (struct verdict){ .device = facts.st_dev,
                                        .inode = facts.st_ino,
                                        .bytes = facts.st_size,
                                        .changed = facts.st_mtim,
                                        .contents = contents,
                                        .status = status,
                                        .path = xstrdup(path),
                                        .why = xstrdup(status ? why : "") };
    return status;
}

bool h5_is(const char *path)
{
    h5_quiet();
    return H5Fis_hdf5(path) > 0 || digest_there(path);
}

int h5_open(const char *path, bool contents, hid_t *file, char why[ERRLEN])
{
    *file = H5I_INVALID_HID;
    int status = look_up(path, contents, why);
    if (status)
        return status;
    *file = open_unguarded(path);
    if (*file < 0)
        return cannot_open(path, why);
    status = archive_contents_check(*file, path, why);
    if (status) {
        h5_close(*file);
        *file = H5I_INVALID_HID;
    }
    return status;
}
