/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of a run archive. RUN.h5.lock contains "host pid start" with the start time of the process, so that a reused
 * pid is not mistaken for the run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/output.h"
#include "runs/runlog.h"

struct holder {
    char host[256];
    long pid;
    uint64_t start;
};

/* Gets the start time of a process in clock ticks since boot (/proc/PID/stat, field 22). Returns -1 if the process
 * does not exist or has ended. */
static int start_of(long pid, uint64_t *start)
{
    char path[64], text[1024], *c;
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return -1;
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    c = strrchr(text, ')'); /* the name, field 2, may contain anything */
    for (int field = 2; c && field < 22; field++)
        c = strchr(c + 1, ' ');
    char state = strrchr(text, ')') ? strrchr(text, ')')[2] : 'X';
    return c && state != 'Z' && state != 'X' && sscanf(c, " %" SCNu64, start) == 1 ? 0 : -1;
}

static int self(struct holder *h)
{
    memset(h, 0, sizeof *h);
    h->pid = getpid();
    return gethostname(h->host, sizeof h->host - 1) || start_of(h->pid, &h->start) ? -1 : 0;
}

/* Returns whether the lock names a process that may still be running. */
static int is_live(const struct holder *h, const struct holder *me)
{
    uint64_t start;

    return strcmp(h->host, me->host) != 0 || (start_of(h->pid, &start) == 0 && start == h->start);
}

static int read_holder(int fd, struct holder *h)
{
    char text[512];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "%255s %ld %" SCNu64, h->host, &h->pid, &h->start) == 3 ? 0 : -1;
}

static int write_holder(int fd, const struct holder *h)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s %ld %" PRIu64 "\n", h->host, h->pid, h->start);

    return ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n || fsync(fd) ? -1 : 0;
}

/* Opens and locks the lock file; retries if another process removed it meanwhile. */
static int open_lock(const char *path)
{
    struct stat here, there;

    for (int tries = 0; tries < 100; tries++) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0)
            return -1;
        flock(fd, LOCK_EX); /* where flock is not supported, the text alone must suffice */
        if (!fstat(fd, &here) && !stat(path, &there) && here.st_ino == there.st_ino && here.st_dev == there.st_dev)
            return fd;
        close(fd);
    }
    errno = EAGAIN;
    return -1;
}

static bool is_empty(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0;
}

int runlock_take(const char *run_path, char why[ERRLEN])
{
    char *run = output_linked(run_path), *path = xasprintf("%s.lock", run);
    struct holder me, other;
    int fd = open_lock(path), status = 0;

    if (fd < 0) {
        status = fail(why, "cannot create the lock %s:", path);
        goto out;
    }
    const bool held = read_holder(fd, &other) == 0;
    if (!held && !is_empty(fd))
        status =
            fail(why, "cannot create the lock %s: there is a file that is no lock of spmvcast; move it away", path);
    else if (self(&me))
        status = fail(why, "cannot get the host name or the start time of this process (/proc)");
    else if (held) {
        if (is_live(&other, &me))
            status = fail(why, "%s is in use by process %ld on %s; remove %s if that process no longer exists",
                          run_path, other.pid, other.host, path);
        else
            note("the lock %s is taken over from process %ld, which no longer exists", path, other.pid);
    }
    if (!status) {
        status = write_holder(fd, &me) ? fail(why, "cannot write the lock %s:", path) : 0;
        if (status)
            unlink(path);
    }
    close(fd); /* what it says is synced */
out:
    free(path);
    free(run);
    return status;
}

void runlock_release(const char *run_path)
{
    char *run = output_linked(run_path), *path = xasprintf("%s.lock", run);
    struct holder me, other;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd >= 0) {
        flock(fd, LOCK_EX);
        if (!self(&me) && !read_holder(fd, &other) && other.pid == me.pid && other.start == me.start
            && strcmp(other.host, me.host) == 0)
            unlink(path);
        close(fd);
    }
    free(path);
    free(run);
}
