// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload: calls on files fail or are slow. FAULTY=CALL:HOW[:N]: the N-th (default: every) CALL (write, fsync, rename,
// close, open) on a file whose name contains $FAULTY_FILE fails with the error HOW (EIO, ENOSPC, EINTR, EMFILE, ENOMEM), or HOW is `short`
// (half is written), `slow` (after 0.3 s) or `kill`.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(name) (*(void **)&next = dlsym(RTLD_NEXT, name))    // POSIX: the way to convert to a function pointer

static int error_of(const char *name)
{
    static const struct {
        const char *name;
        int value;
    } errors[] = {
        { "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EINTR", EINTR }, { "EMFILE", EMFILE }, { "ENOMEM", ENOMEM }
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strncmp(errors[i].name, name, strlen(errors[i].name)) == 0)
            return errors[i].value;
    return 0;
}

// Returns how this call on `file` is to go: NULL: as usual. A slow one has waited.
static const char *fault(const char *call, const char *file)
{
    static int count;
    const char *spec = getenv("FAULTY"), *part = getenv("FAULTY_FILE"), *how, *nth;
    const size_t n = strlen(call);
    if (!spec || !part || strncmp(spec, call, n) != 0 || spec[n] != ':' || !file || !strstr(file, part))
        return NULL;
    how = spec + n + 1;
    nth = strchr(how, ':');
    if (nth && atoi(nth + 1) != ++count)
        return NULL;
    if (strncmp(how, "kill", 4) == 0)
        kill(getpid(), SIGKILL);
    if (strncmp(how, "slow", 4) == 0) {
        usleep(300000);
        return NULL;
    }
    return how;
}

static const char *name_of(int fd)
{
    static _Thread_local char name[4096];
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
    return name;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*next)(int, const void *, size_t);
    const int kept = errno;
    const char *how = fault("write", name_of(fd));
    errno = kept;
    if (how && strncmp(how, "short", 5) == 0)
        bytes = (bytes + 1) / 2;
    else if (how) {
        errno = error_of(how);
        return -1;
    }
    NEXT("write");
    return next(fd, data, bytes);
}

int fsync(int fd)
{
    int (*next)(int);
    const char *how = fault("fsync", name_of(fd));
    if (how) {
        errno = error_of(how);
        return -1;
    }
    NEXT("fsync");
    return next(fd);
}

int close(int fd)
{
    int (*next)(int);
    const int kept = errno;
    const char *how = fault("close", name_of(fd));
    errno = kept;
    NEXT("close");
    const int status = next(fd);
    if (how) {
        errno = error_of(how);
        return -1;
    }
    return status;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    const char *how = fault("rename", to);
    if (how) {
        errno = error_of(how);
        return -1;
    }
    NEXT("rename");
    return next(from, to);
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    const char *how = fault("open", path);
    if (how) {
        errno = error_of(how);
        return -1;
    }
    NEXT("open");
    return next(path, flags, mode);
}
