/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards against files on which HDF5 may crash, and those that lead it to other files. Every file is first read by a child, and
 * what the child reports, or the way it ends, is the verdict. A digest proves that the file is as it was written, not by whom: such a
 * file is not read completely, but it is judged in a child, too. A library, which starts no process, reads files with a digest only. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "archive/archive_contents.h"
#include "archive/archive_inside.h"
#include "archive/digest.h"
#include "archive/h5_walk.h"
#include "base/files.h"
#include "base/isolate.h"
#include "base/memory.h"

/* Limits of the child: every MiB of the file (up to 1 GiB of values) is read in less than SECONDS_MIB on the CPU, in WAITS
 * times that with waiting for the disk, and the memory suffices for two of the largest chunks that HDF5 allows. */
enum { SECONDS = 20, SECONDS_MIB = 4, WAITS = 10 };
static const unsigned long child_bytes = 12UL << 30;

static void close_undone(void *file) { H5Fclose((hid_t)(intptr_t)file); }

static hid_t access_list(void)
{
    static hid_t access = -1; /* kept: closing it would clear the HDF5 error stack */

    h5_quiet();
    if (H5Iis_valid(access) > 0)
        return access;
    access = H5Pcreate(H5P_FILE_ACCESS); /* not yet made, or a program has closed the HDF5 library since */
    /* Objects left open by a failed read must not keep the file open. */
    if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)
        return -1;
    /* Without a cache, HDF5 reads a chunk without filters by its declared size, not by what its index says (h5_stored.c). */
    if (H5Pset_cache(access, 0, 521, 0, 0.75) < 0)
        return -1;
#if H5_VERSION_GE(1, 14, 0) || (H5_VERS_MINOR == 12 && H5_VERS_RELEASE > 0) \
    || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE > 6)
    if (H5Pset_file_locking(access, false, true) < 0)
        return -1;
#endif
    /* Of a library, this would change the whole process; h5_walk refuses such links before anything follows them. */
    if (!error_is_trapped() && H5Lis_registered(H5L_TYPE_EXTERNAL) > 0 && H5Lunregister(H5L_TYPE_EXTERNAL) < 0)
        return -1;
    return access;
}

static int cannot_open(const char *path, char why[ERRLEN])
{
    h5_fail(why, "%s is cut short or damaged: HDF5 cannot open it", path);
    if (strstr(why, "already open for write"))
        return fail(
            why,
            "%s is open in another program, or was not closed by one; if nobody writes it, 'h5clear -s FILE' makes it readable",
            path);
    /* verdict_of judges want of memory */
    return h5_trouble() == ENOMEM || !h5_blame(path, why) ? ARCHIVE_DAMAGED : FAIL;
}

/* Opens the file that has these facts, and no other that has taken its name meanwhile. */
static int open_file(const char *path, const struct stat *facts, hid_t *file, char why[ERRLEN])
{
    struct stat opened;
    int *fd;
    const hid_t access = access_list();

    *file = access < 0 ? access : H5Fopen(path, H5F_ACC_RDONLY, access);
    if (*file < 0)
        return cannot_open(path, why);
    error_undo(close_undone, (void *)(intptr_t)*file);
    if (H5Fget_vfd_handle(*file, access, (void **)&fd) >= 0 && fstat(*fd, &opened) == 0
        && files_unchanged(facts, &opened))
        return 0;
    h5_close(*file);
    *file = H5I_INVALID_HID;
    return fail(why, "%s has changed while it was read; try again", path);
}

void h5_close(hid_t file)
{
    error_undone((void *)(intptr_t)file);
    H5Fclose(file);
}

/* ---- in the child ---- */

struct job {
    const char *path;
    struct stat facts;
    bool contents, is_signed;
    int status, trouble;
    char why[ERRLEN];
};

/* Checks links, the requested values, what the kind promises and, if `tables`, the checksums of tables. */
static int check_contents(hid_t file, const char *path, enum h5_values values, bool tables, char why[ERRLEN])
{
    struct archive a = { .path = (char *)(uintptr_t)path, .file = file };
    int status = h5_walk(file, path, values, why);

    if (!status)
        status = archive_contents_check(file, path, why);
    return status || !tables ? status : archive_verify(&a, why);
}

static int check_unsigned(hid_t file, struct job *job)
{
    int64_t schema = 0;
    const htri_t ours = H5Aexists(file, "spmvcast_kind");

    if (ours > 0 && h5_get_int(file, "schema", &schema) == 0 && schema >= ARCHIVE_DIGESTS && schema <= ARCHIVE_SCHEMA) {
        fail(job->why, "%s is damaged: its digest is missing; it was cut short or modified by another program",
             job->path);
        return ARCHIVE_DAMAGED;
    }
    /* The checksums cover everything in the tables of an archive. */
    const bool tables = ours > 0 && schema > 0 && schema <= ARCHIVE_SCHEMA;
    const enum h5_values values = !job->contents ? H5_VALUES_NONE : tables ? H5_VALUES_ROOT : H5_VALUES_ALL;
    return check_contents(file, job->path, values, tables, job->why);
}

/* A valid digest does not prove that the writer kept the checksums of the tables: another program may have modified the file and
 * renewed the digest. */
static int check_signed(hid_t file, struct job *job)
{
    return check_contents(file, job->path, H5_VALUES_FOREIGN, H5Aexists(file, "spmvcast_kind") > 0, job->why);
}

static void judge(void *data)
{
    struct job *job = data;
    hid_t file;

    job->status = open_file(job->path, &job->facts, &file, job->why);
    if (!job->status) {
        job->status = (job->is_signed ? check_signed : check_unsigned)(file, job);
        h5_close(file);
    }
    job->trouble = job->status ? h5_trouble() : 0;
}

/* ---- in the parent ---- */

/* The memory of the child: no more than what is read may take, but enough for HDF5 itself. */
static unsigned long bytes_of_child(void)
{
    static const double least = 0x1p28;
    const double limit = fmax(memory_limit(), least);

    return limit < (double)child_bytes ? (unsigned long)limit : child_bytes;
}

/* Returns the verdict of the child. A file may ask for any amount of memory: if none is left, that is damage, unless it was
 * limited further. */
static int verdict_of(const struct job *job, char why[ERRLEN])
{
    struct rlimit memory;
    const bool limited =
        (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY) || bytes_of_child() < child_bytes;

    memcpy(why, job->why, ERRLEN);
    if (job->status != ARCHIVE_DAMAGED || job->trouble == 0 || (job->trouble == ENOMEM && !limited))
        return job->status;
    errno = job->trouble;
    return fail(why, "%s: cannot check for damage:", job->path);
}

static unsigned long seconds_of(const struct stat *facts)
{
    return SECONDS + SECONDS_MIB * ((unsigned long)facts->st_size >> 20);
}

unsigned long h5_seconds(const char *path)
{
    struct stat facts = { .st_size = 0 };

    return stat(path, &facts) ? SECONDS : WAITS * seconds_of(&facts);
}

static int send_child(struct job *job, char why[ERRLEN])
{
    const unsigned long seconds = seconds_of(&job->facts);
    /* Calls memory_limit(), too, which the child cannot once it can open no file. */
    const struct isolate_limits limits = { seconds, bytes_of_child(), WAITS * seconds };
    char end[ERRLEN];
    const int status = isolate(judge, job, sizeof *job, &limits, end);

    if (status == 0)
        return verdict_of(job, why);
    if (status == ISOLATE_CRASHED)
        fail(why, "%s is damaged: HDF5 crashes while reading it (%.100s)", job->path, end);
    else if (status == ISOLATE_ENDLESS)
        fail(why, "%s is damaged: HDF5 does not finish reading it", job->path);
    else
        return fail(why, "%s: cannot check for damage: %.200s", job->path, end);
    return ARCHIVE_DAMAGED;
}

/* contents: also check the contents, as is always done, and noted there, if the file has a digest. Returns 0, FAIL or ARCHIVE_DAMAGED. */
static int check_file(const char *path, bool *contents, const struct stat *facts, char why[ERRLEN])
{
    enum digest digest;
    const int status = digest_check(path, &digest, why);
    const bool is_signed = digest == DIGEST_HOLDS;
    struct job job = { .path = path, .facts = *facts, .contents = *contents, .is_signed = is_signed };

    if (status)
        return status;
    if (digest == DIGEST_BROKEN)
        return ARCHIVE_DAMAGED;
    *contents |= is_signed;
    if (!error_is_trapped()) /* a library starts no process */
        return send_child(&job, why);
    if (!is_signed) {
        fail(
            why,
            "%s has no checksum at its end: it was cut short, or is of schema 1; get it again, or fit it again with spmv-fit",
            path);
        return ARCHIVE_DAMAGED;
    }
    judge(&job);
    return verdict_of(&job, why);
}

/* Verdicts on files, so that each is checked once per process. */
struct verdict {
    struct stat facts;
    bool contents;
    int status;
    char *path, *why;
};

static bool is_verdict_of(const struct verdict *v, const struct stat *facts, const char *path, bool contents)
{
    return files_unchanged(&v->facts, facts) && (v->contents || !contents || v->status)
           && (v->status == 0 || strcmp(v->path, path) == 0);
}

static struct verdict *known;
static int nknown;

void h5_forget(void)
{
    known = NULL;
    nknown = 0;
}

static int look_up(const char *path, bool contents, struct stat *facts, char why[ERRLEN])
{
    if (stat(path, facts))
        return fail(why, "cannot open %s:", path);
    for (int i = 0; i < nknown; i++)
        if (is_verdict_of(&known[i], facts, path, contents)) {
            memcpy(why, known[i].why, strlen(known[i].why) + 1);
            return known[i].status;
        }
    why[0] = 0;
    const int status = check_file(path, &contents, facts, why);
    if (status && status != ARCHIVE_DAMAGED)
        return status;
    known = xrealloc(known, (unsigned long)(nknown + 1) * sizeof *known);
    known[nknown++] = (struct verdict){ .facts = *facts,
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
    struct stat facts;

    *file = H5I_INVALID_HID;
    if (H5open() < 0)
        return fail(
            why,
            "cannot read %s: there is no HDF5 in this library, which reads profiles by their packed form alone (.pack)",
            path);
    int status = look_up(path, contents, &facts, why);
    if (!status)
        status = open_file(path, &facts, file, why);
    if (!status && (status = archive_contents_check(*file, path, why))) {
        h5_close(*file);
        *file = H5I_INVALID_HID;
    }
    return status;
}
