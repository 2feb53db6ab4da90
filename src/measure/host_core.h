/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor from which kernels are launched into a stream. A thread that the system moves about takes a third longer for launches from
 * some processors than from others (on hosts of H200s, for some milliseconds at a time), far more than kernels of a few microseconds differ.
 * So plain launches are timed from one processor, the one that takes least for those of an empty kernel. */
#ifndef SPMVCAST_MEASURE_HOST_CORE_H
#define SPMVCAST_MEASURE_HOST_CORE_H
#include <sched.h>
#include "backend/backend.h"

/* Zero: none is chosen; of the processors on which the process may run each may be. */
struct host_core {
    int first,
        stride; /* of these, numbers first, first + stride, ... may be chosen, the others are for other ranks; 0: all */
    bool chosen;
    int cpu;             /* -1: the thread stays where the system puts it */
    double chosen_s;     /* when; now_s() */
    struct launch empty; /* of one block: the time of a larger grid may be longer than that of the host */
};

/* Chooses by plain launches of an empty kernel, again if the last choice is older than some seconds. */
int host_core_choose(struct host_core *, struct device *, char why[ERRLEN]);
/* Moves this thread there; returns false if none is chosen. leave() lets it go where it might before. */
bool host_core_enter(const struct host_core *, cpu_set_t *before);
void host_core_leave(const cpu_set_t *before);
#endif
