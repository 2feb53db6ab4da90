/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files, written atomically. */
#include "base/output.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/temporary.h"

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

/* Files and directories of output_guard; NULL: free. */
enum { GUARDED = 4 };
static char *volatile guarded[GUARDED];

void output_guard(const char *path, bool on)
{
    for (int i = 0; i < GUARDED; i++)
        if (on ? !guarded[i] : guarded[i] && strcmp(guarded[i], path) == 0) {
            char *was = guarded[i];
            guarded[i] = on ? xstrdup(path) : NULL;
            free(was);
            return;
        }
}

/* Is the temporary file still the one that was created? */
static bool is_there(int i)
{
    struct stat created, named;

    return fstat(pending[i].fd, &created) == 0 && lstat(pending[i].tmp, &named) == 0 && files_same(&created, &named);
}

static void remove_tmp(int i)
{
    if (is_there(i))
        unlink(pending[i].tmp);
}

/* A forked child does not touch the files of its parent. */
static void remove_pending(void)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (pending[i].tmp && pending[i].owner == getpid())
            remove_tmp(i);
}

void output_drop(void)
{
    remove_pending();
    for (int i = GUARDED - 1; i >= 0; i--) /* what is in a directory goes before it */
        if (guarded[i] && unlink(guarded[i]))
            rmdir(guarded[i]);
}

static void on_signal(int number)
{
    output_drop();
    signal(number, SIG_DFL);
    raise(number);
}

void output_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal }, before;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
}

/* Is stdout a terminal that was closed? SIGHUP comes, too, if it was the terminal of this session, and may be ignored (nohup). */
static bool terminal_gone(void)
{
    struct pollfd f = { .fd = STDOUT_FILENO };
    struct stat facts;

    return fstat(STDOUT_FILENO, &facts) == 0 && S_ISCHR(facts.st_mode) && poll(&f, 1, 0) == 1 && (f.revents & POLLHUP);
}

static pid_t lost; /* process whose output was lost with its terminal; a forked child printed nothing */

/* Runs after all other handlers, which remove files: it is the first that is registered. */
static void fail_at_exit(int status, void *unused)
{
    (void)unused;
    if (status != EXIT_OK || lost != getpid())
        return;
    fflush(NULL);
    _exit(EXIT_FAILED);
}

void output_watch(void)
{
    if (on_exit(fail_at_exit, NULL))
        bug("on_exit failed");
}

void output_stdout_failed(void)
{
    const int error = errno;

    if (!terminal_gone() || !freopen("/dev/null", "w", stdout)) {
        errno = error;
        die("cannot write to stdout:");
    }
    lost = getpid();
    complain("cannot write to stdout, whose terminal was closed");
}

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

/* ---- what may be replaced ---- */

/* The file at `path` has these facts: may it be replaced by an output of this kind, if this process has read it? */
static int check_inputs(const char *path, const struct output_kind *kind, const struct stat *facts, char why[ERRLEN])
{
    const enum files_read read = files_was_read(facts);

    if (read == FILES_UNREAD)
        return 0;
    if (!kind->inputs)
        return fail(why, "cannot write %s: it is an input of this command; use another name", path);
    return read == FILES_READ
               ? 0
               : fail(why, "cannot write %s: it was changed by another program after it was read; repeat the command",
                      path);
}

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

/* Does another program write the file? HDF5 locks what it has open for writing; its files of old formats have no mark of it. */
static bool is_locked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}

/* Checks the file at the path of slot i and notes its facts. changed: only if it is another file than noted. */
static int check_found(int i, bool changed, char why[ERRLEN])
{
    const char *path = pending[i].shown;
    struct stat facts = { .st_nlink = 0 };

    if (stat(pending[i].path, &facts) && errno != ENOENT)
        return fail(why, "cannot write %s:", path);
    struct stat named;
    if (facts.st_nlink > 0 ? stat(path, &named) || !files_same(&named, &facts) : lstat(pending[i].path, &named) == 0)
        return fail(why, "cannot write %s: its link was changed by another program; repeat the command", path);
    if (facts.st_nlink > 0 && S_ISREG(facts.st_mode) && is_locked(path))
        return fail(why, "cannot write %s: another program has it open for writing; close it there first", path);
    if (facts.st_nlink == 0 || (changed && files_unchanged(&facts, &pending[i].found)))
        return 0;
    pending[i].found = facts;
    if (S_ISDIR(facts.st_mode))
        return fail(why, "cannot write %s: it is a directory; expected a file name", path);
    if (!S_ISREG(facts.st_mode))
        return fail(why, "cannot write %s: it is not a regular file; use another name", path);
    if (access(path, W_OK)) /* rename would not mind */
        return fail(why, "cannot write %s:", path);
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
    else if (temporary_is(real ? real : path))
        fail(
            why,
            "cannot write %s: files of this name are temporary, and the next program that writes removes them; use another name",
            path);
    else if (!real && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        fail(why,
             "cannot write %s: it is a symbolic link to a file that does not exist; remove the link or create the file",
             path);
    else
        return real ? real : xstrdup(path);
    free(real);
    return NULL;
}

char *output_linked(const char *path)
{
    struct stat facts;
    char *real = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : xstrdup(path);
}

/* ---- begin and commit ---- */

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
    temporary_sweep(pending[i].path);
    char *name = temporary_create(pending[i].path, &pending[i].fd);
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

/* Locks the directory; not for ever, since another program may hold it for all of its time (flock DIR COMMAND). */
static void lock_folder(int fd)
{
    for (int tries = 0; tries < 50 && fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; tries++)
        usleep(100000);
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
    /* Locked from the last check to the rename, so that no other writer comes between; where there is no lock, one may. */
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = 0;

    lock_folder(folder);
    if (sync_fd(pending[i].fd))
        status = fail(why, "cannot write %s:", path);
    else if (!is_there(i))
        status = fail(
            why,
            "cannot write %s: another program removed or replaced its temporary file or directory; repeat the command",
            path);
    else if (check_found(i, true, why))
        status = FAIL;
    else if (pending[i].found.st_nlink > 0 && fchmod(pending[i].fd, pending[i].found.st_mode & 0777))
        status = fail(why, "cannot write %s:", path);
    else if (rename(tmp, pending[i].path))
        status = fail(why, "cannot write %s:", path);
    flock(pending[i].fd, LOCK_UN); /* it is the output now: nobody writes it */
    if (status)
        remove_tmp(i);
    else if (folder >= 0 && sync_fd(folder)) /* < 0: a directory that this user may write, but not read */
        status = fail(why, "cannot sync the directory of %s:", path);
    if (!status && pending[i].kind.inputs) { /* this process may write it again */
        files_forget(path);
        files_read(path);
    }
    if (folder >= 0)
        close(folder);
    free(copy);
    slot_free(i);
    return status;
}

void output_discard(const char *tmp)
{
    int i = slot_of(tmp);

    remove_tmp(i);
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
