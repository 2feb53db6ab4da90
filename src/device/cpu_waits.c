/* SPDX-License-Identifier: BSD-3-Clause */
/* Lost processor time, from /proc/thread-self/schedstat and the steal column of /proc/stat. */
#include "device/cpu_waits.h"
#include <fcntl.h>
#include <inttypes.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/error.h"

enum { TEXT = 96, LINE = 512 };

struct cpu_waits {
    int n;
    int fd[]; /* [n], -1: not available */
};

struct cpu_waits *cpu_waits_open(void)
{
    const int n = omp_get_max_threads();
    struct cpu_waits *w = xcalloc(1, sizeof *w + (unsigned long)n * sizeof w->fd[0]);

    w->n = n;
    for (int i = 0; i < n; i++)
        w->fd[i] = -1;
        /* Each thread opens its own file, which keeps referring to that thread. */
#pragma omp parallel num_threads(n)
    w->fd[omp_get_thread_num()] = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    return w;
}

void cpu_waits_close(struct cpu_waits *w)
{
    for (int i = 0; w && i < w->n; i++)
        if (w->fd[i] >= 0)
            close(w->fd[i]);
    free(w);
}

double cpu_waits_s(const struct cpu_waits *w)
{
    double sum_ns = 0;

    for (int i = 0; i < w->n; i++) {
        char text[TEXT], *rest;
        const ssize_t n = w->fd[i] < 0 ? 0 : pread(w->fd[i], text, sizeof text - 1, 0);
        if (n <= 0)
            continue;
        text[n] = 0;
        (void)strtoull(text, &rest, 10); /* time on a processor, then time on a run queue, in ns */
        sum_ns += (double)strtoull(rest, NULL, 10);
    }
    return 1e-9 * sum_ns;
}

int64_t cpu_stolen_ticks(void)
{
    FILE *f = fopen("/proc/stat", "re");
    char line[LINE];
    cpu_set_t mine;
    int64_t sum = 0;

    if (!f)
        return 0;
    const bool all = sched_getaffinity(0, sizeof mine, &mine) != 0;
    while (fgets(line, sizeof line, f)) {
        int cpu = 0;
        int64_t stolen = 0;
        if (sscanf(line, "cpu%d %*d %*d %*d %*d %*d %*d %*d %" SCNd64, &cpu, &stolen) == 2
            && (all || (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, &mine))))
            sum += stolen;
    }
    fclose(f); /* opened read-only: no error to check */
    return sum;
}
