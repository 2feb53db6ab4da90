/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs work that may crash or hang in a forked child (no exec) and reports how the child ended. */
#ifndef SPMVCAST_BASE_ISOLATE_H
#define SPMVCAST_BASE_ISOLATE_H
#include <stddef.h>
#include "base/error.h"

struct isolate_limits {
    unsigned long cpu_seconds, bytes,
        wall_seconds; /* CPU time; memory in addition to that of the parent; time. 0: no limit */
};

enum {
    ISOLATE_CRASHED = -10, /* died of a signal or exited before the work was done; `why` says how */
    ISOLATE_ENDLESS = -11  /* CPU time limit exceeded */
};

/* Calls body(job) in a child and copies the bytes of the job back as the child left them, but nothing they point to. The
 * child dies with its parent. It writes no core dump and nothing to stdout or stderr, and on success runs none of the parent's exit handlers.
 * It must not call MPI, nor OpenMP if the parent used it. Returns 0; FAIL if the child could not be started, was
 * stopped by a signal such as SIGTERM or ran longer than wall_seconds; OOM if xmalloc or another of base/error.h failed in
 * it; or one of the codes above. */
int isolate(void (*body)(void *job), void *job, size_t bytes, const struct isolate_limits *, char why[ERRLEN]);
#endif
