/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files, written atomically. */
#include "base/output.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fixed-size table, because a signal handler reads it. */
enum { OUTPUTS = 16 };
static struct {
    char *volatile tmp;
    char *path;
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
    free(tmp);
    free(pending[i].path);
    pending[i].path = NULL;
}

/* Resolves symbolic links, so that the link itself is kept. */
static char *target_on(const char *path)
{
    char *real = realpath(path, NULL);

    return real ? real : xstrdup(path);
}

int output_begin(const char *path, const char **tmp, char why[ERRLEN])
{
    static bool registered;
    struct stat facts;

    if (!*path)
        return fail(why, "cannot write output: empty file name");
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return fail(why, "cannot write %s: it is a directory; expected a file name", path);
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return fail(why, "cannot write %s: it is not a regular file; use another name", path);

    int i = slot_of(NULL);
    pending[i].path = target_on(path);
    char *name = xasprintf("%s.tmp", pending[i].path);
    /* Created now, so that a missing or unwritable directory is reported before hours of work. */
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || close(fd)) {
        fail(why, "cannot write %s:", path);
        free(name);
        free(pending[i].path);
        pending[i].path = NULL;
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

static int sync_at(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);

    if (fd < 0)
        return -1;
    /* Some file systems cannot fsync a directory; the rename is still valid. */
    int bad = fsync(fd) && !(errno == EINVAL && (flags & O_DIRECTORY)), err = errno;
    if (close(fd) && !bad) {
        bad = 1;
        err = errno;
    }
    errno = err;
    return bad ? -1 : 0;
}

int output_commit(const char *tmp, char why[ERRLEN])
{
    int i = slot_of(tmp);
    char *copy = xstrdup(pending[i].path), *folder = dirname(copy);
    int status = 0;

    if (sync_at(tmp, O_RDONLY) || rename(tmp, pending[i].path)) {
        status = fail(why, "cannot write %s:", pending[i].path);
        unlink(tmp);
    } else if (sync_at(folder, O_RDONLY | O_DIRECTORY))
        status = fail(why, "cannot sync the directory of %s:", pending[i].path);
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

int output_write(const char *path, const char *text, char why[ERRLEN])
{
    const char *tmp;
    FILE *file;

    if (output_begin(path, &tmp, why) != 0)
        return FAIL;
    file = fopen(tmp, "w");
    const bool failed = !file || (fputs(text, file) == EOF) | (fclose(file) != 0);
    if (!failed)
        return output_commit(tmp, why);
    fail(why, "cannot write %s:", path);
    output_discard(tmp);
    return FAIL;
}
