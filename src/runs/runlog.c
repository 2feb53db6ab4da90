/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of a run. Each record is one write(), so that kill -9 leaves at most one torn record at the end. */
#include "runs/runlog.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include "base/clock.h"
#include "base/output.h"
#include "base/pipes.h"
#include "base/strings.h"
#include "base/version.h"

struct head {
    char magic[4];
    uint32_t bytes, crc;
}; /* precedes the JSON of each record; little-endian */
static const char magic[4] = { 'S', 'P', 'L', '1' };
enum { HEAD = sizeof(struct head), LONGEST = 1 << 24, SEARCH = 16 }; /* bytes summed in vain for each byte of a log */
_Static_assert(sizeof(struct head) == 12, "the head of a record must have no padding");

/* The first record of every log. */
struct log_row {
    char version[32];
    int64_t created_ns, pid;
};
static const struct column log_columns[] = {
    COLUMN_TEXT_OF(struct log_row, version, "version of the program that wrote the log"),
    COLUMN_OF(struct log_row, created_ns, COLUMN_I64, "ns", "creation time, nanoseconds since 1970"),
    COLUMN_OF(struct log_row, pid, COLUMN_I64, "", "process id"),
};
static const struct schema log_schema = SCHEMA_OF(struct log_row, "log", log_columns);

struct runlog {
    char *path;
    int fd;
    off_t end;
    double synced_s;
};

static char *folder_of(const char *run_path)
{
    char *run = output_linked(run_path), *folder = xasprintf("%s.log", run);
    free(run);
    return folder;
}

/* ---- writing ---- */

/* Appends a record: HEAD bytes, which this function fills in, then the JSON. */
static int write_record(struct runlog *log, char *record, char why[ERRLEN])
{
    size_t bytes = strlen(record + HEAD);
    struct head head = { .bytes = (uint32_t)bytes,
                         .crc = (uint32_t)crc32(0, (const Bytef *)record + HEAD, (uInt)bytes) };
    int status = 0;

    memcpy(head.magic, magic, sizeof magic);
    memcpy(record, &head, HEAD);
    if (pipe_write(log->fd, record, HEAD + bytes)) {
        status = fail(why, "cannot write %s:", log->path);
        if (ftruncate(log->fd, log->end))
            status = fail(why, "cannot remove a half-written record from %s:", log->path);
    } else {
        log->end += (off_t)(HEAD + bytes);
        if (now_s() - log->synced_s > 1) {
            log->synced_s = now_s();
            if (fdatasync(log->fd))
                status = fail(why, "cannot sync %s:", log->path);
        }
    }
    return status;
}

int runlog_write(struct runlog *log, const struct schema *schema, const void *row, char why[ERRLEN])
{
    char *json = row_to_json(schema, row); /* "{...}" */
    char *record = xasprintf("%*s{\"table\":\"%s\",%s", HEAD, "", schema->name, json + 1);
    const int status = write_record(log, record, why);

    free(record);
    free(json);
    return status;
}

static int begin(struct runlog *log, char why[ERRLEN])
{
    struct log_row row;
    struct timespec t;

    memset(&row, 0, sizeof row);
    clock_gettime(CLOCK_REALTIME, &t);
    TEXT_SET(row.version, SPMVCAST_VERSION);
    row.created_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    row.pid = getpid();
    return runlog_write(log, &log_schema, &row, why);
}

int runlog_open(const char *run_path, struct runlog **out, char why[ERRLEN])
{
    char *folder = folder_of(run_path);
    struct runlog *log = xcalloc(1, sizeof *log);
    uint64_t id;
    int status = 0;

    log->fd = -1;
    if (mkdir(folder, 0777) && errno != EEXIST) {
        status = fail(why, "cannot create the directory %s:", folder);
        goto out;
    }
    if (getrandom(&id, sizeof id, 0) != sizeof id) {
        status = fail(why, "cannot get random bytes for a log name:");
        goto out;
    }
    log->path = xasprintf("%s/%016" PRIx64 ".log", folder, id);
    log->fd = open(log->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    /* The lock tells readers that the last record may still be incomplete. Without support for locks, the log works,
     * too. */
    if (log->fd < 0 || (flock(log->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK))
        status = fail(why, "cannot create the log %s:", log->path);
    else
        status = begin(log, why);
out:
    free(folder);
    if (status) {
        if (log->fd >= 0)
            close(log->fd);
        free(log->path);
        free(log);
        return status;
    }
    *out = log;
    return 0;
}

int runlog_close(struct runlog *log, char why[ERRLEN])
{
    int status = 0;

    if (fdatasync(log->fd))
        status = fail(why, "cannot sync %s:", log->path);
    if (close(log->fd) && !status)
        status = fail(why, "cannot close %s:", log->path);
    free(log->path);
    free(log);
    return status;
}

/* ---- reading ---- */

struct log {
    char *path, *data;
    size_t bytes, whole;
    int64_t created_ns;
    int fd;
};

/* Returns the JSON of the record at `at` (NUL-terminated, malloc'd), or NULL if there is no whole record; *next: its
 * end. *wrong: bytes of records with wrong checksums are added. */
static char *record_at(const struct log *log, size_t at, size_t *next, size_t *wrong)
{
    struct head head;
    char *json;

    if (log->bytes - at < HEAD)
        return NULL;
    memcpy(&head, log->data + at, HEAD);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes > LONGEST || head.bytes > log->bytes - at - HEAD)
        return NULL;
    if ((uint32_t)crc32(0, (const Bytef *)log->data + at + HEAD, (uInt)head.bytes) != head.crc) {
        *wrong += head.bytes;
        return NULL;
    }
    json = xmalloc(head.bytes + 1);
    memcpy(json, log->data + at + HEAD, head.bytes);
    json[head.bytes] = 0;
    *next = at + HEAD + head.bytes;
    return json;
}

/* Copies NAME from a record {"table":"NAME",... */
static int table_of(const char *json, char name[64])
{
    static const char start[] = "{\"table\":\"";
    size_t length = strncmp(json, start, sizeof start - 1) != 0 ? 0 : strcspn(json + sizeof start - 1, "\"");

    if (!length || length >= 64)
        return FAIL;
    memcpy(name, json + sizeof start - 1, length);
    name[length] = 0;
    return 0;
}

/* Calls each(table, json, arg) for every whole record and skips damaged bytes. each NULL: only sets `whole` and
 * `created_ns`. */
static int walk(struct log *log, int (*each)(const char *, const char *, void *), void *arg, char why[ERRLEN])
{
    size_t at = 0, next, lost = 0, wrong = 0;
    char name[64], *json;
    struct log_row row;
    int status = 0;

    log->whole = 0;
    while (at < log->bytes && !status) {
        json = record_at(log, at, &next, &wrong);
        if (!json && wrong > SEARCH * log->bytes)
            return fail(why, "%s is damaged: too many records have wrong checksums; move it elsewhere", log->path);
        if (!json) {
            at++;
            continue;
        }
        lost += at - log->whole;
        if (table_of(json, name))
            status = fail(why, "%s: a record has no table name", log->path);
        else if (strcmp(name, log_schema.name) == 0) {
            if (!each && !log->created_ns && !row_from_json(&log_schema, json, &row, why))
                log->created_ns = row.created_ns;
        } else if (each && each(name, json, arg))
            status = FAIL;
        free(json);
        log->whole = at = next;
    }
    if (lost && each)
        warn("%s: ignored %zu damaged bytes", log->path, lost);
    return status;
}

static int load(struct log *log, bool mend, char why[ERRLEN])
{
    struct stat facts;

    log->fd = open(log->path, (mend ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (log->fd < 0 || fstat(log->fd, &facts))
        return fail(why, "cannot read %s:", log->path);
    if (!S_ISREG(facts.st_mode))
        return fail(why, "%s is no log of a run; move it away", log->path);
    log->data = xmalloc((unsigned long)facts.st_size);
    while (log->bytes < (size_t)facts.st_size) {
        ssize_t n = pread(log->fd, log->data + log->bytes, (size_t)facts.st_size - log->bytes, (off_t)log->bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(why, "cannot read %s:", log->path);
        if (n == 0)
            break;
        log->bytes += (size_t)n;
    }
    return walk(log, NULL, NULL, why);
}

/* Removes a torn record from the end of a log. A log locked by its writer is left unchanged, since its last record
 * may still be incomplete. */
static int cut(struct log *log, char why[ERRLEN])
{
    if (log->whole == log->bytes || flock(log->fd, LOCK_EX | LOCK_NB))
        return 0;
    if (log->whole == 0 && (log->bytes < sizeof magic || memcmp(log->data, &magic, sizeof magic) != 0))
        return fail(why, "%s is no log of a run; move it away", log->path);
    warn("%s: removed %s of a torn record", log->path, counted((int64_t)(log->bytes - log->whole), "byte").text);
    return ftruncate(log->fd, (off_t)log->whole) ? fail(why, "cannot remove a torn record from %s:", log->path) : 0;
}

static int oldest_first(const void *a, const void *b)
{
    const struct log *x = a, *y = b;

    return x->created_ns != y->created_ns ? (x->created_ns > y->created_ns) - (x->created_ns < y->created_ns)
                                          : strcmp(x->path, y->path);
}

/* Is this the name of a log, as runlog_open makes them? */
static bool is_log(const char *name)
{
    enum { DIGITS = 16 };
    return strspn(name, "0123456789abcdef") == DIGITS && strcmp(name + DIGITS, ".log") == 0;
}

/* Finds the logs in a directory, in any order; *n is 0 if the directory does not exist. alone: nothing else may be there, since the
 * directory is to be removed with the logs. */
static int find_logs(const char *folder, bool alone, struct log **logs, int *n, char why[ERRLEN])
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;

    *logs = NULL;
    *n = 0;
    if (!d)
        return errno == ENOENT
                   ? 0
                   : fail(why, "cannot read %s, where the logs of a run are kept; move away what is there:", folder);
    while ((e = readdir(d))) {
        if (!is_log(e->d_name) && (!alone || e->d_name[0] == '.')) /* hidden: a file system's own */
            continue;
        if (!is_log(e->d_name)) {
            fail(why, "%s/%s is no log of a run; move it away, since the directory is removed with its logs", folder,
                 e->d_name);
            closedir(d);
            return FAIL;
        }
        *logs = xrealloc(*logs, ((unsigned long)*n + 1) * sizeof **logs);
        (*logs)[(*n)++] = (struct log){ .path = xasprintf("%s/%s", folder, e->d_name), .fd = -1 };
    }
    return closedir(d) ? fail(why, "cannot read %s:", folder) : 0;
}

static void logs_free(struct log *logs, int n)
{
    for (int i = 0; i < n; i++) {
        if (logs[i].fd >= 0)
            close(logs[i].fd);
        free(logs[i].data);
        free(logs[i].path);
    }
    free(logs);
}

static int read_all(const char *run_path, bool mend, int (*each)(const char *, const char *, void *), void *arg,
                    char why[ERRLEN])
{
    char *folder = folder_of(run_path);
    struct log *logs;
    int n, status = find_logs(folder, mend, &logs, &n, why);

    for (int i = 0; i < n && !status; i++)
        status = load(&logs[i], mend, why);
    if (!status && n)
        qsort(logs, (size_t)n, sizeof *logs, oldest_first);
    if (!status)
        fail(why, "%s: invalid record", folder); /* in case each() fails; overwritten by other errors */
    for (int i = 0; i < n && !status; i++) {
        status = walk(&logs[i], each, arg, why);
        if (!status && mend)
            status = cut(&logs[i], why);
    }
    logs_free(logs, n);
    free(folder);
    return status;
}

int runlog_read(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN])
{
    return read_all(run_path, true, each, arg, why);
}

int runlog_look(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN])
{
    return read_all(run_path, false, each, arg, why);
}

/* ---- replacing logs ---- */

struct kept {
    bool (*keep)(const char *table, const char *json, void *arg);
    void *arg;
    struct strlist records;
};

static int keep_one(const char *table, const char *json, void *arg)
{
    struct kept *k = arg;

    if (k->keep(table, json, k->arg))
        strlist_add(&k->records, json);
    return 0;
}

static int write_kept(const char *run_path, const struct strlist *records, char why[ERRLEN])
{
    struct runlog *log;

    if (runlog_open(run_path, &log, why))
        return FAIL;
    int status = 0;
    for (int i = 0; i < records->n && !status; i++) {
        char *record = xasprintf("%*s%s", HEAD, "", records->v[i]);
        status = write_record(log, record, why);
        free(record);
    }
    if (status) {
        char ignored[ERRLEN];
        unlink(log->path);
        (void)runlog_close(log, ignored);
        return status;
    }
    return runlog_close(log, why);
}

int runlog_keep(const char *run_path, bool (*keep)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN])
{
    char *folder = folder_of(run_path);
    struct kept kept = { .keep = keep, .arg = arg };
    struct log *logs;
    int n, status = find_logs(folder, true, &logs, &n, why);

    if (!status && keep)
        status = runlog_read(run_path, keep_one, &kept, why);
    if (!status && kept.records.n)
        status = write_kept(run_path, &kept.records, why);
    for (int i = 0; i < n && !status; i++)
        if (unlink(logs[i].path) && errno != ENOENT)
            status = fail(why, "cannot remove %s:", logs[i].path);
    if (!status && !kept.records.n && rmdir(folder) && errno != ENOENT)
        status = fail(why, "cannot remove %s:", folder);
    strlist_free(&kept.records);
    logs_free(logs, n);
    free(folder);
    return status;
}
