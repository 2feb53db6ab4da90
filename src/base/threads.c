/* SPDX-License-Identifier: BSD-3-Clause */
/* How many OpenMP threads there may be. */
#include "base/threads.h"
#include <omp.h>
#include <stdlib.h>

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

int threads_part(const cpu_set_t *may, int n, int mine)
{
    double part = 0;

    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int by = 0;
        for (int i = 0; i < n; i++)
            by += CPU_ISSET(cpu, &may[i]) != 0;
        part += CPU_ISSET(cpu, &may[mine]) ? 1.0 / by : 0;
    }
    return part < 1 ? 1 : (int)(part + 1e-6);
}

void threads_rest(void)
{
    if (omp_get_max_threads() > 1)
        (void)omp_pause_resource_all(omp_pause_soft);
}

void threads_wake(void)
{
    int awake = 0;

#pragma omp parallel reduction(+ : awake)
    awake++;
}

void threads_keep_to(int part)
{
    if (!getenv("OMP_NUM_THREADS") && omp_get_max_threads() > part)
        omp_set_num_threads(part);
}
