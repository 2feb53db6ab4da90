/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of a clock that never goes back; differences of it are durations. */
#ifndef SPMVCAST_CLOCK_H
#define SPMVCAST_CLOCK_H
#include <time.h>

static inline double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#endif
