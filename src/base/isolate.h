/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that may crash or never end, done in a forked child (no exec): the parent learns how it went. */
#ifndef SPMVCAST_BASE_ISOLATE_H
#define SPMVCAST_BASE_ISOLATE_H
#include <stddef.h>
#include "base/error.h"

struct isolate_limits {
    unsigned long cpu_seconds, bytes; /* of CPU time; of memory beyond what the parent has. 0: no limit */
};

enum {
    ISOLATE_CRASHED = -10, /* a signal, or an exit before the work was done; why names it */
    ISOLATE_ENDLESS = -11  /* its CPU time was spent */
};

/* Calls body(job) in a child and copies job[bytes] back as the child left it: pointers in it stay those of the parent. The
 * child writes no core dump, nothing to stdout and stderr, and runs no exit handlers of the parent when it ends well. It
 * must not call MPI, and no OpenMP where the parent did. 0; FAIL: it could not be started, or somebody stopped it; or one
 * of the above. */
int isolate(void (*body)(void *job), void *job, size_t bytes, const struct isolate_limits *, char why[ERRLEN]);
#endif
