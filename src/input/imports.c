/* SPDX-License-Identifier: BSD-3-Clause */
/* Imports of matrix files, kept in a directory by content (imports.h). */
#include "input/imports.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "base/version.h"

const char *imports_folder;
int64_t imports_max = INT64_C(20000000000);

enum { KEY = ID_LEN - 1 };
static const char ending[] = ".h5";

void import_free(struct import *i)
{
    free(i->path);
    i->path = NULL;
}

void import_find(const struct input *in, struct import *i)
{
    char sha256[ID_LEN], unread[ERRLEN];
    *i = (struct import){ .path = NULL };
    if (!imports_folder || in->form == INPUT_WORDS || stat(in->file, &i->source) || !S_ISREG(i->source.st_mode)
        || hash_file(in->file, sha256, unread))
        return;
    char *facts = xasprintf("import\n%s\n%s\n%s\n%s\n%s\n%d", SPMVCAST_VERSION, spmvcast_git ? spmvcast_git : "",
                            sha256, files_name(in->file), in->inside, in->real_part);
    hash_string(facts, i->key);
    free(facts);
    i->path = xasprintf("%s/%s%s", imports_folder, i->key, ending);
    struct stat there;
    if (stat(i->path, &there) == 0 && !S_ISREG(there.st_mode)) /* a pipe blocks */
        import_free(i);
}

/* ---- the directory ----------------------------------------------------------------------------------------------- */
struct entry {
    char name[NAME_MAX + 1];
    struct stat facts;
};

/* Returns the length of KEY.h5, or of KEY-NUMBERS.h5 while it is written, at the beginning of a name; 0: it is neither. */
static size_t import_name(const char *name)
{
    const size_t n = KEY + strspn(name + strnlen(name, KEY), "-0123456789");
    return strspn(name, "0123456789abcdef") == KEY && strncmp(name + n, ending, strlen(ending)) == 0
               ? n + strlen(ending)
               : 0;
}

static int least_recent_first(const void *a, const void *b)
{
    const struct timespec *s = &((const struct entry *)a)->facts.st_atim,
                          *t = &((const struct entry *)b)->facts.st_atim;
    return s->tv_sec != t->tv_sec ? (s->tv_sec > t->tv_sec) - (s->tv_sec < t->tv_sec)
                                  : (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

/* Is the file an import of its name, or empty? Other programs name files by their contents, too. */
static bool is_import(int folder, const char *name)
{
    static char head[1 << 16]; /* of ours, the key is in the first of them */
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    if (fd >= 0)
        close(fd);
    return n == 0 || (n > 0 && memmem(head, (size_t)n, name, KEY));
}

/* Removes what killed writers left, and imports beyond the limit. */
static void shrink(void)
{
    DIR *folder = opendir(imports_folder);
    struct entry *v = NULL;
    size_t n = 0;
    double bytes = 0;
    for (const struct dirent *d; folder && (d = readdir(folder));) {
        struct entry e;
        const size_t length = import_name(d->d_name);
        snprintf(e.name, sizeof e.name, "%.*s", (int)length, d->d_name);
        if (length && temporary_is(d->d_name)) {
            char *of = xasprintf("%s/%s", imports_folder, e.name);
            temporary_sweep(of);
            free(of);
        } else if (length && !d->d_name[length] && fstatat(dirfd(folder), e.name, &e.facts, AT_SYMLINK_NOFOLLOW) == 0
                   && S_ISREG(e.facts.st_mode)) {
            v = xrealloc(v, (n + 1) * sizeof *v);
            v[n++] = e;
            bytes += (double)e.facts.st_size;
        }
    }
    if (n > 0)
        qsort(v, n, sizeof *v, least_recent_first);
    for (size_t k = 0; k < n && imports_max > 0 && bytes > (double)imports_max; k++) {
        if (is_import(dirfd(folder), v[k].name))
            unlinkat(dirfd(folder), v[k].name, 0);
        bytes -= (double)v[k].facts.st_size;
    }
    free(v);
    if (folder)
        closedir(folder);
}

/* Writes to a name of this process, then renames: a file that other processes read, write or remove is never replaced in place. */
static int write_import(const struct import *i, const struct matrix *m, char why[ERRLEN])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char *own = xasprintf("%s/%s-%ld-%ld%s", imports_folder, i->key, (long)getpid(), now.tv_nsec, ending);
    int status = mkdir(imports_folder, 0777) && errno != EEXIST ? fail(why, "cannot create %s:", imports_folder)
                                                                : matrix_write(own, m, why);
    if (!status && rename(own, i->path) && errno != ENOENT) /* ENOENT: another process needed the room */
        status = fail(why, "cannot rename %s to %s:", own, i->path);
    if (status)
        unlink(own);
    free(own);
    return status;
}

void import_write(const struct import *i, const struct input *in, struct matrix *m)
{
    static bool warned;
    struct stat now;
    char why[ERRLEN];
    const double bytes = 8.0 * (double)m->csr.rows + 12.0 * (double)m->csr.nnz;
    if (!i->path || 2 * bytes > memory_limit() || stat(in->file, &now) || !files_unchanged(&i->source, &now))
        return;
    if (imports_max > 0 && bytes > (double)imports_max) {
        note("%s: its import would take about %.0f bytes, more than --imports-max %" PRId64 ", and is not kept",
             in->file, bytes, imports_max);
        shrink();
        return;
    }
    memcpy(m->import_key, i->key, sizeof i->key);
    const int status = write_import(i, m, why);
    m->import_key[0] = 0;
    if (!status)
        shrink();
    else if (!warned) {
        warned = true;
        warn("%s; matrices are read without --imports", why);
    }
}
