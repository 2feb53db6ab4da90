/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs work in a forked child with limits, and interprets how the child ended. */
#include "base/isolate.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/pipes.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
/* The sanitizers reserve more address space than any limit allows. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || defined(__SANITIZE_THREAD__) \
    || __has_feature(thread_sanitizer)
enum { ADDRESSES_LIMITED = 0 };
#else
enum { ADDRESSES_LIMITED = 1 };
#endif

enum { NO_MEMORY = 112 }; /* exit status of a child that could not allocate memory */

/* Returns the address space of this process in bytes; 0: unknown. */
static rlim_t addresses(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Sets a limit, but never above an existing one. */
static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit l;

    if (getrlimit(resource, &l))
        return;
    l.rlim_max = l.rlim_max < hard ? l.rlim_max : hard;
    l.rlim_cur = l.rlim_max < soft ? l.rlim_max : soft;
    setrlimit(resource, &l);
}

static void restrict_child(const struct isolate_limits *limits)
{
    static const int ends[] = { SIGXCPU, SIGALRM, SIGHUP, SIGINT, SIGTERM }; /* the parent may handle them */
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    rlim_t there = addresses();

    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0, 0);
    if (limits->cpu_seconds)
        limit(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 2);
    if (limits->bytes && there && ADDRESSES_LIMITED)
        limit(RLIMIT_AS, there + limits->bytes, there + limits->bytes);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < (int)(sizeof ends / sizeof ends[0]); i++)
        signal(ends[i], SIG_DFL);
    alarm((unsigned)limits->wall_seconds);
    error_no_memory(NO_MEMORY);
}

/* Returns the status for the end of a child that did not report success, with its reason. */
static int status_of_end(int state, char why[ERRLEN])
{
    const int number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;

    if (WIFEXITED(state) && WEXITSTATUS(state) == NO_MEMORY) {
        fail(why, "out of memory");
        return OOM;
    }
    switch (number) {
    case SIGXCPU: fail(why, "CPU time limit exceeded"); return ISOLATE_ENDLESS;
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
    case SIGKILL: return fail(why, "stopped by a signal (%s)", strsignal(number));
    case SIGALRM: return fail(why, "it did not finish in time");
    case 0: fail(why, "exit status %d", WEXITSTATUS(state)); return ISOLATE_CRASHED;
    default: fail(why, "%s", strsignal(number)); return ISOLATE_CRASHED;
    }
}

int isolate(void (*body)(void *job), void *job, size_t bytes, const struct isolate_limits *limits, char why[ERRLEN])
{
    int ends[2], state = 0;

    if (pipe2(ends, O_CLOEXEC))
        return fail(why, "cannot create a pipe:");
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) {
        fail(why, "cannot start a process:");
        close(ends[0]);
        close(ends[1]);
        return FAIL;
    }
    if (pid == 0) {
        restrict_child(limits);
        body(job);
        _exit(pipe_write(ends[1], job, bytes) ? EXIT_FAILED : EXIT_OK);
    }
    close(ends[1]);
    char *answer = malloc(bytes);
    const bool done = answer && pipe_read(ends[0], answer, bytes) == 0;
    close(ends[0]);
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    if (done)
        memcpy(job, answer, bytes);
    free(answer);
    return done ? 0 : status_of_end(state, why);
}
