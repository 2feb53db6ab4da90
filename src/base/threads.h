/* SPDX-License-Identifier: BSD-3-Clause */
/* How many OpenMP threads there may be. */
#ifndef SPMVCAST_BASE_THREADS_H
#define SPMVCAST_BASE_THREADS_H
#include "base/error.h"

enum { THREADS_MAX = 1024 /* maximum threads of one host function; any others stay idle */ };

/* FAIL if parallel regions of this thread would have more than THREADS_MAX threads, and more than processors: OpenMP's run-time library
 * ends the process where it cannot start them. */
int threads_check(char why[ERRLEN]);
/* Of `processes` on this host, each that may run on more than its part of the processors keeps to a thread per processor of that part,
 * since threads that wait for processors slow all of them down. OMP_NUM_THREADS, if set, is the user's choice. */
void threads_share(int processes);
#endif
