// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload with NOISY_CLOCK=1 (make check NOISY_CLOCK=1): clocks that jump ahead at random, so that measured times are as
// disturbed as on a busy machine. A test that fails then depends on a time.
#include <dlfcn.h>
#include <stdlib.h>
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
