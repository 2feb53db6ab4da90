/* SPDX-License-Identifier: BSD-3-Clause */
/* How many OpenMP threads there may be. */
#include "base/threads.h"
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

int threads_check(char why[ERRLEN])
{
    const int n = omp_get_max_threads();

    return n <= THREADS_MAX || n <= omp_get_num_procs()
               ? 0
               : fail(why,
                      "%d OpenMP threads, expected at most %d: set OMP_NUM_THREADS to fewer, or unset it for a thread "
                      "per processor",
                      n, THREADS_MAX);
}

void threads_share(int processes)
{
    const int part = (int)sysconf(_SC_NPROCESSORS_ONLN) / processes;

    if (!getenv("OMP_NUM_THREADS") && omp_get_num_procs() > part)
        omp_set_num_threads(part > 1 ? part : 1);
}
