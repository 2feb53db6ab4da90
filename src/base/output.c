/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files, written atomically. */
#include "base/output.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fixed-size table, because a signal handler reads it. */
enum { OUTPUTS = 16 };
static struct {
    char *volatile tmp;
    char *path, *shown; /* with symbolic links resolved; as given, for messages */
    struct output_kind kind;
    struct stat found; /* the file at path when it was checked; st_nlink 0: none */
    int fd;            /* of tmp, locked */
    pid_t owner;
} pending[OUTPUTS];

/* Async-signal-safe. A forked child does not touch the files of its parent. */
static void remove_pending(void)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (pending[i].tmp && pending[i].owner == getpid())
            unlink(pending[i].tmp);
}

static void on_signal(int number)
{
    remove_pending();
    signal(number, SIG_DFL);
    raise(number);
}

void output_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void output_stdout_failed(void) { die("cannot write to stdout:"); }

void output_stdout(void)
{
    if (fflush(stdout) || ferror(stdout))
        output_stdout_failed();
}

static int slot_of(const char *tmp)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (tmp ? pending[i].tmp && strcmp(pending[i].tmp, tmp) == 0 : !pending[i].tmp)
            return i;
    bug(tmp ? "output %s is not open" : "too many open outputs%s", tmp ? tmp : "");
}

static void slot_free(int i)
{
    char *tmp = pending[i].tmp;

    pending[i].tmp = NULL;
    if (tmp)
        close(pending[i].fd);
    free(tmp);
    free(pending[i].path);
    free(pending[i].shown);
    pending[i].path = pending[i].shown = NULL;
}

/* ---- files that this process has read ---- */

static struct {
    char *path;
    struct stat facts;
} * input;
static int ninputs;

void output_read(const char *path)
{
    struct stat facts;

    if (error_is_trapped() || stat(path, &facts))
        return;
    input = xrealloc(input, (unsigned long)(ninputs + 1) * sizeof *input);
    input[ninputs].path = xstrdup(path);
    input[ninputs++].facts = facts;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return is_same(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The file at `path` has these facts: may it be replaced by an output of this kind, if this process has read it? The last reading counts. */
static int check_inputs(const char *path, const struct output_kind *kind, const struct stat *facts, char why[ERRLEN])
{
    for (int i = ninputs - 1; i >= 0; i--) {
        struct stat now;
        if (!is_same(&input[i].facts, facts) && (stat(input[i].path, &now) || !is_same(&now, facts)))
            continue;
        if (!kind->inputs)
            return fail(why, "cannot write %s: it is an input of this command; use another name", path);
        return is_unchanged(&input[i].facts, facts)
                   ? 0
                   : fail(why,
                          "cannot write %s: it was changed by another program after it was read; repeat the command",
                          path);
    }
    return 0;
}

/* ---- what may be replaced ---- */

static int check_mark(const char *path, const void *mark, char why[ERRLEN])
{
    char text[2][OUTPUT_MARK_BYTES + 1];
    FILE *f = fopen(path, "re");
    if (!f)
        return fail(why, "cannot write %s: it exists, and cannot be read:", path);
    for (int end = 0; end < 2; end++) {
        if (end && fseek(f, -OUTPUT_MARK_BYTES, SEEK_END))
            rewind(f);
        text[end][fread(text[end], 1, OUTPUT_MARK_BYTES, f)] = 0;
    }
    const bool failed = ferror(f), marked = strstr(text[0], mark) || strstr(text[1], mark);
    if (failed)
        fail(why, "cannot write %s: it exists, and cannot be read:", path);
    fclose(f);
    if (failed)
        return FAIL;
    return marked
               ? 0
               : fail(
                   why,
                   "cannot write %s: it exists and was not written by spmvcast (it lacks '%s'); use another name or remove it",
                   path, (const char *)mark);
}

const struct output_kind output_marked = { check_mark, OUTPUT_MARK, false };
const struct output_kind output_page = { check_mark, OUTPUT_PAGE_MARK, false };

/* Checks the file at the path of slot i and notes its facts. changed: only if it is another file than noted. */
static int check_found(int i, bool changed, char why[ERRLEN])
{
    const char *path = pending[i].shown;
    struct stat facts = { .st_nlink = 0 };

    if (stat(pending[i].path, &facts) && errno != ENOENT)
        return fail(why, "cannot write %s:", path);
    struct stat named;
    if (facts.st_nlink > 0 && (stat(path, &named) || !is_same(&named, &facts)))
        return fail(why, "cannot write %s: its link was changed by another program; repeat the command", path);
    if (changed && facts.st_nlink == 0 && pending[i].found.st_nlink == 0)
        return 0;
    if (facts.st_nlink == 0 || (changed && is_unchanged(&facts, &pending[i].found)))
        return 0;
    pending[i].found = facts;
    if (S_ISDIR(facts.st_mode))
        return fail(why, "cannot write %s: it is a directory; expected a file name", path);
    if (!S_ISREG(facts.st_mode))
        return fail(why, "cannot write %s: it is not a regular file; use another name", path);
    if (check_inputs(path, &pending[i].kind, &facts, why))
        return FAIL;
    return facts.st_size == 0 ? 0 : pending[i].kind.check(path, pending[i].kind.what, why);
}

/* Resolves symbolic links, so that the link itself is kept. NULL: why. */
static char *target_on(const char *path, char why[ERRLEN])
{
    char *real = *path ? realpath(path, NULL) : NULL;
    struct stat link;

    if (!*path)
        fail(why, "cannot write output: empty file name");
    else if (!real && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        fail(why,
             "cannot write %s: it is a symbolic link to a file that does not exist; remove the link or create the file",
             path);
    else
        return real ? real : xstrdup(path);
    return NULL;
}

char *output_linked(const char *path)
{
    struct stat facts;
    char *real = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : xstrdup(path);
}

/* ---- temporary files ---- */

static const char tmp_middle[] = ".spmvcast-", tmp_end[] = ".tmp";
enum { TMP_RANDOM = 6 };

/* Removes temporary files of the output `path` whose writers no longer exist. */
static void remove_left(const char *path)
{
    char *copy = xstrdup(path), *copy2 = xstrdup(path), *folder = dirname(copy), *name = basename(copy2);
    const size_t start = strlen(name), length = start + strlen(tmp_middle) + TMP_RANDOM + strlen(tmp_end);
    DIR *files = opendir(folder);

    for (const struct dirent *d; files && (d = readdir(files));) {
        if (strlen(d->d_name) != length || strncmp(d->d_name, name, start) != 0
            || strncmp(d->d_name + start, tmp_middle, strlen(tmp_middle)) != 0
            || strcmp(d->d_name + length - strlen(tmp_end), tmp_end) != 0)
            continue;
        const int fd = openat(dirfd(files), d->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat facts;
        if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(files), d->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (files)
        closedir(files);
    free(copy);
    free(copy2);
}

/* Creates and locks a temporary file for `path`: returns its name, and its descriptor in *fd. NULL: errno is set. */
static char *create_tmp(const char *path, int *fd)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 32 of them */

    for (int tries = 0; tries < 100; tries++) {
        unsigned char random[TMP_RANDOM];
        char text[TMP_RANDOM + 1] = "";
        struct stat facts;
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return NULL;
        for (int k = 0; k < TMP_RANDOM; k++)
            text[k] = letters[random[k] % 32];
        char *name = xasprintf("%s%s%s%s", path, tmp_middle, text, tmp_end);
        *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*fd < 0 && errno != EEXIST) {
            free(name);
            return NULL;
        }
        /* Where locks are not supported, nobody removes it either. Another writer may have removed it before it was locked. */
        if (*fd >= 0 && (flock(*fd, LOCK_EX) || (fstat(*fd, &facts) == 0 && facts.st_nlink > 0)))
            return name;
        if (*fd >= 0)
            close(*fd);
        free(name);
    }
    errno = EEXIST;
    return NULL;
}

int output_begin(const char *path, const struct output_kind *kind, const char **tmp, char why[ERRLEN])
{
    static bool registered;
    const int i = slot_of(NULL);

    pending[i].path = target_on(path, why);
    if (!pending[i].path)
        return FAIL;
    pending[i].shown = xstrdup(path);
    pending[i].kind = *kind;
    pending[i].found = (struct stat){ .st_nlink = 0 };
    if (check_found(i, false, why)) {
        slot_free(i);
        return FAIL;
    }
    /* Created now, so that a missing or unwritable directory is reported before hours of work. */
    remove_left(pending[i].path);
    char *name = create_tmp(pending[i].path, &pending[i].fd);
    if (!name) {
        fail(why, "cannot write %s:", path);
        slot_free(i);
        return FAIL;
    }
    pending[i].owner = getpid();
    pending[i].tmp = name;
    if (!registered && atexit(remove_pending))
        bug("atexit failed");
    registered = true;
    *tmp = name;
    return 0;
}

static int sync_fd(int fd)
{
    /* Some file systems cannot fsync a directory; the rename is still valid. */
    struct stat facts;
    return fsync(fd) && !(errno == EINVAL && fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) ? -1 : 0;
}

int output_commit(const char *tmp, char why[ERRLEN])
{
    const int i = slot_of(tmp);
    const char *path = pending[i].shown;
    char *copy = xstrdup(pending[i].path);
    /* Locked from the last check to the rename, so that no other writer comes between; where locks are not supported, one may. */
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = 0;

    if (folder >= 0)
        flock(folder, LOCK_EX);
    if (sync_fd(pending[i].fd))
        status = fail(why, "cannot write %s:", path);
    else if (check_found(i, true, why))
        status = FAIL;
    else if (pending[i].found.st_nlink > 0 && fchmod(pending[i].fd, pending[i].found.st_mode & 0777))
        status = fail(why, "cannot write %s:", path);
    else if (rename(tmp, pending[i].path))
        status = fail(why, "cannot write %s:", path);
    if (status)
        unlink(tmp);
    else if (folder >= 0 && sync_fd(folder)) /* < 0: a directory that this user may write, but not read */
        status = fail(why, "cannot sync the directory of %s:", path);
    if (!status && pending[i].kind.inputs)
        output_read(path); /* this process may write it again */
    if (folder >= 0)
        close(folder);
    free(copy);
    slot_free(i);
    return status;
}

void output_discard(const char *tmp)
{
    int i = slot_of(tmp);

    unlink(tmp);
    slot_free(i);
}

int output_remove(const char *path, const struct output_kind *kind, char why[ERRLEN])
{
    struct stat facts;

    if (stat(path, &facts))
        return 0;
    if (!S_ISREG(facts.st_mode))
        return fail(why, "cannot remove %s: it is not a regular file", path);
    if (facts.st_size > 0 && kind->check(path, kind->what, why))
        return FAIL;
    return unlink(path) ? fail(why, "cannot remove %s:", path) : 0;
}

int output_write(const char *path, const struct output_kind *kind, const char *text, char why[ERRLEN])
{
    const char *tmp;
    FILE *file;

    if (output_begin(path, kind, &tmp, why) != 0)
        return FAIL;
    file = fopen(tmp, "w");
    const bool failed = !file || (fputs(text, file) == EOF) | (fclose(file) != 0);
    if (!failed)
        return output_commit(tmp, why);
    fail(why, "cannot write %s:", path);
    output_discard(tmp);
    return FAIL;
}
