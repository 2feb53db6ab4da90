// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload with NOISY_CLOCK=1 (make check NOISY_CLOCK=1): clocks that jump ahead at random, so that measured times are as
// disturbed as on a busy machine, and times on a run queue (/proc/thread-self/schedstat) that grow as if other processes ran: now and then, and
// in half of the processes all the time for their first thousand samples. A test that fails then depends on a time.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*next)(clockid_t, struct timespec *);
    static _Thread_local unsigned short state[3];
    static long ahead;    // ns, of all threads

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    int rc = next(id, t);
    if (rc || (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW))
        return rc;
    if (!state[2]) {
        state[0] = (unsigned short)t->tv_nsec;
        state[1] = (unsigned short)getpid();
        state[2] = 1 | (unsigned short)(t->tv_nsec >> 16);
    }
    double u = erand48(state);
    long jump = u < 0.5 ? 0 : (long)((u < 0.95 ? 2e5 : u < 0.995 ? 2e6 : 2e7) * erand48(state));
    jump = __atomic_add_fetch(&ahead, jump, __ATOMIC_RELAXED);
    t->tv_sec += (t->tv_nsec + jump) / 1000000000;
    t->tv_nsec = (t->tv_nsec + jump) % 1000000000;
    return 0;
}

ssize_t pread(int fd, void *to, size_t bytes, off_t from)
{
    static ssize_t (*next)(int, void *, size_t, off_t);
    static _Thread_local unsigned short state[3];
    static long waited;    // ns, of all threads
    static int reads;
    unsigned long long used, waits;
    long slices;
    char text[96], rest;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pread");
    ssize_t n = next(fd, to, bytes, from);
    if (n <= 0 || from || n >= (ssize_t)sizeof text)
        return n;
    memcpy(text, to, (size_t)n);
    text[n] = 0;
    if (sscanf(text, "%llu %llu %ld %c", &used, &waits, &slices, &rest) != 3)
        return n;
    if (!state[2]) {
        state[0] = (unsigned short)used;
        state[1] = (unsigned short)getpid();
        state[2] = 1;
    }
    if ((__atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED) < 2000 && getpid() % 2) || erand48(state) < 0.1)
        __atomic_add_fetch(&waited, (long)(1e6 + 2e7 * erand48(state)), __ATOMIC_RELAXED);
    n = snprintf(text, sizeof text, "%llu %llu %ld\n", used, waits + (unsigned long long)waited, slices);
    n = n < (ssize_t)bytes ? n : (ssize_t)bytes;
    memcpy(to, text, (size_t)n);
    return n;
}
