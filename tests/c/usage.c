/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a command and appends its duration, peak memory and CPU time to a file: seconds<TAB>MiB<TAB>seconds.
 *     usage FILE COMMAND [ARGUMENT...]
 * Exits with the status of the command. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    error_program("usage");
    if (argc < 3)
        die("usage: usage FILE COMMAND [ARGUMENT...]");
    double start = now_s();
    pid_t child = fork();
    if (child < 0)
        die("fork:");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        die("run %s:", argv[2]);
    }
    while (wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR)
            die("wait for %s:", argv[2]);
    double time_s = now_s() - start;
    const double cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                         + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    FILE *f = fopen(argv[1], "a");
    if (!f || fprintf(f, "%.3f\t%.1f\t%.3f\n", time_s, (double)used.ru_maxrss / 1024, cpu_s) < 0 || fclose(f) != 0)
        die("write %s:", argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
