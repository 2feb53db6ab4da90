/* SPDX-License-Identifier: BSD-3-Clause */
/* How many OpenMP threads there may be. */
#ifndef SPMVCAST_BASE_THREADS_H
#define SPMVCAST_BASE_THREADS_H
#include <sched.h>
#include "base/error.h"

enum { THREADS_MAX = 1024 /* maximum threads of one host function; any others stay idle */ };

/* FAIL if parallel regions of this thread would have more than THREADS_MAX threads, and more than processors: OpenMP's run-time library
 * ends the process where it cannot start them. */
int threads_check(char why[ERRLEN]);
/* Returns how many of n processes' processors are the part of process `mine`: each is shared equally by those that may run on it; at
 * least 1. may: the processors on which each of them may run (sched_getaffinity). */
int threads_part(const cpu_set_t *may, int n, int mine);
/* Keeps to that many threads, if they would be more: threads that wait for processors slow all processes down. OMP_NUM_THREADS, if set, is
 * the user's choice. */
void threads_keep_to(int part);
/* Ends OpenMP's idle threads, which spin for milliseconds after each parallel region: on a processor whose cores run two threads each they
 * slow down the one that launches kernels. The next parallel region starts them anew, threads_wake() before something is timed. */
void threads_rest(void);
void threads_wake(void);
#endif
